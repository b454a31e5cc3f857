import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import type { CursorResponse, QueryResponse } from '@quire/api';
import { QuireError } from '@quire/core';
import { type FaultCall, faultOn, noFaults } from '@quire/core/testing';
import { expect, test } from 'vitest';
import {
  type LogLine,
  recordingLogger,
  untilLogged,
} from '../../../test/src/testkit/broker-log.ts';
import { TestBroker } from '../../../test/src/testkit/broker-server.ts';

const unavailable = new QuireError(
  'STORE_UNAVAILABLE',
  'put s3://secret-bucket/key failed: connect ECONNREFUSED 10.0.0.7.',
);

/** Flips a bit in the data of a result, in its second half. */
async function damage(broker: TestBroker): Promise<void> {
  const key = (await broker.objectKeys()).find((name) => name.endsWith('data.arrow')) ?? '';
  await using object = await broker.store.get(key);
  const bytes = Buffer.concat(await Array.fromAsync(object.body));
  const position = Math.floor(bytes.length * 0.6);
  bytes[position] = (bytes[position] ?? 0) ^ 1;
  await broker.store.put(key, bytes);
}

/** Sends a GET whose response the test reads by itself. */
function open(
  broker: TestBroker,
  path: string,
  headers = {},
): Promise<{ call: ClientRequest; response: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    const call = request(`${broker.address.url}${path}`, {
      headers: { authorization: 'Bearer ann-token', ...headers },
    });
    call.on('response', (response) => resolve({ call, response }));
    call.on('error', reject);
    call.end();
  });
}

/** Reads a response until it ends or the connection breaks. */
function drain(response: IncomingMessage): Promise<{ text: string; isWhole: boolean }> {
  return new Promise((resolve) => {
    let text = '';
    response.on('data', (chunk: Buffer) => (text += chunk.toString()));
    response.on('error', () => undefined); // `complete` reports the failure as well
    response.on('close', () => resolve({ text, isWhole: response.complete }));
  });
}

test.each(['json', 'csv', 'ndjson', 'arrow'])(
  'a page that turns out damaged in its middle breaks the connection (%s)',
  async (format) => {
    const log: LogLine[] = [];
    await using broker = await TestBroker.start({ logger: recordingLogger(log) });
    const requestId = await broker.stored(100_000);
    await damage(broker);
    for (const encoding of ['identity', 'gzip']) {
      const target = `/query/${requestId}/results?offset=0&numRows=100000&format=${format}`;
      const { response } = await open(broker, target, { 'accept-encoding': encoding });
      expect(response.statusCode).toBe(200);
      expect((await drain(response)).isWhole).toBe(false);
    }
    const damaged = await broker.call(
      `/query/${requestId}/results?offset=60000&numRows=5000&format=${format}`,
    );
    expect(damaged.status).toBe(500);
    expect(damaged.headers.get('etag')).toBeNull();
    expect(damaged.json()).toEqual({
      code: 500,
      error: `The stored result is damaged. The log has details of call ${damaged.headers.get('x-request-id')}.`,
      reason: 'RESULT_CORRUPT',
    });
    expect(
      (await broker.call(`/query/${requestId}/results?offset=0&numRows=1000&format=${format}`))
        .status,
    ).toBe(200);
    const broken = log.filter(({ msg }) => msg === 'call aborted');
    expect(broken.map(({ status, route }) => ({ status, route }))).toEqual([
      { status: 500, route: '/query/:requestId/results' },
      { status: 500, route: '/query/:requestId/results' },
    ]);
  },
);

test('a store that cannot be read gives 503, and says nothing of where it is', async () => {
  await using broker = await TestBroker.start();
  const requestId = await broker.stored(100);
  broker.faults.plan = faultOn('get', { kind: 'fail-before', error: unavailable });
  const answer = await broker.call(`/query/${requestId}/results?offset=0`);
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(answer.json()).toEqual({
    code: 503,
    error: `The result store does not answer; try again. The log has details of call ${answer.headers.get('x-request-id')}.`,
    reason: 'STORE_UNAVAILABLE',
  });
});

test.each([
  ['STORE_FULL', 245, 'The result store is full.'],
  [
    'STORE_UNAVAILABLE',
    450,
    'The result store does not answer; try again. The log has details of call ID.',
  ],
] as const)(
  'a query whose answer cannot be stored (%s) gives exception %i and keeps nothing',
  async (code, errorCode, message) => {
    await using broker = await TestBroker.start();
    const error = new QuireError(code, 'put file:///srv/secret failed.');
    for (const suffix of ['.arrow', '.json']) {
      broker.faults.plan = ({ op, key }: FaultCall) =>
        op === 'put' && key.endsWith(suffix) ? { kind: 'fail-before', error } : undefined;
      const body = (await broker.query('rows 5000', '?doPaginate=true')).json<QueryResponse>();
      expect(body.exceptions).toEqual([
        { errorCode, message: message.replace('ID', body.requestId) },
      ]);
      broker.faults.plan = noFaults;
      expect(await broker.objectKeys()).toEqual([]);
    }
  },
);

test('a query whose first page cannot be read keeps nothing', async () => {
  await using broker = await TestBroker.start();
  broker.faults.plan = faultOn('get', { kind: 'fail-before', error: unavailable });
  const answer = await broker.query('rows 5000', '?doPaginate=true');
  expect(answer.status).toBe(503);
  await broker.untilStoreIsEmpty();
});

