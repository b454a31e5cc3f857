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
  one = await TestBroker.start({ tables: ['flights', 'trees'] });
  other = await TestBroker.start({ tables: ['flights'] });
  silent = await FaultProxy.start(one.address.port);
  silent.intercept = () => ({ kind: 'reset' });
  controller = await TestController.start([one.address.url, other.address.url, silent.endpoint]);
});

afterEach(async () => {
  for (const each of [controller, silent, other, one]) await each[Symbol.asyncDispose]();
});

const read = async (path: string): Promise<unknown> => (await controller.call(path, { as: 'ann' })).json();
const brokerAt = ({ address: { port } }: TestBroker) => ({ host: '127.0.0.1', port, instanceName: `Broker_127.0.0.1_${port}` });

test.each(['/v2/brokers/tables?state=ONLINE', '/tables/livebrokers'])('%s tells which brokers have which table', async (path) => {
  expect(await read(path)).toEqual({
    flights_OFFLINE: [brokerAt(one), brokerAt(other)],
    trees_OFFLINE: [brokerAt(one)],
  });
});

test('the brokers of any tenant are all that answer', async () => {
  expect(await read('/v2/brokers/tenants/DefaultTenant')).toEqual([brokerAt(one), brokerAt(other)]);
});

test('the tables are those of all brokers that answer', async () => {
  expect(await read('/tables')).toEqual({ tables: ['flights', 'trees'] });
});

test('a table that one broker has is described', async () => {
  expect(await read('/tables/trees/schema')).toMatchObject({ schemaName: 'trees' });
});

test('a table that no broker has is only said not to be there when all have answered', async () => {
  expect(await read('/tables/rivers/schema')).toMatchObject({ code: 503, reason: 'BROKER_UNAVAILABLE' });
  await using whole = await TestController.start([one.address.url, other.address.url]);
  const answer = await whole.call('/tables/rivers/schema', { as: 'ann' });
  expect(await answer.json()).toEqual({ code: 404, error: 'There is no such table.', reason: 'TABLE_NOT_FOUND' });
});

/** What a caller reads of an answer. */
async function answerTo(of: TestController, path: string, method = 'GET', body?: object): Promise<unknown> {
  const answer = await of.call(path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
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
  expect(await read('/tables/flights_OFFLINE/size')).toMatchObject({ tableName: 'flights', reportedSizeInBytes: 0 });
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
    ['POST', '/ingestFromURI?tableNameWithType=flights_OFFLINE&sourceURIStr=file:///in/a.csv', undefined],
    ['POST', '/tasks/execute', { taskType: 'MergeRollupTask', tableName: 'flights_OFFLINE' }],
    ['POST', '/tasks/schedule?tableName=flights_OFFLINE', undefined],
  ] as const) {
    expect([method, path, await answerTo(kept, path, method, body)]).toEqual([method, path, [409, 'CONFLICT']]);
  }
  expect(await answerTo(kept, '/tables', 'POST', config)).toEqual([409, 'TABLE_EXISTS']);
  expect(await answerTo(kept, '/tables', 'POST', { ...config, tableType: 'REALTIME' })).toEqual([409, 'TABLE_EXISTS']);
  expect(await answerTo(kept, '/schemas', 'POST', schema)).toEqual([409, 'SCHEMA_EXISTS']);
});
