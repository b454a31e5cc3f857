import { MetadataRecord, type QueryResponse } from '@quire/api';
import { ownerTagOf, type RequestId } from '@quire/core';
import { ownerTag } from '@quire/results';
import { expect, test } from 'vitest';
import { scriptedRowsJson } from '../../../test/src/testkit/broker-engine.ts';
import { brokerId, TestBroker } from '../../../test/src/testkit/broker-server.ts';

const dataSchema = '{"columnNames":["n","big","text"],"columnDataTypes":["INT","LONG","STRING"]}';

test('a paginated query gives the first page, member by member, and stores the rest', async () => {
  await using broker = await TestBroker.start();
  const answer = await broker.query('rows 250', '?doPaginate=true&numRows=3');
  const { requestId } = answer.json();
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.text).toBe(
    `{"resultTable":{"dataSchema":${dataSchema},"rows":${scriptedRowsJson(0, 3)}},"requestId":"${requestId}","brokerId":"${brokerId}",` +
      '"numRowsResultSet":250,"offset":0,"numRows":3,"nextOffsetParams":"offset=3&numRows=3","exceptions":[],' +
      `"brokerHost":"broker.example","brokerPort":${broker.address.port},"prevOffsetParams":null,` +
      '"numServersQueried":1,"numServersResponded":1,"timeUsedMs":12}',
  );
  expect(await broker.objectKeys()).toEqual([
    `${brokerId}/${requestId}/1767225600000-1767229200000-250.json`,
    `${brokerId}/${requestId}/data.arrow`,
  ]);
});

test.each(['', '&numRows=0'])(
  'without a number of rows (%j) a page has the configured size',
  async (parameter) => {
    await using broker = await TestBroker.start({ pageRowCount: 7 });
    const page = (await broker.query('rows 20', `?doPaginate=true${parameter}`)).json();
    expect(page).toMatchObject({ numRows: 7, nextOffsetParams: 'offset=7&numRows=7' });
  },
);

test('a page size that is changed meanwhile counts from the next call on', async () => {
  let pageRowCount = 7;
  await using broker = await TestBroker.start({
    get pageRowCount() {
      return pageRowCount;
    },
  });
  pageRowCount = 4;
  expect((await broker.query('rows 20', '?doPaginate=true')).json().numRows).toBe(4);
});

test('more rows than there are give all of them and no next page', async () => {
  await using broker = await TestBroker.start();
  const page = (
    await broker.query('rows 20', '?doPaginate=true&numRows=9223372036854775807')
  ).json();
  expect(page).toMatchObject({ numRows: 20, nextOffsetParams: null });
});

test('a result without rows keeps its columns', async () => {
  await using broker = await TestBroker.start();
  const answer = await broker.query('rows 0', '?doPaginate=true');
  expect(answer.text).toContain(`{"resultTable":{"dataSchema":${dataSchema},"rows":[]},`);
  expect(answer.json()).toMatchObject({
    numRowsResultSet: 0,
    offset: 0,
    numRows: 0,
    nextOffsetParams: null,
    prevOffsetParams: null,
  });
});

test('a store that others share needs no address in its responses', async () => {
  await using broker = await TestBroker.start({ advertised: undefined });
  const page = (await broker.query('rows 1', '?doPaginate=true')).json();
  expect(Object.keys(page)).not.toContain('brokerHost');
  expect(Object.keys(page)).not.toContain('brokerPort');
});

test.each(['', '?doPaginate=false'])(
  'a plain query (%j) gives all rows with its metadata, and keeps nothing',
  async (parameters) => {
    await using broker = await TestBroker.start();
    const answer = await broker.query('rows 2500', parameters);
    expect(answer.text.slice(0, answer.text.indexOf(',"requestId"'))).toBe(
      `{"resultTable":{"dataSchema":${dataSchema},"rows":${scriptedRowsJson(0, 2500)}}`,
    );
    const { resultTable: _rows, ...metadata } = answer.json<QueryResponse>();
    expect(Object.keys(metadata).toSorted()).toEqual([...MetadataRecord.required].toSorted());
    expect(metadata).toMatchObject({
      brokerId,
      exceptions: [],
      numServersQueried: 1,
      numServersResponded: 1,
      numDocsScanned: 77,
      totalDocs: 88,
      timeUsedMs: 12,
      offlineThreadCpuTimeNs: 3_000_000,
      offlineTotalCpuTimeNs: 3_000_000,
      numRowsResultSet: 2500,
    });
    await broker.untilStoreIsEmpty();
  },
);

