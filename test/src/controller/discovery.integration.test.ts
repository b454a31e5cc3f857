import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FaultProxy } from '../testkit/servers/fault-proxy.ts';
import { TestBroker } from '../testkit/broker-server.ts';
import { cannedEngine, cannedRestreams } from '../testkit/canned-tables.ts';
import { TestController } from '../testkit/controller-server.ts';

/** The calls by which the clients of Apache Pinot find brokers and tables. */

let one: TestBroker;
let other: TestBroker;
let silent: FaultProxy;
let controller: TestController;

beforeEach(async () => {
  one = await TestBroker.start({ listTables: async () => ['flights', 'trees'] });
  other = await TestBroker.start({ listTables: async () => ['flights'] });
  silent = await FaultProxy.start(one.address.port);
  silent.intercept = () => ({ kind: 'reset' });
  controller = await TestController.start([one.address.url, other.address.url, silent.endpoint]);
});

afterEach(async () => {
  for (const each of [controller, silent, other, one]) await each[Symbol.asyncDispose]();
});

const read = async (path: string): Promise<unknown> =>
  (await controller.call(path, { as: 'ann' })).json();
const brokerAt = ({ address: { port } }: TestBroker) => ({
  host: '127.0.0.1',
  port,
  instanceName: `Broker_127.0.0.1_${port}`,
});

test('tables go by their raw names, and their brokers are those that answer, or those that do not', async () => {
  const tables = { flights: [brokerAt(one), brokerAt(other)], trees: [brokerAt(one)] };
  expect(await read('/v2/brokers/tables')).toEqual(tables);
  expect(await read('/v2/brokers/tables?state=online')).toEqual(tables);
  expect(await read('/v2/brokers/tables/flights')).toEqual(tables.flights);
  expect(await read('/tables/livebrokers')).toEqual({
    flights_OFFLINE: tables.flights,
    trees_OFFLINE: tables.trees,
  });
  expect(await read('/v2/brokers')).toEqual({ tenants: { DefaultTenant: tables.flights }, tables });
  const port = Number(new URL(silent.endpoint).port);
  const name = `Broker_127.0.0.1_${port}`;
  const down = [{ host: '127.0.0.1', port, instanceName: name }];
  // A broker that does not answer may have any table.
  expect(await read('/v2/brokers/tables?state=OFFLINE')).toEqual({ flights: down, trees: down });
  expect(await read('/brokers/tenants/DefaultTenant?state=OFFLINE')).toEqual([name]);
  expect(await read('/v2/brokers/tables?state=ODD')).toMatchObject({
    code: 400,
    reason: 'INVALID_PARAMETER',
  });
  expect(await read('/brokers/tables/rivers')).toMatchObject({
    code: 503,
    reason: 'BROKER_UNAVAILABLE',
  });
});

test('a controller that keeps no tables reads those of its brokers, and says where they could be kept', async () => {
  expect(await read('/tables/trees')).toMatchObject({ OFFLINE: { tableName: 'trees_OFFLINE' } });
  expect(await read('/schemas')).toEqual(['flights', 'trees']);
  expect(await read('/tableConfigs')).toEqual(['flights', 'trees']);
  expect(await read('/tenants')).toEqual({
    SERVER_TENANTS: ['DefaultTenant'],
    BROKER_TENANTS: ['DefaultTenant'],
  });
  expect(await read('/version')).toEqual({ quire: '1.2.3' });
  const { instances } = (await read('/instances')) as { readonly instances: readonly string[] };
  expect(instances).toContain(brokerAt(one).instanceName);
  expect(await read(`/instances/${instances[0]}`)).toMatchObject({
    type: 'BROKER',
    tags: ['DefaultTenant'],
    enabled: true,
  });
  expect(await answerTo(controller, '/schemas', 'POST', { schemaName: 'a' })).toEqual([
    501,
    'UNSUPPORTED',
  ]);
});

interface Recorded {
  readonly path: string;
  readonly status: number;
  readonly answer?: unknown;
}

/** The calls whose answer intentionally differs from Apache Pinot's. */
const otherwise: Readonly<Record<string, number>> = {
  '/v2/brokers?state=ODD': 400, // answers as without state
  '/tables/livebrokers?tables=': 400, // 404
  '/tables/flights/instances?type=odd': 400, // none
  '/tenants?type=odd': 400, // none
  '/tables?type=odd': 400, // 500
};

