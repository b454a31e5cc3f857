import { formatDurationMs } from '@quire/core';
import type { Environment } from '../environment.ts';
import { type Styles, stylesFor } from '../styles.ts';
import { readVersion } from '../version.ts';
import type { RunningBroker } from './run-broker.ts';

/** Tells where a broker is, what it has, and three commands that work as they are printed. */
export function renderWelcome(running: RunningBroker, environment: Environment): string {
  const styles = stylesFor(environment.stdout, environment.variables);
  const { settings, address } = running;
  const facts: [string, string][] = [
    ['broker', address.url],
    ...(settings.observability.docsEnabled ? [['API', `${address.url}/docs`] satisfies [string, string]] : []),
    ['results', `${running.storeLocation}, kept for ${formatDurationMs(settings.results.expirationMs)}`],
    ['tables', settings.tables.map((table) => table.name).join(', ') || 'none'],
  ];
  return [
    styles.strong(`Quire ${readVersion()}`),
    '',
    ...facts.map(([name, value]) => `  ${styles.faint(name.padEnd(8))} ${value}`),
    '',
    ...examplesOf(running, environment.invocation).flatMap((example) => renderExample(example, styles)),
    styles.faint('Ctrl-C stops the broker.'),
    '',
  ].join('\n');
}

interface Example {
  readonly purpose: string;
  readonly command: string;
}

/** Commands for a POSIX shell that need no other tool than curl and sed. */
function examplesOf({ address, settings, usesQuickstartTokens }: RunningBroker, invocation: string): readonly Example[] {
  // A token is printed only when everybody knows it anyway.
  const token = usesQuickstartTokens ? 'quickstart-admin' : '$QUIRE_TOKEN';
  const [table] = settings.tables;
  const sql = table === undefined ? 'SELECT 42 AS answer' : `SELECT * FROM ${table.name}`;
  // The quickstart's flights are three million: far in the middle is a better place to show than the second row.
  const offset = usesQuickstartTokens && table?.name === 'flights' ? 1_500_000 : 1;
  const url = address.url;
  const authorization = `-H "Authorization: Bearer ${token}"`;
  const post = (parameters: string): string =>
    [
      `curl -s '${url}/query/sql?doPaginate=true${parameters}'`,
      `${authorization} -H 'Content-Type: application/json'`,
      `-d '{"sql": "${sql}"}'`,
    ].join(' \\\n  ');
  const tokenOption = usesQuickstartTokens ? ` --token ${token}` : '';
  return [
    { purpose: 'Run a query: the whole answer is stored, its first rows come back.', command: `${post('&numRows=3')}; echo` },
    {
      purpose: 'Keep the id of a stored result, and read any page of it.',
      command:
        `id=$(${post('&numRows=1')} | sed 's/.*"requestId":"\\([^"]*\\)".*/\\1/')\n` +
        `curl -s ${authorization} "${url}/query/$id/results?offset=${offset}&numRows=3"; echo`,
    },
    { purpose: 'Turn the pages of a result with keys.', command: `${invocation} query --url ${url}${tokenOption} "${sql}"` },
  ];
}

function renderExample({ purpose, command }: Example, styles: Styles): readonly string[] {
  return [styles.faint(`# ${purpose}`), command, ''];
}