test('the id of a plain query leads to nothing', async () => {
  await using broker = await TestBroker.start();
  const { requestId } = (await broker.query('rows 10')).json();
  await broker.untilStoreIsEmpty();
  expect((await broker.call(`/query/${requestId}/results?offset=0`)).json()).toMatchObject({
    code: 410,
    reason: 'RESULT_DELETED',
  });
});

test.each([
  ['QUERY_SYNTAX', 150],
  ['TABLE_NOT_FOUND', 190],
  ['QUERY_FAILED', 200],
  ['QUERY_LIMIT_EXCEEDED', 245],
  ['QUERY_TIMED_OUT', 250],
  ['QUERY_CANCELLED', 503],
  ['QUERY_INVALID', 700],
  ['COLUMN_NOT_FOUND', 710],
])('a query that fails with %s gives exception %i and keeps nothing', async (code, errorCode) => {
  await using broker = await TestBroker.start();
  for (const sql of [`fail ${code}`, `rows 5000 then fail ${code}`]) {
    for (const parameters of ['', '?doPaginate=true&format=csv']) {
      const answer = await broker.query(sql, parameters);
      const body = answer.json<QueryResponse>();
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(body.exceptions).toEqual([{ errorCode, message: `The script says ${code}.` }]);
      expect(Object.keys(body).toSorted()).toEqual([...MetadataRecord.required].toSorted());
      expect(body).toMatchObject({ brokerId, numServersQueried: 1, numServersResponded: 1 });
      expect(body.requestId).toBe(answer.headers.get('x-request-id'));
    }
  }
  expect(await broker.objectKeys()).toEqual([]);
  expect(broker.engine.openCount).toBe(0);
});

test.each(['?doPaginate=true', '?doPaginate=true&async=true', ''])(
  'the id of a query%s has the tag of its principal, and is that of its call',
  async (parameters) => {
    await using broker = await TestBroker.start();
    for (const as of ['ann', 'bob'] as const) {
      const answer = await broker.query('rows 3', parameters, { as });
      const { requestId } = answer.json<QueryResponse>();
      expect(answer.headers.get('x-request-id')).toBe(requestId);
      expect(ownerTagOf(requestId as RequestId)).toBe(ownerTag(as));
    }
  },
);

test('what nobody expected is exception 450 and tells callers nothing of the inside', async () => {
  await using broker = await TestBroker.start();
  const body = (await broker.query('crash')).json<QueryResponse>();
  expect(body.exceptions).toEqual([
    {
      errorCode: 450,
      message: `An unexpected error occurred. The log has details of call ${body.requestId}.`,
    },
  ]);
});

test.each([
  ['?doPaginate=true&numRows=-1', "numRows is '-1'; expected an integer ≥ 0."],
  ['?numRows=1e3', "numRows is '1e3'; expected an integer ≥ 0."],
  ['?doPaginate=yes', "doPaginate is 'yes'; expected true or false."],
  [
    '?doPaginate=true&format=xml',
    "format is 'xml'; expected one of json, arrow, csv, ndjson, parquet.",
  ],
])('%s is refused before the query runs', async (parameters, error) => {
  await using broker = await TestBroker.start();
  const answer = await broker.query('rows 1', parameters);
  expect(answer.status).toBe(400);
  expect(answer.json()).toEqual({ code: 400, error, reason: 'INVALID_PARAMETER' });
  expect(broker.engine.queries).toEqual([]);
});

test.each([
  ['', 'The request body must be an object.'],
  ['{}', "The request body lacks 'sql'."],
  ['{"query":"rows 1"}', "The request body lacks 'sql'."],
  ['{"sql":""}', "'sql' in the request body must not have fewer than 1 characters."],
  ['{"sql":7}', "'sql' in the request body must be a string."],
  ['{"sql":"rows 1","trace":"yes"}', "'trace' in the request body must be true or false."],
  ['[]', 'The request body must be an object.'],
  ['null', 'The request body must be an object.'],
  ['{"sql":', 'The request body is not valid JSON.'],
  ['sql=rows 1', 'The request body is not valid JSON.'],
  ['{"sql":"rows 1","__proto__":{"x":1}}', 'The request body is not valid JSON.'],
  [
    String.raw`{"sql":"rows 1 -- \ud83d"}`,
    'sql has half of a surrogate pair; expected Unicode text: a string was cut in the middle of a character.',
  ],
  [
    '{"sql":"rows 1","queryOptions":"timeoutMs=soon"}',
    "timeoutMs in queryOptions is 'soon'; expected an integer ≥ 1, in milliseconds.",
  ],
])('the body %s is refused before the query runs', async (body, error) => {
  await using broker = await TestBroker.start();
  const answer = await broker.query('', '', { body });
  expect(answer.json()).toEqual({ code: 400, error, reason: 'INVALID_BODY' });
  expect(broker.engine.queries).toEqual([]);
});

