import type {
  MetadataResponse,
  OwnedResult,
  OwnedResultListResponse,
  ResultListResponse,
  StoredResult,
} from '@quire/api';
import { MetadataRecord } from '@quire/api';
import { ResultStore } from '@quire/results';
import { expect, test } from 'vitest';
import { brokerId, TestBroker } from '../../../test/src/testkit/broker-server.ts';

const startMs = Date.UTC(2026, 0, 1);
const hourMs = 3_600_000;

function entryOf(
  requestId: string,
  rowCount: number,
  submissionTimeMs: number,
  sizeBytes: number,
): StoredResult {
  const expirationTimeMs = submissionTimeMs + hourMs;
  const folder = `memory:/${brokerId}/${requestId}`;
  return {
    requestId,
    brokerId,
    submissionTimeMs,
    expirationTimeMs,
    responseMetadata: [
      {
        type: 'memory',
        numRows: rowCount,
        dataFile: `${folder}/data.arrow`,
        metadataFile: `${folder}/${submissionTimeMs}-${expirationTimeMs}-${rowCount}.json`,
        sizeBytes,
      },
    ],
  };
}

async function sizeBytesOf(broker: TestBroker, requestId: string): Promise<number> {
  let sizeBytes = 0;
  for await (const object of broker.store.list(`${brokerId}/${requestId}/`)) {
    sizeBytes += object.sizeBytes;
  }
  return sizeBytes;
}

test('the metadata of a query is one record with every member', async () => {
  await using broker = await TestBroker.start();
  const requestId = await broker.stored(2500);
  const answer = await broker.call(`/query/${requestId}/metadata/`);
  expect(answer.status).toBe(200);
  const [record, ...others] = answer.json<MetadataResponse>();
  expect(others).toEqual([]);
  expect(Object.keys(record ?? {}).toSorted()).toEqual([...MetadataRecord.required].toSorted());
  const known = {
    numDocsScanned: 77,
    totalDocs: 88,
    timeUsedMs: 12,
    offlineThreadCpuTimeNs: 3e6,
    offlineTotalCpuTimeNs: 3e6,
  };
  const meant = { ...known, numRowsResultSet: 2500, numServersQueried: 1, numServersResponded: 1 };
  expect(record).toMatchObject({
    requestId,
    brokerId,
    exceptions: [],
    segmentStatistics: [],
    traceInfo: {},
    ...meant,
  });
  const numbers = Object.entries(record ?? {}).filter(
    ([, value]) => typeof value === 'number' && value !== 0,
  );
  expect(Object.fromEntries(numbers)).toEqual(meant);
});

test('the list shows every result, newest first, and opens no object', async () => {
  await using broker = await TestBroker.start();
  const older = await broker.stored(10, 'ann');
  await broker.clock.advance(5000);
  const newer = await broker.stored(2500, 'bob');
  const expected = [
    entryOf(newer, 2500, startMs + 5000, await sizeBytesOf(broker, newer)),
    entryOf(older, 10, startMs, await sizeBytesOf(broker, older)),
  ];
  broker.store.reset();
  const answer = await broker.call('/query/resultStore/', { as: 'root' });
  expect(answer.json<ResultListResponse>()).toEqual({ resultMetadataList: expected });
  expect(broker.store.calls.map(({ op }) => op)).toEqual(['list']);
});

test('one result is told of with its owner, to whom may read it; of one that the broker knows nothing is read', async () => {
  await using broker = await TestBroker.start();
  const requestId = await broker.stored(10);
  const { resultMetadataList } = (
    await broker.call('/query/resultStore', { as: 'root' })
  ).json<ResultListResponse>();
  broker.store.reset();
  const path = `/query/resultStore/${requestId}`;
  for (const as of ['ann', 'root'] as const) {
    expect((await broker.call(path, { as })).json()).toEqual({
      ...resultMetadataList[0],
      owner: 'ann',
      sql: 'rows 10',
    });
  }
  expect(broker.store.calls).toEqual([]);
  expect((await broker.call(path, { as: 'bob' })).json()).toMatchObject({
    code: 404,
    reason: 'RESULT_NOT_FOUND',
  });
});

test("everyone's own list has the queries, of nobody else's, and reads each commit record once", async () => {
  await using broker = await TestBroker.start();
  const older = await broker.stored(10, 'ann');
  await broker.clock.advance(5000);
  const newer = await broker.stored(2500, 'ann');
  await broker.stored(7, 'bob');
  await broker.stored(8, 'root');
  // Another process has cached nothing.
  const other = new ResultStore({
    store: broker.store,
    brokerId,
    expirationMs: hourMs,
    expirationMaxMs: hourMs,
    clock: broker.clock,
  });
  await using beside = await TestBroker.start({ results: other });
  const own = async (): Promise<OwnedResult[]> =>
    (
      await beside.call('/query/resultStore?own=true', { as: 'ann' })
    ).json<OwnedResultListResponse>().resultMetadataList;
  const expected = [
    { ...entryOf(newer, 2500, startMs + 5000, 0), owner: 'ann', sql: 'rows 2500' },
    { ...entryOf(older, 10, startMs, 0), owner: 'ann', sql: 'rows 10' },
  ].map(({ responseMetadata: _location, ...entry }) => expect.objectContaining(entry));
  broker.store.reset();
  expect(await own()).toEqual(expected);
  expect(broker.store.calls.map(({ op }) => op)).toEqual(['list', 'get', 'get']);
  broker.store.reset();
  // Cached records are too old by then, but the listing has just confirmed them.
  await broker.clock.advance(60_000);
  expect(await own()).toEqual(expected);
  expect(broker.store.calls.map(({ op }) => op)).toEqual(['list']);
  await broker.call(`/query/resultStore/${newer}`, { method: 'DELETE' });
  expect((await own()).map(({ requestId }) => requestId)).toEqual([older]);
  await broker.clock.advance(hourMs);
  expect(await own()).toEqual([]);
});

