import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startQuire } from '@quire/server';
import { type JsonValue, parseLosslessJson } from '@quire/core';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { sharedCluster } from './pinot-cluster.ts';

export interface QueryAnswer {
  readonly requestId: string;
  readonly numRowsResultSet: number;
  readonly nextOffsetParams: string | null;
  readonly resultTable: {
    readonly dataSchema: { readonly columnDataTypes: readonly string[] };
    readonly rows: readonly unknown[];
  };
  readonly exceptions: readonly { readonly errorCode: number; readonly message: string }[];
}

export interface QuireOnPinot extends AsyncDisposable {
  readonly brokerUrl: string;
  /** The broker by Arrow Flight SQL, if the settings give it a port. */
  readonly flightUrl: string;
  /** Calls the broker; a body makes it a POST. */
  send(path: string, body?: object): Promise<string>;
  query(sql: string, parameters?: string, body?: object): Promise<QueryAnswer>;
  /** Calls the broker as a principal that may only query. */
  queryAsReader(sql: string): Promise<QueryAnswer>;
  /** Returns the public health report of a service. */
  health(role: 'broker' | 'controller'): Promise<{ readonly [member: string]: JsonValue }>;
  /** Calls the controller. */
  tell(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: JsonValue }>;
}

const headers = { authorization: 'Bearer ann-token', 'content-type': 'application/json' };

/** `quire start` with broker and controller on the shared cluster. */
export function startOnPinot(more: Readonly<Record<string, string>> = {}): Promise<QuireOnPinot> {
  const { controllerUrl, authorization } = sharedCluster();
  return startQuireOn({
    'engine.pinot.controller.url': controllerUrl,
    'engine.pinot.auth.token': authorization,
    ...more,
  });
}

/** `quire start` with broker and controller on the cluster that the settings name. */
export async function startQuireOn(
  cluster: Readonly<Record<string, string>>,
): Promise<QuireOnPinot> {
  const directory = await temporaryDirectory();
  const settings = {
    'engine.broker.client.queryPort': '0',
    'controller.port': '0',
    'controller.restream.poll.period': '100ms',
    // A cold cluster on a busy machine may take minutes for its first query; the limit of the test
    // is enough.
    'engine.broker.query.timeout': '10m',
    'engine.broker.pagination.temp.dir': join(directory.path, 'temp'),
    'engine.tables.data.dir': join(directory.path, 'tables'),
    'engine.auth.principal.ann.role': 'admin',
    'engine.auth.principal.ann.token.env': 'QUIRE_TOKEN',
    'engine.auth.principal.bob.role': 'query',
    'engine.auth.principal.bob.token.env': 'QUIRE_READER_TOKEN',
    'engine.kind': 'pinot',
    ...cluster,
  };
  const file = join(directory.path, 'pinot.properties');
  const lines = Object.entries(settings).map(([key, value]) => `${key} = ${value}\n`);
  await writeFile(file, lines.join(''));
  const variables = { QUIRE_TOKEN: 'ann-token', QUIRE_READER_TOKEN: 'bob-token' };
  const running = await startQuire({
    file,
    roles: ['broker', 'controller'],
    variables,
    directory: directory.path,
  });
  const { broker, controller } = running.addresses;
  const send = async (path: string, body?: object): Promise<string> => {
    const init =
      body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    return (await fetch(`${broker?.url}${path}`, init)).text();
  };
  return {
    brokerUrl: broker?.url ?? '',
    flightUrl: broker?.endpointUrls?.[0] ?? '',
    send,
    query: async (sql, parameters = '', body = {}) =>
      parseLosslessJson(
        await send(`/query/sql${parameters}`, { sql, ...body }),
      ) as unknown as QueryAnswer,
    queryAsReader: async (sql) => {
      const response = await fetch(`${broker?.url}/query/sql`, {
        method: 'POST',
        headers: { ...headers, authorization: 'Bearer bob-token' },
        body: JSON.stringify({ sql }),
      });
      return (await response.json()) as QueryAnswer;
    },
    health: async (role) =>
      (await (await fetch(`${running.addresses[role]?.url}/health`)).json()) as {
        readonly [member: string]: JsonValue;
      },
    tell: async (method, path, body) => {
      const given = body === undefined ? { authorization: headers.authorization } : headers;
      const init = {
        method,
        headers: given,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      };
      const response = await fetch(`${controller?.url}${path}`, init);
      return { status: response.status, body: (await response.json()) as JsonValue };
    },
    async [Symbol.asyncDispose]() {
      await running.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}