test('a store that holds no more than it should is said to be full', async () => {
  await using broker = await TestBroker.start({}, { resultBytesMax: 10_000 });
  const body = (await broker.query('rows 5000', '?doPaginate=true')).json<QueryResponse>();
  expect(body.exceptions[0]?.errorCode).toBe(245);
  expect(await broker.objectKeys()).toEqual([]);
});

test('a result that cannot be deleted after a plain query is left to its expiration', async () => {
  const log: LogLine[] = [];
  await using broker = await TestBroker.start({ logger: recordingLogger(log) });
  broker.faults.plan = faultOn('delete', { kind: 'fail-before', error: unavailable });
  expect((await broker.query('rows 10')).json().exceptions).toEqual([]);
  await untilLogged(
    log,
    'the result of an ended call could not be deleted; the cleaner will delete it when it expires',
  );
  expect((await broker.objectKeys()).length).toBeGreaterThan(0);
});

test.each(['hang', 'rows 5000 then hang'])(
  'a client that hangs up in mid-query (%s) cancels it and leaves nothing',
  async (sql) => {
    await using broker = await TestBroker.start();
    for (const parameters of ['', '?doPaginate=true']) {
      const abort = new AbortController();
      const call = broker.query(sql, parameters, { signal: abort.signal }).catch(() => 'gone');
      await broker.engine.untilHanging();
      abort.abort();
      expect(await call).toBe('gone');
      await broker.engine.untilIdle();
      await broker.untilStoreIsEmpty();
    }
  },
);

test('a client that hangs up while its query waits leaves the queue', async () => {
  await using broker = await TestBroker.start({ queriesRunningMax: 1, queriesQueuedMax: 1 });
  const [running, waiting] = [new AbortController(), new AbortController()];
  const first = broker.query('hang', '', { signal: running.signal }).catch(() => 'gone');
  await broker.engine.untilHanging();
  const second = broker.query('rows 1', '', { signal: waiting.signal }).catch(() => 'gone');
  await broker.untilQueued(1);
  waiting.abort();
  await second;
  await broker.untilQueued(0);
  expect(broker.engine.queries.length).toBe(1);
  running.abort();
  await first;
});

test.each(['identity', 'gzip'])(
  'a client that hangs up in mid-page releases the reader (%s)',
  async (encoding) => {
    const log: LogLine[] = [];
    await using broker = await TestBroker.start({ logger: recordingLogger(log) });
    const requestId = await broker.stored(300_000);
    const target = `/query/${requestId}/results?offset=0&numRows=300000`;
    broker.endedCalls.length = 0;
    const { call, response } = await open(broker, target, { 'accept-encoding': encoding });
    await new Promise((resolve) => response.once('data', resolve));
    response.on('error', () => undefined); // we break it ourselves
    call.destroy();
    await untilLogged(log, 'call aborted');
    await broker.broker.close();
    expect(broker.endedCalls.map(({ op, outcome }) => `${op} ${outcome}`)).toEqual([
      'get abandoned',
    ]);
    expect(log.find(({ msg }) => msg === 'call aborted')).toMatchObject({
      status: 499,
      principal: 'ann',
    });
  },
);

test('a client that hangs up in mid-page of its query keeps no result that nobody knows of', async () => {
  await using broker = await TestBroker.start();
  for (const parameters of ['', '?doPaginate=true&numRows=300000']) {
    const socket = connect(broker.address.port, broker.address.host);
    const body = '{"sql":"rows 300000"}';
    const head = `Host: b\r\nAuthorization: Bearer ann-token\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    socket.write(`POST /query/sql${parameters} HTTP/1.1\r\n${head}\r\n\r\n${body}`);
    await new Promise((resolve) => socket.once('data', resolve));
    expect((await broker.objectKeys()).length).toBe(2);
    socket.destroy();
    await broker.untilStoreIsEmpty();
  }
});

test('a client that takes nothing of its page is given up', async () => {
  const log: LogLine[] = [];
  await using broker = await TestBroker.start({
    logger: recordingLogger(log),
    stallTimeoutMs: 60_000,
  });
  const requestId = await broker.stored(300_000);
  const socket = connect(broker.address.port, broker.address.host);
  socket.on('error', () => undefined); // the server resets the connection
  socket.pause();
  const head = 'Host: b\r\nAuthorization: Bearer ann-token';
  socket.write(
    `GET /query/${requestId}/results?offset=0&numRows=300000 HTTP/1.1\r\n${head}\r\n\r\n`,
  );
  while (!log.some(({ msg }) => msg.startsWith('call ended: the client received nothing'))) {
    await broker.clock.advance(15_000);
  }
  expect(broker.endedCalls.at(-1)).toMatchObject({ op: 'get', outcome: 'abandoned' });
  socket.destroy();
});

test('a result that is deleted while a page of it is read gives the whole page or none', async () => {
  await using broker = await TestBroker.start();
  const requestId = await broker.stored(300_000);
  const { response } = await open(broker, `/query/${requestId}/results?offset=0&numRows=300000`);
  const deleted = await broker.call(`/query/resultStore/${requestId}`, { method: 'DELETE' });
  expect(deleted.status).toBe(200);
  const { text, isWhole } = await drain(response);
  expect(rowCountOf(text)).toBe(isWhole ? 300_000 : undefined);
});

/** Rows of a cursor response; undefined when the text is not JSON. */
function rowCountOf(text: string): number | undefined {
  try {
    return (JSON.parse(text) as CursorResponse).resultTable.rows.length;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
