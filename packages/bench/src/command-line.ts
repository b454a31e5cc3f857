import { parseArgs } from 'node:util';
import { QuireError } from '@quire/core';
import { type PageFormatName, pageFormatNames } from '@quire/core/wire';
import type { Dialect, PageServerOptions } from './page-server.ts';
import { type BenchPlan, offsetChoices, planBench } from './run-bench.ts';

export const usage = `quire-bench --url URL --sql SQL [options]

Stores the answer of a query on a server, and measures how fast it serves pages of it. The server is a Quire broker or
proxy, or Apache Pinot with cursors.

  --url URL           address of the server, such as http://127.0.0.1:8099
  --token TOKEN       bearer token, or a whole Authorization header, such as "Basic …"
  --sql SQL           the query; it must have the same rows on both servers
  --dialect NAME      quire or pinot; default: detected from the server's answer
  --vs URL            a second server, which takes turns with the first
  --vs-token TOKEN, --vs-dialect NAME
  --pages LIST        rows of a page; default 100,1000,10000
  --formats LIST      ${pageFormatNames.join(', ')}; default json,
                      the only one that Apache Pinot supports
  --offsets LIST      first, last, random; default random
  --readers LIST      concurrent readers; default 1,8
  --rounds N          slices of each server for each combination; default 5
  --slice MS          milliseconds of a slice; default 1000
  --quick             a short run, less than three minutes
  --json              the report as JSON, on standard output
  --help
`;

export interface CommandLine {
  readonly servers: readonly PageServerOptions[];
  readonly plan: BenchPlan;
  readonly isJson: boolean;
}

const options = {
  url: { type: 'string' },
  token: { type: 'string' },
  sql: { type: 'string' },
  dialect: { type: 'string' },
  vs: { type: 'string' },
  'vs-token': { type: 'string' },
  'vs-dialect': { type: 'string' },
  pages: { type: 'string' },
  formats: { type: 'string' },
  offsets: { type: 'string' },
  readers: { type: 'string' },
  rounds: { type: 'string' },
  slice: { type: 'string' },
  quick: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/**
 * Reads the arguments; undefined when help is requested. @throws INVALID_PARAMETER, with the
 * option, its value and what is expected
 */
export function parseCommandLine(args: readonly string[]): CommandLine | undefined {
  const values = valuesOf(args);
  if (values.help) return undefined;
  const sql = values.sql ?? '';
  if (sql.trim() === '') throw invalid('--sql is missing: give the query whose pages are read.');
  const server = serverOf('--url', values.url, values.token, values.dialect);
  const servers =
    values.vs === undefined
      ? [server]
      : [server, serverOf('--vs', values.vs, values['vs-token'], values['vs-dialect'])];
  if (servers[1]?.url === server.url) {
    throw invalid('--vs is the same address as --url: give another server.');
  }
  const given: Partial<BenchPlan> & Pick<BenchPlan, 'sql'> = {
    sql,
    ...(values.pages !== undefined && { pageSizes: integers('--pages', values.pages) }),
    ...(values.formats !== undefined && {
      formats: choices<PageFormatName>('--formats', values.formats, pageFormatNames),
    }),
    ...(values.offsets !== undefined && {
      offsets: choices('--offsets', values.offsets, offsetChoices),
    }),
    ...(values.readers !== undefined && { readers: integers('--readers', values.readers) }),
    ...(values.rounds !== undefined && { roundCount: integer('--rounds', values.rounds) }),
    ...(values.slice !== undefined && { sliceMs: integer('--slice', values.slice) }),
  };
  return { servers, plan: planBench(given, values.quick), isJson: values.json };
}

function valuesOf(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    throw invalid(`${(error as Error).message}. See quire-bench --help.`, error);
  }
}

function serverOf(
  option: string,
  url: string | undefined,
  token: string | undefined,
  dialect: string | undefined,
): PageServerOptions {
  if (url === undefined) {
    throw invalid(
      `${option} is missing: give the address of a server, such as http://127.0.0.1:8099.`,
    );
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw invalid(`${option} is ${url}; expected an address that starts with http:// or https://.`);
  }
  if (dialect !== undefined && dialect !== 'quire' && dialect !== 'pinot') {
    throw invalid(
      `${option === '--url' ? '--dialect' : '--vs-dialect'} is ${dialect}; expected quire or pinot.`,
    );
  }
  const known: Dialect | undefined = dialect;
  return { url: new URL(url).href.replace(/\/+$/, ''), token, dialect: known };
}

function integers(option: string, text: string): readonly number[] {
  return text.split(',').map((each) => integer(option, each.trim()));
}

function integer(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1 || value > 1e6) {
    throw invalid(`${option} has ${text}; expected an integer from 1 to 1000000.`);
  }
  return value;
}

function choices<Choice extends string>(
  option: string,
  text: string,
  known: readonly Choice[],
): readonly Choice[] {
  return text.split(',').map((each) => {
    const choice = known.find((one) => one === each.trim());
    if (choice === undefined) {
      throw invalid(`${option} has ${each}; expected one or more of ${known.join(', ')}.`);
    }
    return choice;
  });
}

function invalid(message: string, cause?: unknown): QuireError {
  return new QuireError('INVALID_PARAMETER', message, { cause });
}
