import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CursorResponse, ErrorBody } from '@quire/api';
import { CliProcess, startServer, testVariables, writeSettings } from '../testkit/cli-process.ts';

/** A server of a cluster in a process of its own. */
export interface ClusterServer extends AsyncDisposable {
  readonly process: CliProcess;
  readonly url: string;
}

/**
 * Limits that suffice on slow machines and cost no time if all is well, for proxies and controllers
 * of these tests.
 */
const watchfulProxy = [
  'proxy.port=0',
  'proxy.health.interval=200ms',
  'proxy.health.timeout=5s',
  'proxy.health.failures=2',
  'proxy.timeout.answer=60s',
];

async function start(
  role: 'proxy' | 'controller',
  config: string,
  settings: readonly string[],
): Promise<ClusterServer> {
  const sets = settings.flatMap((setting) => ['--set', setting]);
  const process = new CliProcess(['start', '--roles', role, '--config', config, ...sets], {
    variables: testVariables,
  });
  const [, url = ''] = await process.untilPrinted(new RegExp(`${role} +(http:\\S+)[^]*Ctrl-C`));
  return { process, url, [Symbol.asyncDispose]: () => process[Symbol.asyncDispose]() };
}

/**
 * A broker with a directory of its own, in which nothing is deleted before the controller requests
 * it.
 */
export async function startFileBroker(
  directory: string,
  name: string,
): Promise<ClusterServer & { readonly data: string }> {
  const own = join(directory, name);
  await mkdir(own);
  const config = await writeSettings(
    own,
    [
      'engine.broker.pagination.protocol = file',
      'engine.broker.pagination.file.data.dir = results',
      'controller.cluster.pagination.cleaner.frequencyPeriod = 365d',
      'controller.cluster.pagination.cleaner.initialDelay = 365d',
      '',
    ].join('\n'),
  );
  const { server, url } = await startServer(['--config', config]);
  return {
    process: server,
    url,
    data: join(own, 'results'),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** A proxy in front of brokers. */
export function startProxy(
  config: string,
  brokers: readonly string[],
  settings: readonly string[] = [],
): Promise<ClusterServer> {
  return start('proxy', config, [
    `proxy.brokers=${brokers.join(',')}`,
    ...watchfulProxy,
    ...settings,
  ]);
}

/** A controller whose expiry job runs each second. */
export function startController(
  config: string,
  brokers: readonly string[],
): Promise<ClusterServer> {
  return start('controller', config, [
    `controller.brokers=${brokers.join(',')}`,
    'controller.port=0',
    'controller.broker.timeout=1s',
    'controller.cluster.pagination.cleaner.frequencyPeriod=1s',
    'controller.cluster.pagination.cleaner.initialDelay=0s',
    'controller.admin.auth.token=admin-token',
  ]);
}

export interface ClusterCall {
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response to a call of the tests' admin; the body is parsed if it is JSON. */
export interface ClusterAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly page: CursorResponse;
  readonly error: ErrorBody;
}

export async function callCluster(
  url: string,
  { method = 'GET', body, headers }: ClusterCall = {},
): Promise<ClusterAnswer> {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: 'Bearer admin-token',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = (): unknown => JSON.parse(text);
  return {
    status: response.status,
    headers: response.headers,
    text,
    get page() {
      return json() as CursorResponse;
    },
    get error() {
      return json() as ErrorBody;
    },
  };
}

/**
 * Runs a query whose rows are 0, 1, 2 …, and stores its result. @throws Error when it is not
 * answered with 200
 */
export async function submitNumbers(
  url: string,
  rowCount: number,
  pageRowCount: number,
): Promise<CursorResponse> {
  const path = `/query/sql?doPaginate=true&numRows=${pageRowCount}`;
  const body = { sql: `SELECT range AS n FROM range(${rowCount})` };
  const answer = await callCluster(`${url}${path}`, { method: 'POST', body });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.page;
}
