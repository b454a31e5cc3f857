import { mkdtempSync, readdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  CursorResponse,
  ErrorBody,
  MetadataResponse,
  QueryStatus,
  RunningQueryList,
} from '@quire/api';
import { QuireError } from '@quire/core';
import { faultOn, noFaults } from '@quire/core/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { scriptedRowsJson } from '../../../test/src/testkit/broker-engine.ts';
import { TestBroker } from '../../../test/src/testkit/broker-server.ts';
import type { Answer } from '../../../test/src/testkit/http-caller.ts';

const tempDirectory = mkdtempSync(join(tmpdir(), 'quire-growing-'));
let broker: TestBroker;

beforeAll(async () => {
  broker = await TestBroker.start({}, { tempDirectory });
});

afterEach(async () => {
  for (const { requestId } of (await list()).queries) {
    await broker.call(`/query/${requestId}`, { method: 'DELETE', as: 'root' });
  }
  await broker.engine.untilIdle();
  const left = readdirSync(tempDirectory);
  if (left.length > 0) {
    throw new Error(`There are still files of growing results: ${left.join(', ')}`);
  }
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
  await rm(tempDirectory, { recursive: true });
});

/** Starts a query; the response has the rows that exist by then. */
function start(
  sql: string,
  parameters = 'numRows=100',
  as: 'ann' | 'bob' = 'ann',
): Promise<Answer> {
  return broker.query(sql, `?doPaginate=true&async=true&${parameters}`, { as });
}

async function list(as: 'ann' | 'bob' | 'root' = 'root'): Promise<RunningQueryList> {
  return (await broker.call('/queries', { as })).json<RunningQueryList>();
}

async function statusOf(requestId: string): Promise<QueryStatus> {
  return (await broker.call(`/query/${requestId}`)).json<QueryStatus>();
}

/**
 * Waits until a query has ended, and with it every page that waits for more rows than the result
 * has.
 */
async function ended(requestId: string): Promise<void> {
  await broker.call(`/query/${requestId}/results?offset=9000000&wait=10s`);
}

function rowsOf(answer: Answer): string {
  return /"rows":(\[.*\])\},"requestId"/.exec(answer.text)?.[1] ?? answer.text;
}

test('the first page comes while the query runs, and others as far as their rows are there', async () => {
  const first = await start('rows 3000 then wait then rows 2000');
  const { requestId, resultTable, ...members } = first.json();
  expect(first.headers.get('quire-query-state')).toBe('RUNNING');
  expect(first.headers.get('cache-control')).toBe('no-store');
  expect(rowsOf(first)).toBe(scriptedRowsJson(0, 100));
  expect(resultTable.dataSchema.columnDataTypes).toEqual(['INT', 'LONG', 'STRING']);
  expect(members).toMatchObject({
    state: 'RUNNING',
    offset: 0,
    numRows: 100,
    nextOffsetParams: 'offset=100&numRows=100',
    prevOffsetParams: null,
    brokerHost: 'broker.example',
    exceptions: [],
  });
  const status = await statusOf(requestId);
  expect(status).toMatchObject({ requestId, state: 'RUNNING', exceptions: [] });
  expect(status.numRowsResultSet).toBeGreaterThanOrEqual(members.numRowsResultSet);
  expect(status.sizeBytes).toBeGreaterThan(0);
  const page = await broker.call(`/query/${requestId}/results?offset=900&numRows=200`);
  expect(rowsOf(page)).toBe(scriptedRowsJson(900, 1100));
  expect(page.headers.get('etag')).toBeNull();

  // The answers while rows are missing: some rows or none, and the link to the next ones.
  await broker.call(`/query/${requestId}/results?offset=0&numRows=2500&wait=10s`);
  const { numRowsResultSet: there } = await statusOf(requestId);
  const short = await broker.call(
    `/query/${requestId}/results?offset=${there - 10}&numRows=100&wait=0s`,
  );
  expect(rowsOf(short)).toBe(scriptedRowsJson(there - 10, there));
  expect(short.json()).toMatchObject({
    numRows: 10,
    nextOffsetParams: `offset=${there}&numRows=100`,
    state: 'RUNNING',
  });
  const none = await broker.call(`/query/${requestId}/results?offset=4000&wait=0s`);
  expect(none.json()).toMatchObject({
    numRows: 0,
    offset: 4000,
    nextOffsetParams: 'offset=4000&numRows=100',
  });

  // A call that waits is answered as soon as the rows exist.
  const waiting = broker.call(`/query/${requestId}/results?offset=4900&numRows=100&wait=10s`);
  broker.engine.resume();
  expect(rowsOf(await waiting)).toBe(scriptedRowsJson(4900, 5000));
  await ended(requestId);
  const last = await broker.call(`/query/${requestId}/results?offset=4900&numRows=100`);
  expect(rowsOf(last)).toBe(scriptedRowsJson(4900, 5000));
  expect(last.json()).toMatchObject({ nextOffsetParams: null, numRowsResultSet: 5000 });
  expect(last.json()).not.toHaveProperty('state');
  expect(last.headers.get('etag')).not.toBeNull();
  expect(await statusOf(requestId)).toMatchObject({
    state: 'DONE',
    numRowsResultSet: 5000,
    expirationTimeMs: expect.any(Number),
  });
});

