import { formatDurationMs } from '@quire/core';
import type { ServiceAddress } from '@quire/service';
import type { Settings } from '@quire/settings';
import type { Environment } from './environment.ts';
import { type Styles, stylesFor } from './styles.ts';
import { readVersion } from '@quire/core/process';

import type { RunningBroker, RunningCleaner, RunningRoles } from '@quire/server';

/** Writes what runs. A server continues if its output is closed, or on a full disk. */
export async function writeWelcome(
  { roles, settings }: { readonly roles: RunningRoles; readonly settings: Settings },
  environment: Environment,
): Promise<void> {
  const text = renderWelcome(roles, settings, environment);
  await environment.stdout.write(text).catch(() => undefined);
}

/**
 * Renders the addresses of the running roles and, for a broker, three commands that work as
 * printed.
 */
function renderWelcome(
  running: RunningRoles,
  settings: Settings,
  environment: Environment,
): string {
  const styles = stylesFor(environment.stdout, environment.variables);
  const facts = factsOf(running, settings);
  const width = Math.max(...facts.map(([name]) => name.length));
  return [
    styles.strong(`Quire ${readVersion(new URL('../package.json', import.meta.url))}`),
    '',
    ...facts.map(([name, value]) => `  ${styles.faint(name.padEnd(width))}  ${value}`),
    '',
    ...examplesOf(running, environment.invocation).flatMap((example) =>
      renderExample(example, styles),
    ),
    styles.faint('Ctrl-C stops it.'),
    '',
  ].join('\n');
}

function factsOf(
  running: RunningRoles,
  settings: Settings,
): readonly (readonly [name: string, value: string])[] {
  const { server, broker, proxy, controller, cleaner } = running;
  const docsOf = ({ address }: { readonly address: ServiceAddress }): string =>
    settings.observability.docsEnabled ? `${address.url}  (API: ${address.url}/docs)` : address.url;
  return [
    ...(controller?.hasConsole === true
      ? [['console', `${controller.address.url}/console`] as const]
      : []),
    ...(broker === undefined ? [] : [['broker', docsOf(broker)] as const]),
    ...(broker?.address.endpointUrls ?? []).map((url) => ['flight', url] as const),
    ...(proxy === undefined ? [] : [['proxy', docsOf(proxy)] as const]),
    ...(controller === undefined ? [] : [['controller', docsOf(controller)] as const]),
    ...(cleaner === undefined ? [] : [['cleaner', cleanerFact(cleaner)] as const]),
    ...(server === undefined ? [] : [['table server', server.dataDirectory] as const]),
    ...(broker === undefined
      ? []
      : [
          [
            'results',
            `${broker.storeLocation}, kept for ${formatDurationMs(settings.results.expirationMs)}`,
          ] as const,
          ['tables', broker.tables] as const,
        ]),
  ];
}

function cleanerFact({ storeLocation, url }: RunningCleaner): string {
  return url === undefined ? storeLocation : `${storeLocation}, health at ${url}/health`;
}

interface Example {
  readonly purpose: string;
  readonly command: string;
}

/** Returns commands for a POSIX shell that need no other tools than curl and sed. */
function examplesOf(
  { broker, controller, server }: RunningRoles,
  invocation: string,
): readonly Example[] {
  if (broker === undefined) return [];
  const { submit, page, browse } = queryExamples(broker, invocation);
  const { growing, taskName } = server?.samples ?? {};
  if (controller === undefined || growing === undefined || taskName === undefined) {
    return [submit, page, browse];
  }
  const { address, usesQuickstartTokens } = broker;
  const token = tokenOf(usesQuickstartTokens);
  const option = usesQuickstartTokens ? ` --token ${token}` : '';
  const sql = `SELECT count(*) AS ${growing.tableName}, max(${growing.timeColumn}) AS latest FROM ${growing.tableName}`;
  return [
    page,
    {
      purpose: 'Query a growing table: the count increases each time.',
      command: `${invocation} query --url ${address.url}${option} "${sql}" | cat`,
    },
    {
      purpose: 'See how a task loaded a file into a table.',
      command: `${invocation} tasks show ${taskName} --all --url ${controller.address.url}${option} | cat`,
    },
  ];
}

/** Returns the token to print: a secret one is never printed. */
function tokenOf(usesQuickstartTokens: boolean): string {
  return usesQuickstartTokens ? 'quickstart-admin' : '$QUIRE_TOKEN';
}

function queryExamples(
  { address, settings, usesQuickstartTokens }: RunningBroker,
  invocation: string,
): Readonly<Record<'submit' | 'page' | 'browse', Example>> {
  const token = tokenOf(usesQuickstartTokens);
  const [table] = settings.tables;
  const sql = table === undefined ? 'SELECT 42 AS answer' : `SELECT * FROM ${table.name}`;
  // The quickstart has three million flights: a row in the middle is a better example than the
  // second one.
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
  return {
    submit: {
      purpose: 'Run a query: the whole result is stored, and its first rows are returned.',
      command: `${post('&numRows=3')}; echo`,
    },
    page: {
      purpose: 'Keep the id of a stored result, and read any page of it.',
      command:
        `id=$(${post('&numRows=1')} | sed 's/.*"requestId":"\\([^"]*\\)".*/\\1/')\n` +
        `curl -s ${authorization} "${url}/query/$id/results?offset=${offset}&numRows=3"; echo`,
    },
    browse: {
      purpose: 'Browse a result with keys.',
      command: `${invocation} query --url ${url}${tokenOption} "${sql}"`,
    },
  };
}

function renderExample({ purpose, command }: Example, styles: Styles): readonly string[] {
  return [styles.faint(`# ${purpose}`), command, ''];
}