test('a body that is not JSON by its type is refused', async () => {
  await using broker = await TestBroker.start();
  const answer = await broker.query('rows 1', '', { headers: { 'content-type': 'text/plain' } });
  expect(answer.json()).toEqual({
    code: 415,
    error: 'The Content-Type of the request body is not application/json.',
    reason: 'UNSUPPORTED_MEDIA_TYPE',
  });
});

test('the options and members that drivers of other systems send are let pass', async () => {
  await using broker = await TestBroker.start();
  const body = {
    sql: 'rows 1',
    queryOptions: 'groupByMode=sql;responseFormat=sql;timeoutMs=20000',
    trace: false,
    debug: {},
  };
  const answer = await broker.query('', '/?doPaginate=true&extra=1', {
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  expect(broker.engine.queries).toEqual([{ sql: 'rows 1', limits: { timeoutMs: 20_000 } }]);
});

test('the time limit of the server is the ceiling of what a caller asks for', async () => {
  await using broker = await TestBroker.start({ queryTimeoutMs: 5000 });
  await broker.query('', '', { body: '{"sql":"rows 1","queryOptions":"timeoutMs=99999999"}' });
  expect(broker.engine.queries).toEqual([{ sql: 'rows 1', limits: { timeoutMs: 5000 } }]);
});

test('a query that takes too long gives exception 250 and keeps nothing', async () => {
  await using broker = await TestBroker.start({ queryTimeoutMs: 5000 });
  const answering = broker.query('rows 3000 then hang', '?doPaginate=true');
  await broker.engine.untilHanging();
  await broker.clock.advance(5000);
  const answer = await answering;
  expect(answer.json().exceptions).toEqual([
    { errorCode: 250, message: 'The query exceeded its timeout of 5000 ms.' },
  ]);
  expect(await broker.objectKeys()).toEqual([]);
  expect(broker.engine.openCount).toBe(0);
});

test('queries beyond the places to run wait, and those beyond the places to wait are refused', async () => {
  await using broker = await TestBroker.start({ queriesRunningMax: 2, queriesQueuedMax: 1 });
  const aborts = [new AbortController(), new AbortController()];
  const running = aborts.map(({ signal }) =>
    broker.query('hang', '', { signal }).catch(() => 'gone'),
  );
  await broker.engine.untilHanging(2);
  const waiting = broker.query('rows 1', '?doPaginate=true');
  await broker.untilQueued(1);
  const refused = await broker.query('rows 2');
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.json()).toEqual({
    code: 429,
    error:
      'ann has 2 queries running and 1 waiting, and the queue is full (engine.broker.query.queue = 1); ' +
      'try again when one of them has ended.',
    reason: 'TOO_MANY_QUERIES',
  });
  aborts[0]!.abort();
  expect((await waiting).json().numRows).toBe(1);
  aborts[1]!.abort();
  expect(await Promise.all(running)).toEqual(['gone', 'gone']);
});

test('pages are served while no query may run', async () => {
  await using broker = await TestBroker.start({ queriesRunningMax: 1, queriesQueuedMax: 0 });
  const requestId = await broker.stored(10);
  const abort = new AbortController();
  const running = broker.query('hang', '', { signal: abort.signal }).catch(() => 'gone');
  await broker.engine.untilHanging();
  expect((await broker.call(`/query/${requestId}/results?offset=5`)).json().numRows).toBe(5);
  abort.abort();
  await running;
});

test('the wait counts towards the time limit', async () => {
  await using broker = await TestBroker.start({ queriesRunningMax: 1, queryTimeoutMs: 5000 });
  const abort = new AbortController();
  const running = broker
    .query('', '', { body: '{"sql":"hang"}', signal: abort.signal })
    .catch(() => 'gone');
  await broker.engine.untilHanging();
  const waiting = broker.query('', '', {
    body: '{"sql":"rows 1","queryOptions":"timeoutMs=1000"}',
  });
  await broker.untilQueued(1);
  await broker.clock.advance(1000);
  expect((await waiting).json().exceptions).toEqual([
    { errorCode: 250, message: 'The query exceeded its timeout of 1000 ms.' },
  ]);
  expect(broker.engine.queries.length).toBe(1);
  abort.abort();
  await running;
});