test.each(['json', 'arrow', 'csv', 'ndjson'])(
  'rows that were read while they grew are those that are stored, in %s',
  async (format) => {
    const { requestId } = (await start('rows 2000 then wait', 'numRows=1')).json();
    const path = `/query/${requestId}/results?offset=77&numRows=900&format=${format}`;
    const before = await broker.call(path);
    expect(before.headers.get('quire-query-state')).toBe('RUNNING');
    broker.engine.resume();
    await ended(requestId);
    const after = await broker.call(path);
    expect(after.headers.get('quire-query-state')).toBeNull();
    const rows = (answer: Answer): string =>
      format === 'json' ? rowsOf(answer) : answer.bytes.toString('latin1');
    expect(rows(before)).toBe(rows(after));
  },
);

test('a query that ends before its first page is answered as without async', async () => {
  const [one, other] = [
    await start('rows 50'),
    await broker.query('rows 50', '?doPaginate=true&numRows=100'),
  ];
  const withoutId = (text: string): string => text.replaceAll(/[0-9a-f-]{36}/g, 'id');
  expect(withoutId(one.text)).toBe(withoutId(other.text));
  const headersOf = ({ headers }: Answer): string[] =>
    [...headers.keys()].filter((name) => name !== 'date');
  expect(headersOf(one)).toEqual(headersOf(other));
  const failed = await start('fail TABLE_NOT_FOUND');
  expect([failed.status, failed.json().exceptions]).toEqual([
    200,
    [{ errorCode: 190, message: 'The script says TABLE_NOT_FOUND.' }],
  ]);
});

test('a query without columns yet says so, in any format', async () => {
  const answer = await start('hang', 'wait=0s&format=arrow');
  expect(answer.status).toBe(202);
  const { requestId } = answer.json();
  expect(answer.json()).toMatchObject({ state: 'RUNNING', numRowsResultSet: 0, exceptions: [] });
  const page = await broker.call(`/query/${requestId}/results?offset=0&wait=0s`);
  expect([page.status, page.json<QueryStatus>().state]).toEqual([202, 'RUNNING']);
});

test('a query that waits for its turn is QUEUED', async () => {
  const ids = [];
  for (let count = 0; count < 3; count += 1) {
    ids.push((await start('hang', 'wait=0s')).json().requestId);
  }
  expect(await statusOf(ids[2] ?? '')).toMatchObject({ state: 'QUEUED', waitsFor: 'SLOT' });
  expect(await statusOf(ids[1] ?? '')).not.toHaveProperty('waitsFor');
  expect((await list('ann')).queries.map(({ requestId }) => requestId)).toEqual(ids.toReversed());
  expect((await start('rows 1')).json<ErrorBody>()).toMatchObject({
    code: 429,
    reason: 'TOO_MANY_QUERIES',
  });
});

test('it is not for others to read, to watch or to cancel', async () => {
  const { requestId } = (await start('rows 3000 then wait')).json();
  const never = '01a20251-2772-7786-91d8-f77fbbe6b612';
  for (const [path, method] of [
    ['', 'GET'],
    ['', 'DELETE'],
    ['/results?offset=0', 'GET'],
    ['/metadata', 'GET'],
  ] as const) {
    const [real, unreal] = await Promise.all(
      [requestId, never].map((id) => broker.call(`/query/${id}${path}`, { as: 'bob', method })),
    );
    expect([real?.status, real?.text.replace(requestId, never)]).toEqual([404, unreal?.text]);
  }
  expect((await list('bob')).queries).toEqual([]);
  expect((await list('root')).queries).toMatchObject([
    { requestId, owner: 'ann', query: 'rows 3000 then wait', isPaginated: true },
  ]);
  expect(
    (await broker.call(`/query/${requestId}/results?offset=0&numRows=1`, { as: 'root' })).status,
  ).toBe(200);
});