test('the list of all results is refused to callers who are not admins', async () => {
  await using broker = await TestBroker.start();
  for (const query of ['', '?own=false', '?own=0']) {
    const answer = await broker.call(`/query/resultStore${query}`, { as: 'ann' });
    expect(answer.json()).toMatchObject({ code: 403, reason: 'FORBIDDEN' });
  }
});

test('a long query is stored by its beginning, and a result of a program without one has none', async () => {
  await using broker = await TestBroker.start({ bodyBytesMax: 100_000 });
  const sql = `rows 1 ${'x'.repeat(20_000)}`;
  const answer = await broker.call('/query/sql?doPaginate=true', {
    method: 'POST',
    body: JSON.stringify({ sql }),
  });
  const { requestId } = answer.json<{ requestId: string }>();
  const direct = await broker.createDirectly(1);
  const sqlOf = async (id: string): Promise<unknown> =>
    (await broker.call(`/query/resultStore/${id}`, { as: 'root' })).json<OwnedResult>().sql;
  expect([await sqlOf(requestId), await sqlOf(direct)]).toEqual([sql.slice(0, 8192), null]);
});

test('the list of an empty store is empty', async () => {
  await using broker = await TestBroker.start();
  expect((await broker.call('/query/resultStore', { as: 'root' })).text).toBe(
    '{"resultMetadataList":[]}',
  );
});

test('a long list comes whole', async () => {
  await using broker = await TestBroker.start();
  const ids: string[] = [];
  for (let count = 0; count < 1001; count += 1) {
    ids.push(await broker.createDirectly(1));
    broker.clock.stepWallClock(1);
  }
  const { resultMetadataList } = (
    await broker.call('/query/resultStore', { as: 'root' })
  ).json<ResultListResponse>();
  expect(resultMetadataList.map(({ requestId }) => requestId)).toEqual(ids.toReversed());
});

test('the names of stores are those of the specification', async () => {
  for (const [storeLocation, type, dataFile] of [
    ['file:///var/lib/quire', 'fs', 'file:///var/lib/quire/'],
    ['s3://bucket/prefix/', 's3', 's3://bucket/prefix/'],
    ['gs://bucket', 'gcs', 'gs://bucket/'],
  ] as const) {
    await using broker = await TestBroker.start({ storeLocation, storeType: type });
    const requestId = await broker.stored(1);
    const { resultMetadataList } = (
      await broker.call('/query/resultStore', { as: 'root' })
    ).json<ResultListResponse>();
    expect(resultMetadataList[0]?.responseMetadata[0]).toMatchObject({
      type,
      dataFile: `${dataFile}${brokerId}/${requestId}/data.arrow`,
    });
  }
});