test('answers are those that Apache Pinot 1.5.1 gave with the same tables', async () => {
  const file = join(import.meta.dirname, 'fixtures/pinot-discovery.json');
  const recorded = JSON.parse(await readFile(file, 'utf8')) as readonly Recorded[];
  const server = {
    instanceName: 'Server_127.0.0.1_<server>',
    kind: 'SERVER',
    host: '127.0.0.1',
    port: 0,
  } as const;
  const engine = {
    ...cannedEngine,
    listTables: async () => [],
    listInstances: async () => [{ ...server, tenants: ['DefaultTenant'], isEnabled: true }],
    listTenants: async () => ({
      brokerTenants: ['DefaultTenant'],
      serverTenants: ['DefaultTenant'],
    }),
  };
  await using alike = await TestController.start([one.address.url], {
    tables: { engine, restreams: cannedRestreams },
  });
  const mask = (text: string): unknown =>
    JSON.parse(
      text
        .replaceAll(`_${one.address.port}`, '_<broker>')
        .replaceAll(`:${one.address.port},`, ':"<broker>",'),
    );
  for (const { path, status, answer } of recorded) {
    const ours = await alike.call(path);
    const text = await ours.text();
    expect([path, ours.status, text]).toEqual([path, otherwise[path] ?? status, text]);
    // The one server here has all tables; a server of Apache Pinot has those whose segments it has.
    const isComparable = ours.status === 200 && !/instances(?:$|\?type=server)/.test(path);
    expect([path, isComparable ? mask(text) : answer]).toEqual([path, answer]);
  }
});

test('the tables are those of all brokers that answer', async () => {
  expect(await read('/tables')).toEqual({ tables: ['flights', 'trees'] });
});

test('a table that one broker has is described', async () => {
  expect(await read('/tables/trees/schema')).toMatchObject({ schemaName: 'trees' });
});

test('a table that no broker has is only said not to be there when all have answered', async () => {
  expect(await read('/tables/rivers/schema')).toMatchObject({
    code: 503,
    reason: 'BROKER_UNAVAILABLE',
  });
  await using whole = await TestController.start([one.address.url, other.address.url]);
  const answer = await whole.call('/tables/rivers/schema', { as: 'ann' });
  expect(await answer.json()).toEqual({
    code: 404,
    error: 'There is no such table.',
    reason: 'TABLE_NOT_FOUND',
  });
});

/** Returns the relevant part of an answer. */
async function answerTo(
  of: TestController,
  path: string,
  method = 'GET',
  body?: object,
): Promise<unknown> {
  const answer = await of.call(path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { reason, ...read } = (await answer.json()) as { readonly reason?: string };
  return answer.status === 200 ? read : [answer.status, reason];
}

test('tables that brokers read from files are OFFLINE tables among those of the engine, and cannot be changed', async () => {
  await using kept = await TestController.start([one.address.url, silent.endpoint], {
    tables: { engine: cannedEngine, restreams: cannedRestreams },
  });
  const read = (path: string) => answerTo(kept, path);
  expect(await read('/tables')).toEqual({ tables: ['flights', 'orders', 'trees'] });
  expect(await read('/tables/flights')).toEqual({
    OFFLINE: {
      tableName: 'flights_OFFLINE',
      tableType: 'OFFLINE',
      metadata: { customConfigs: { readOnly: 'true', configuredBy: 'engine.table.flights.path' } },
    },
  });
  expect(await read('/tableConfigs/trees')).toMatchObject({
    tableName: 'trees',
    schema: { schemaName: 'trees' },
    realtime: null,
  });
  expect(await read('/schemas/trees')).toMatchObject({ schemaName: 'trees' });
  expect(await read('/tables/flights_OFFLINE/size')).toMatchObject({
    tableName: 'flights',
    reportedSizeInBytes: 0,
  });
  expect(await read('/segments/flights')).toEqual({ 0: { OFFLINE: [] } });
  expect(await read('/tables/orders')).toMatchObject({ OFFLINE: { tableName: 'orders_OFFLINE' } });

  const config = { tableName: 'flights', tableType: 'OFFLINE' };
  const schema = { schemaName: 'flights' };
  for (const [method, path, body] of [
    ['PUT', '/tables/flights', config],
    ['DELETE', '/tables/flights', undefined],
    ['DELETE', '/tables/flights_OFFLINE', undefined],
    ['PUT', '/schemas/flights', schema],
    ['DELETE', '/schemas/flights', undefined],
    ['PUT', '/tableConfigs/flights', { tableName: 'flights', schema, offline: config }],
    ['DELETE', '/tableConfigs/flights', undefined],
    [
      'POST',
      '/ingestFromURI?tableNameWithType=flights_OFFLINE&sourceURIStr=file:///in/a.csv',
      undefined,
    ],
    ['POST', '/tasks/execute', { taskType: 'MergeRollupTask', tableName: 'flights_OFFLINE' }],
    ['POST', '/tasks/schedule?tableName=flights_OFFLINE', undefined],
  ] as const) {
    expect([method, path, await answerTo(kept, path, method, body)]).toEqual([
      method,
      path,
      [409, 'CONFLICT'],
    ]);
  }
  expect(await answerTo(kept, '/tables', 'POST', config)).toEqual([409, 'TABLE_EXISTS']);
  expect(await answerTo(kept, '/tables', 'POST', { ...config, tableType: 'REALTIME' })).toEqual([
    409,
    'TABLE_EXISTS',
  ]);
  expect(await answerTo(kept, '/schemas', 'POST', schema)).toEqual([409, 'SCHEMA_EXISTS']);
});