test('the status of a running query has the share of its rows that the engine has processed, if the engine knows it', async () => {
  const unknown = (await start('rows 3000 then hang')).json();
  const known = (await start('rows 3000 then progress 42 then hang')).json();
  await broker.engine.untilHanging(2);
  expect(await statusOf(unknown.requestId)).not.toHaveProperty('processedPercent');
  expect(await statusOf(known.requestId)).toMatchObject({ state: 'RUNNING', processedPercent: 42 });
  const { queries } = await list();
  expect(queries.find(({ requestId }) => requestId === known.requestId)).toMatchObject({
    processedPercent: 42,
  });
});

test('cancelling ends it, and says so from then on', async () => {
  const { requestId } = (await start('rows 3000 then hang')).json();
  for (const method of ['DELETE', 'PATCH']) {
    const body = method === 'PATCH' ? { body: '{"expiration":"1h"}' } : {};
    const tooEarly = await broker.call(`/query/resultStore/${requestId}`, { method, ...body });
    expect(tooEarly.json<ErrorBody>()).toMatchObject({ code: 409, reason: 'CONFLICT' });
  }
  const waiting = broker.call(`/query/${requestId}/results?offset=5000&wait=10s`);
  const cancelled = await broker.call(`/query/${requestId}`, { method: 'DELETE', as: 'root' });
  expect([cancelled.status, cancelled.text]).toEqual([200, `Query ${requestId} cancelled.`]);
  expect(broker.engine.openCount).toBe(0);
  expect((await broker.objectKeys()).filter((key) => key.includes(requestId))).toEqual([]);
  const gone = {
    code: 410,
    error: 'The query was cancelled by an admin.',
    reason: 'QUERY_CANCELLED',
  };
  expect((await waiting).json()).toEqual(gone);
  expect((await broker.call(`/query/${requestId}/results?offset=0`)).json()).toEqual(gone);
  const exceptions = [{ errorCode: 503, message: gone.error }];
  expect(await statusOf(requestId)).toMatchObject({
    state: 'CANCELLED',
    numRowsResultSet: 0,
    exceptions,
  });
  expect(
    (await broker.call(`/query/${requestId}/metadata`)).json<MetadataResponse>()[0],
  ).toMatchObject({ exceptions });
  const again = await broker.call(`/query/${requestId}`, { method: 'DELETE' });
  expect(again.json<ErrorBody>()).toMatchObject({ code: 409, reason: 'CONFLICT' });
});

test('a query without pagination can be cancelled as well; its caller is told', async () => {
  const plain = broker.query('hang');
  await broker.engine.untilHanging();
  const [query] = (await list('ann')).queries;
  expect(query).toMatchObject({ state: 'RUNNING', isPaginated: false });
  expect((await broker.call(`/query/${query?.requestId}`, { method: 'DELETE' })).status).toBe(200);
  expect((await plain).json().exceptions).toEqual([
    { errorCode: 503, message: 'The query was cancelled by its owner.' },
  ]);
});

test('after a failure in the middle, pages answer with its code and reason', async () => {
  const { requestId } = (await start('rows 3000 then wait then fail QUERY_FAILED')).json();
  broker.engine.resume();
  await ended(requestId);
  const page = await broker.call(`/query/${requestId}/results?offset=100`);
  expect(page.json()).toEqual({
    code: 400,
    error: 'The script says QUERY_FAILED.',
    reason: 'QUERY_FAILED',
  });
  expect((await broker.call(`/query/${requestId}/results?offset=100`, { as: 'bob' })).status).toBe(
    404,
  );
  expect((await statusOf(requestId)).state).toBe('FAILED');
  expect((await broker.objectKeys()).filter((key) => key.includes(requestId))).toEqual([]);
});

test('a store that is full fails it in the same way', async () => {
  broker.faults.plan = faultOn('put', {
    kind: 'fail-before',
    error: new QuireError('STORE_FULL', 'No room.'),
  });
  const failed = await start('rows 3000 then wait', 'wait=10s');
  broker.faults.plan = noFaults;
  const requestId = failed.headers.get('x-request-id') ?? '';
  expect(
    (await broker.call(`/query/${requestId}/results?offset=0`)).json<ErrorBody>(),
  ).toMatchObject({
    code: 507,
    reason: 'STORE_FULL',
  });
});