test('a deleted result is gone, and says so', async () => {
  await using broker = await TestBroker.start();
  const requestId = await broker.stored(10);
  const answer = await broker.call(`/query/resultStore/${requestId}`, { method: 'DELETE' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(answer.text).toBe(`Query Results for ${requestId} deleted.`);
  expect(await broker.objectKeys()).toEqual([]);
  const gone = {
    code: 410,
    error: `The result ${requestId} no longer exists: it was deleted.`,
    reason: 'RESULT_DELETED',
  };
  for (const [method, path] of [
    ['GET', `/query/${requestId}/results?offset=0`],
    ['GET', `/query/${requestId}/metadata`],
    ['GET', `/query/resultStore/${requestId}`],
    ['DELETE', `/query/resultStore/${requestId}`],
    ['PATCH', `/query/resultStore/${requestId}`],
  ] as const) {
    const again = await broker.call(path, {
      method,
      ...(method === 'PATCH' && { body: '{"expiration":"1h"}' }),
    });
    expect(again.status).toBe(410);
    expect(again.json()).toEqual(gone);
  }
});

test('a deletion may announce a body that it does not have', async () => {
  await using broker = await TestBroker.start();
  const path = `/query/resultStore/${await broker.stored(10)}/`;
  expect(
    (await broker.call(path, { method: 'DELETE', headers: { 'content-type': 'application/json' } }))
      .status,
  ).toBe(200);
});

test('a result is gone from its expiration time on, to the millisecond', async () => {
  await using broker = await TestBroker.start();
  const requestId = await broker.stored(10);
  await broker.clock.advance(hourMs - 1);
  const last = await broker.call(`/query/${requestId}/results?offset=0`);
  expect(last.headers.get('cache-control')).toBe('private, max-age=0, immutable');
  await broker.clock.advance(1);
  const answer = await broker.call(`/query/${requestId}/results?offset=0`);
  expect(answer.status).toBe(410);
  expect(answer.json()).toMatchObject({ reason: 'RESULT_EXPIRED' });
});

test('an evicted result says that it was evicted', async () => {
  await using broker = await TestBroker.start();
  const requestId = await broker.stored(10);
  await broker.results.delete(requestId, { reason: 'evicted' });
  expect((await broker.call(`/query/${requestId}/metadata`)).json()).toMatchObject({
    code: 410,
    reason: 'RESULT_EVICTED',
  });
});

test('deleting what has expired spares what lives', async () => {
  await using broker = await TestBroker.start();
  const older = await broker.stored(1);
  await broker.clock.advance(1000);
  const newer = await broker.stored(2);
  await broker.clock.advance(hourMs - 1000);
  const answer = await broker.call('/query/resultStore', { method: 'DELETE', as: 'root' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(answer.text).toBe('Deleted 1 expired response(s).');
  expect((await broker.call(`/query/${older}/metadata`)).json()).toMatchObject({
    reason: 'RESULT_EXPIRED',
  });
  expect((await broker.call(`/query/${newer}/metadata`)).status).toBe(200);
});

test('what expires at the given time is deleted too, and what expires later is not', async () => {
  await using broker = await TestBroker.start();
  await broker.stored(1);
  await broker.clock.advance(1);
  await broker.stored(2);
  const path = `/query/resultStore?expiredBefore=${startMs + hourMs}`;
  const counts = [1, 2].map(
    async () => (await broker.call(path, { method: 'DELETE', as: 'root' })).text,
  );
  expect(await counts[0]).toBe('Deleted 1 expired response(s).');
  expect(await counts[1]).toBe('Deleted 0 expired response(s).');
});

test.each(['-1', 'now', '1.5', ''])('expiredBefore=%s is refused', async (value) => {
  await using broker = await TestBroker.start();
  const answer = await broker.call(`/query/resultStore?expiredBefore=${value}`, {
    method: 'DELETE',
    as: 'root',
  });
  const error = `expiredBefore is '${value}'; expected an integer ≥ 0.`;
  expect(answer.json()).toEqual({ code: 400, error, reason: 'INVALID_PARAMETER' });
});

test.each([
  ['2h', 2 * hourMs],
  ['30s', 30_000],
  ['365d', 24 * hourMs],
])('a renewal by %s counts from now, up to the ceiling', async (expiration, durationMs) => {
  await using broker = await TestBroker.start();
  const requestId = await broker.stored(10);
  await broker.clock.advance(60_000);
  const body = JSON.stringify({ expiration });
  const answer = await broker.call(`/query/resultStore/${requestId}`, { method: 'PATCH', body });
  const expirationTimeMs = startMs + 60_000 + durationMs;
  expect(answer.status).toBe(200);
  expect(answer.json<StoredResult>()).toMatchObject({
    requestId,
    brokerId,
    submissionTimeMs: startMs,
    expirationTimeMs,
  });
  const page = await broker.call(`/query/${requestId}/results?offset=0`);
  expect(page.headers.get('quire-expiration-time-ms')).toBe(String(expirationTimeMs));
  expect(page.headers.get('cache-control')).toBe(
    `private, max-age=${durationMs / 1000}, immutable`,
  );
});

test('a renewal does not change the pages', async () => {
  await using broker = await TestBroker.start();
  const path = `/query/${await broker.stored(10)}/results?offset=3`;
  const before = await broker.call(path);
  await broker.call(path.replace(/^\/query\/(.*)\/results.*$/, '/query/resultStore/$1'), {
    method: 'PATCH',
    body: '{"expiration":"3h"}',
  });
  const after = await broker.call(path);
  expect(after.text).toBe(before.text);
  expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
});

const noDuration =
  "'expiration' in the request body is not a duration; expected for example 30m, 2h or 1d.";

test.each([
  ['{}', "The request body lacks 'expiration'."],
  ['{"expiration":3600}', "'expiration' in the request body must be a string."],
  ['{"expiration":"soon"}', noDuration],
  ['{"expiration":"-1h"}', noDuration],
  [
    '{"expiration":"0s"}',
    "'expiration' in the request body is zero; expected a positive duration. To remove the result, delete it.",
  ],
  ['{"expiration"', 'The request body is not valid JSON.'],
  ['', 'The request body must be an object.'],
])('a renewal by %s is refused', async (body, error) => {
  await using broker = await TestBroker.start();
  const requestId = await broker.stored(10);
  const answer = await broker.call(`/query/resultStore/${requestId}`, { method: 'PATCH', body });
  expect(answer.json()).toEqual({ code: 400, error, reason: 'INVALID_BODY' });
});
