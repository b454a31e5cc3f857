import { afterEach, beforeEach, expect, test } from 'vitest';
import { FaultProxy } from '../servers/fault-proxy.ts';
import { TestBroker } from './broker-server.ts';
import { TestController } from './controller-server.ts';

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
