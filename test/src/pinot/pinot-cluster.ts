import { isQuireError, systemClock, systemRandom } from '@quire/core';
import type { TableConfigDocument, TableCreated, TableEngine } from '@quire/core/table-engine';
import { PinotEngine, type PinotEngineOptions, PinotTableEngine } from '@quire/engine-pinot';
import type { PinotAddress } from '../testkit/servers/pinot-server.ts';
import { sharedServers } from './shared-servers.ts';
import { until } from '../testkit/until.ts';

/** The timeout of actions that a cluster performs at its own pace. */
/** The cluster that all suites share. Throws if there is none. */
export function sharedCluster(): PinotAddress {
  const { pinot: address } = sharedServers;
  if (address === null) throw new Error('There is no Apache Pinot.');
  return address;
}

/** Returns the options of an engine for a cluster; some may be overridden. */
export function engineOptions(
  address: PinotAddress,
  changed: Partial<PinotEngineOptions> = {},
): PinotEngineOptions {
  return {
    clock: systemClock,
    random: systemRandom,
    controllerUrls: [address.controllerUrl],
    authorization: { authorization: async () => address.authorization },
    connectTimeoutMs: 5_000,
    refreshMs: 1_000,
    avoidMs: 10_000,
    isUnlimited: false,
    isSegmentBySegment: false,
    ...changed,
  };
}

/** Sends a request to the controller. Throws if the controller refuses it. */
export async function tellController(
  address: PinotAddress,
  method: string,
  path: string,
  body?: object | FormData,
): Promise<string> {
  const isForm = body instanceof FormData;
  const response = await fetch(`${address.controllerUrl}${path}`, {
    method,
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    ...(body !== undefined && !isForm && { headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${text}`);
  return text;
}

/**
 * A loaded table with rows, as objects or as JSON, in as many segments as there are groups of them.
 */
export async function loadTable(
  address: PinotAddress,
  schema: { readonly schemaName: string; readonly [member: string]: unknown },
  segments: readonly (readonly (object | string)[])[],
  config: object = {},
): Promise<void> {
  const { schemaName: name } = schema;
  await tellController(address, 'POST', '/schemas', schema);
  const table = {
    tableName: `${name}_OFFLINE`,
    tableType: 'OFFLINE',
    segmentsConfig: { replication: '1' },
    tenants: {},
    tableIndexConfig: {},
    metadata: {},
  };
  await tellController(address, 'POST', '/tables', { ...table, ...config });
  const batchConfig = encodeURIComponent(JSON.stringify({ inputFormat: 'json' }));
  for (const rows of segments) {
    const form = new FormData();
    form.append(
      'file',
      new Blob([
        rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join(''),
      ]),
      'rows.json',
    );
    await tellController(
      address,
      'POST',
      `/ingestFromFile?tableNameWithType=${name}_OFFLINE&batchConfigMapStr=${batchConfig}`,
      form,
    );
  }
  const rowCount = segments.flat().length;
  await until(async () => (await count(address, name)) === rowCount, `${name} has its rows`);
}

/** The rows that queries see; undefined while the cluster cannot be queried. */
export async function count(address: PinotAddress, tableName: string): Promise<number | undefined> {
  const response = await fetch(`${address.brokerUrl}/query/sql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: address.authorization },
    body: JSON.stringify({ sql: `SELECT count(*) FROM ${tableName}` }),
  });
  const answer = (await response.json()) as {
    readonly resultTable?: { readonly rows: readonly (readonly number[])[] };
  };
  return answer.resultTable?.rows[0]?.[0];
}

/** Returns what a cluster knows about a real-time table whose rows do not appear. */
export async function describeTable(address: PinotAddress, rawName: string): Promise<string> {
  const { authorization, brokerUrl, controllerUrl } = address;
  const headers = { 'content-type': 'application/json', authorization };
  const body = JSON.stringify({ sql: `SELECT count(*) FROM ${rawName}` });
  const answers = await Promise.all([
    fetch(`${brokerUrl}/query/sql`, { method: 'POST', headers, body }),
    ...['OFFLINE', 'REALTIME'].map((type) =>
      fetch(`${brokerUrl}/debug/routingTable/${rawName}_${type}`, { headers }),
    ),
    ...[
      `${rawName}/idealstate`,
      `${rawName}/externalview`,
      `${rawName}_REALTIME/consumingSegmentsInfo`,
      `${rawName}/instances`,
    ].map((path) => fetch(`${controllerUrl}/tables/${path}`, { headers })),
  ]);
  const texts = await Promise.all(
    answers.map(async (answer) => `${answer.url}: ${(await answer.text()).slice(0, 2000)}`),
  );
  return texts.join('\n');
}

/**
 * The tables of a cluster, which are routed once they are created. If a table is deleted while a
 * broker of Apache Pinot 1.5.1 builds its routing, the broker keeps it, and then fails to build
 * that of the other half of a later table of this name.
 */
export class RoutedTables extends PinotTableEngine {
  readonly #address: PinotAddress;

  constructor(address: PinotAddress) {
    super(engineOptions(address));
    this.#address = address;
  }

  override async createTable(
    config: TableConfigDocument,
    options?: Parameters<PinotTableEngine['createTable']>[1],
  ): Promise<TableCreated> {
    const created = await super.createTable(config, options);
    const { tableNameWithType: name } = created;
    await until(() => isRouted(this.#address, name), `the broker routes ${name}`);
    return created;
  }
}

/** Reports whether the broker has a routing of a table. */
async function isRouted(address: PinotAddress, tableNameWithType: string): Promise<boolean> {
  const { brokerUrl, authorization } = address;
  const url = `${brokerUrl}/debug/routingTable/${tableNameWithType}`;
  const response = await fetch(url, { headers: { authorization } });
  const text = await response.text();
  if (response.ok || response.status === 404) return response.ok;
  throw new Error(`GET ${url}: HTTP ${response.status} ${text}`);
}

/** An engine on the shared cluster. */
export function openEngine(changed: Partial<PinotEngineOptions> = {}): PinotEngine {
  return new PinotEngine(engineOptions(sharedCluster(), changed));
}

/**
 * Deletes both halves of a table and its schema, if they exist, and waits until the servers have
 * released them, and the broker does not route them.
 */
export async function dropTable(
  address: PinotAddress,
  engine: TableEngine,
  rawName: string,
): Promise<void> {
  for (const call of [
    () => engine.deleteTable(`${rawName}_OFFLINE`),
    () => engine.deleteTable(`${rawName}_REALTIME`),
    () => engine.deleteSchema(rawName),
  ]) {
    await call().catch((error: unknown) => {
      if (!isQuireError(error, 'TABLE_NOT_FOUND', 'SCHEMA_NOT_FOUND')) throw error;
    });
  }
  await until(
    async () =>
      (await fetch(`${address.controllerUrl}/tables/${rawName}/externalview`)).status === 404,
    `${rawName} is dropped`,
  );
  for (const name of [`${rawName}_OFFLINE`, `${rawName}_REALTIME`]) {
    await until(async () => !(await isRouted(address, name)), `the broker does not route ${name}`);
  }
}