test('a disk that fills up in the middle fails it, and says so to those who have read a part', async () => {
  broker.faults.plan = faultOn('put', { kind: 'full', afterBytes: 100_000 });
  const { requestId } = (await start('rows 3000 then wait then rows 60000')).json();
  const before = await broker.call(`/query/${requestId}/results?offset=500&numRows=1000`);
  expect(rowsOf(before)).toBe(scriptedRowsJson(500, 1500));
  broker.engine.resume();
  const waiting = await broker.call(`/query/${requestId}/results?offset=62000&wait=10s`);
  broker.faults.plan = noFaults;
  expect(waiting.json<ErrorBody>()).toMatchObject({ code: 507, reason: 'STORE_FULL' });
  const again = await broker.call(`/query/${requestId}/results?offset=500&numRows=1000`);
  expect([again.status, again.json()]).toEqual([507, waiting.json()]);
  const status = await statusOf(requestId);
  expect(status).toMatchObject({
    state: 'FAILED',
    numRowsResultSet: 0,
    sizeBytes: 0,
    exceptions: [{ errorCode: 245 }],
  });
  expect(status.exceptions[0]?.message).toBe(waiting.json<ErrorBody>().error);
  expect((await broker.objectKeys()).filter((key) => key.includes(requestId))).toEqual([]);
});

test('it goes on when its caller has gone', async () => {
  const gone = new AbortController();
  const answer = broker.query(
    'rows 10 then wait then rows 3000',
    '?doPaginate=true&async=true&wait=10s',
    {
      signal: gone.signal,
    },
  );
  let requestId = '';
  while (requestId === '') requestId = (await list('ann')).queries[0]?.requestId ?? '';
  gone.abort();
  await expect(answer).rejects.toThrow('abort');
  broker.engine.resume();
  await ended(requestId);
  expect(await statusOf(requestId)).toMatchObject({ state: 'DONE', numRowsResultSet: 3010 });
});

test('a slow reader gets the whole page, though the query has failed meanwhile', async () => {
  const { requestId } = (
    await start('rows 60000 then wait then fail QUERY_FAILED', 'numRows=1')
  ).json();
  await broker.call(`/query/${requestId}/results?offset=0&numRows=50000&wait=10s`);
  const response = await fetch(
    `${broker.address.url}/query/${requestId}/results?offset=0&numRows=50000`,
    {
      headers: { authorization: 'Bearer ann-token' },
    },
  );
  broker.engine.resume();
  await ended(requestId);
  const { resultTable } = (await response.json()) as CursorResponse;
  expect(resultTable.rows.length).toBe(50_000);
});

test('a query whose rows cannot be written for its readers runs, and they wait for its end', async () => {
  await rm(tempDirectory, { recursive: true });
  await writeFile(tempDirectory, '');
  const first = await start('rows 3000 then wait', 'numRows=100&wait=0s');
  await rm(tempDirectory);
  const { requestId, ...status } = first.json<QueryStatus>();
  expect(status).toMatchObject({ numRowsResultSet: 0, exceptions: [] });
  const waiting = broker.call(`/query/${requestId}/results?offset=900&numRows=100&wait=10s`);
  broker.engine.resume();
  expect(rowsOf(await waiting)).toBe(scriptedRowsJson(900, 1000));
  // The next query creates the directory again.
  expect(rowsOf(await start('rows 3000 then wait'))).toBe(scriptedRowsJson(0, 100));
});

test('async needs pagination', async () => {
  const answer = await broker.query('rows 1', '?async=true');
  expect(answer.json<ErrorBody>()).toMatchObject({ code: 400, reason: 'INVALID_PARAMETER' });
  for (const wait of ['3', '-1s', 'x'.repeat(100)]) {
    expect((await start('rows 1', `wait=${wait}`)).json<ErrorBody>()).toMatchObject({
      code: 400,
      reason: 'INVALID_PARAMETER',
    });
  }
});

test('a shutdown waits for it as for a call, and ends it when the grace is over', async () => {
  await using closing = await TestBroker.start({ shutdownGraceMs: 5000 }, { tempDirectory });
  await closing.query('rows 3000 then hang', '?doPaginate=true&async=true&numRows=1');
  await closing.engine.untilHanging();
  const closed = closing.broker.close();
  await closing.clock.untilSleeping(2); // the query's own limit, and the grace
  await closing.clock.advance(4999);
  expect(closing.engine.openCount).toBe(1);
  await closing.clock.advance(1);
  await closed;
  expect(closing.engine.openCount).toBe(0);
  expect(await closing.objectKeys()).toEqual([]);
  await using successor = await closing.startSuccessor();
  expect((await successor.call('/queries')).json()).toEqual({ queries: [] });
});
