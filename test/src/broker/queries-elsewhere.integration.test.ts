import type { ErrorBody, RunningQueryList } from '@quire/api';
import { QuireError } from '@quire/core';
import { FaultStore, faultOn } from '@quire/core/testing';
import { MemoryObjectStore } from '@quire/core/memory';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TestBroker } from '../testkit/broker-server.ts';
import { startBroker } from '../testkit/proxy-server.ts';

/** Two brokers of one store, as in a bucket: pages of stored results name neither. */
let runner: TestBroker;
let peer: TestBroker;
let store: FaultStore;

const isAsync = '?doPaginate=true&async=true&numRows=100';

beforeEach(async () => {
  store = new FaultStore(new MemoryObjectStore({ sizeMaxBytes: 1e7 }));
  const shared = { advertised: undefined, storeLocation: 's3://results' };
  runner = await startBroker(
    'one',
    { ...shared, hostName: 'one.example' },
    { store, isShared: true },
  );
  peer = await startBroker(
    'two',
    { ...shared, hostName: 'two.example' },
    { store, isShared: true },
  );
});

afterEach(async () => {
  for (const { requestId } of (
    await runner.call('/queries', { as: 'root' })
  ).json<RunningQueryList>().queries) {
    await runner.call(`/query/${requestId}`, { method: 'DELETE', as: 'root' });
  }
  for (const each of [runner, peer]) await each[Symbol.asyncDispose]();
});

async function keys(): Promise<string[]> {
  return (await Array.fromAsync(store.list(''))).map(({ key }) => key);
}

async function marks(): Promise<string[]> {
  return (await keys()).filter((key) => key.endsWith('/running.json'));
}

/** The work after the end of a query may take a moment longer than its answer. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
}

test('a broker names the one that runs a query, until its result stands for both', async () => {
  const first = await runner.query('rows 3000 then wait', isAsync);
  const { requestId, brokerHost, brokerPort, state } = first.json();
  expect([state, brokerHost, brokerPort]).toEqual(['RUNNING', 'one.example', runner.address.port]);

  const body = {
    code: 421,
    error:
      `The query ${requestId} runs on broker one.example:${brokerPort}, and only that broker knows its progress; ` +
      'call that broker, or retry here after the query has ended.',
    reason: 'QUERY_ELSEWHERE',
    brokerHost: 'one.example',
    brokerPort,
  };
  for (const [path, method] of [
    ['', 'GET'],
    ['', 'DELETE'],
    ['/results?offset=0', 'GET'],
    ['/results?offset=0&format=csv', 'GET'],
    ['/metadata', 'GET'],
  ] as const) {
    const answer = await peer.call(`/query/${requestId}${path}`, { method });
    expect([answer.status, answer.json()]).toEqual([421, body]);
    expect(answer.headers.get('quire-broker-host')).toBe('one.example');
    expect(answer.headers.get('quire-broker-port')).toBe(String(brokerPort));
    expect((await peer.call(`/query/${requestId}${path}`, { method, as: 'bob' })).status).toBe(404);
  }
  for (const [path, method, more] of [
    [`/query/resultStore/${requestId}`, 'DELETE', {}],
    [`/query/resultStore/${requestId}`, 'PATCH', { body: '{"expiration":"1h"}' }],
  ] as const) {
    expect((await peer.call(path, { method, ...more })).status).toBe(421);
    expect((await peer.call(path, { method, ...more, as: 'bob' })).status).toBe(404);
  }
  const named = await peer.query(`SELECT * FROM result('${requestId}')`, '?doPaginate=true');
  expect(named.json<ErrorBody>()).toMatchObject({ code: 409, reason: 'CONFLICT' });
  expect((await runner.call(`/query/${requestId}`)).status).toBe(200);

  runner.engine.resume();
  await runner.call(`/query/${requestId}/results?offset=9000000&wait=10s`);
  const [here, there] = await Promise.all(
    [runner, peer].map((broker) => broker.call(`/query/${requestId}/results?offset=10&numRows=20`)),
  );
  expect([there?.status, there?.text]).toEqual([200, here?.text]);
  await until(async () => (await marks()).length === 0);
});

test('a failed query leaves no mark, and only the broker that ran it knows why', async () => {
  const { requestId } = (
    await runner.query('rows 3000 then wait then fail QUERY_FAILED', isAsync)
  ).json();
  runner.engine.resume();
  await runner.call(`/query/${requestId}/results?offset=9000000&wait=10s`);
  await until(async () => (await keys()).length === 0);
  expect((await runner.call(`/query/${requestId}/results?offset=0`)).json<ErrorBody>().reason).toBe(
    'QUERY_FAILED',
  );
  expect((await peer.call(`/query/${requestId}/results?offset=0`)).json<ErrorBody>().reason).toBe(
    'RESULT_NOT_FOUND',
  );
});

test('only queries that are read while they run are marked, and of those not the ones that are refused', async () => {
  const first = await runner.query('hang', `${isAsync}&wait=0s`);
  const plain = runner.query('hang', '?doPaginate=true');
  await runner.engine.untilHanging(2);
  const waiting = await runner.query('rows 1', `${isAsync}&wait=0s`);
  const refused = await runner.query('rows 1', `${isAsync}&wait=0s`);
  expect([first.status, waiting.status, refused.status]).toEqual([202, 202, 429]);
  const ids = [first, waiting].map((answer) => answer.json<{ requestId: string }>().requestId);
  expect(new Set((await marks()).map((key) => key.split('/')[1]))).toEqual(new Set(ids));
  expect((await peer.call(`/query/${ids[1]}`)).json<ErrorBody>().reason).toBe('QUERY_ELSEWHERE');
  for (const { requestId } of (
    await runner.call('/queries', { as: 'root' })
  ).json<RunningQueryList>().queries) {
    await runner.call(`/query/${requestId}`, { method: 'DELETE', as: 'root' });
  }
  await plain;
  await until(async () => (await keys()).length === 0);
});

test('a query goes on whose mark cannot be written', async () => {
  store.plan = faultOn('put', {
    kind: 'fail-before',
    error: new QuireError('STORE_UNAVAILABLE', 'Not now.'),
  });
  const first = await runner.query('hang', `${isAsync}&wait=0s`);
  await runner.engine.untilHanging();
  const { requestId } = first.json();
  expect(first.status).toBe(202);
  expect((await peer.call(`/query/${requestId}`)).status).toBe(404);
  expect((await runner.call(`/query/${requestId}`)).status).toBe(200);
});

test('a shutdown takes the marks away', async () => {
  const closing = await startBroker(
    'three',
    { advertised: undefined, hostName: 'three.example' },
    { store, isShared: true },
  );
  await closing.query('rows 3000 then hang', isAsync);
  expect(await marks()).toHaveLength(1);
  const closed = closing.broker.close();
  await closing.clock.advance(10_000);
  await closed;
  expect(await keys()).toEqual([]);
});
