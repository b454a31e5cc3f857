import type { PinotCursorResponse, PinotStoredResponse } from '@quire/api';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { brokerId, TestBroker } from '../testkit/broker-server.ts';
import type { Answer } from '../testkit/http-caller.ts';

/**
 * The cases of Apache Pinot's own integration tests of its cursors (CursorIntegrationTest), and the
 * intended differences.
 */

let broker: TestBroker;

beforeEach(async () => {
  broker = await TestBroker.start();
});

afterEach(async () => {
  await broker[Symbol.asyncDispose]();
});

async function openCursor(rowCount: number, pageRowCount: number): Promise<PinotCursorResponse> {
  return (
    await broker.query(`rows ${rowCount}`, `?getCursor=true&numRows=${pageRowCount}`)
  ).json<PinotCursorResponse>();
}

const pageOf = (requestId: string, parameters: string): Promise<Answer> =>
  broker.call(`/responseStore/${requestId}/results?${parameters}`);

test.each([2, 3, 10, 0])(
  'walking through a cursor by %i rows at a time gives every row once, 0 being the usual number',
  async (size) => {
    let page = await openCursor(35, size);
    const rows = [...(page.resultTable?.rows ?? [])];
    expect([page.brokerHost, page.brokerPort]).toEqual(['broker.example', broker.address.port]);
    while (page.offset + page.numRows < page.numRowsResultSet) {
      const answer = await pageOf(
        page.requestId,
        `offset=${page.offset + page.numRows}&numRows=${size === 0 ? 100 : size}`,
      );
      expect([answer.status, answer.headers.get('x-pinot-error-code')]).toEqual([200, '-1']);
      page = answer.json<PinotCursorResponse>();
      rows.push(...(page.resultTable?.rows ?? []));
    }
    expect(rows.map(([n]) => n)).toEqual(Array.from({ length: 35 }, (_, n) => n));
  },
);

test('a cursor says all that its clients read', async () => {
  const cursor = await openCursor(35, 10);
  const { resultTable, requestId, ...members } = cursor;
  expect(resultTable?.dataSchema).toEqual({
    columnNames: ['n', 'big', 'text'],
    columnDataTypes: ['INT', 'LONG', 'STRING'],
  });
  const nowMs = broker.clock.nowMs();
  expect(members).toMatchObject({
    brokerId,
    exceptions: [],
    partialResult: false,
    numServersQueried: 1,
    numServersResponded: 1,
    numRowsResultSet: 35,
    offset: 0,
    numRows: 10,
    cursorResultWriteTimeMs: 0,
    cursorFetchTimeMs: 0,
    submissionTimeMs: nowMs,
    expirationTimeMs: nowMs + 3_600_000,
    brokerHost: 'broker.example',
    brokerPort: broker.address.port,
  });
  expect(members.bytesWritten).toBe((await broker.results.usage()).sizeBytes);
  const { resultTable: none, ...known } = (
    await broker.call(`/responseStore/${requestId}`)
  ).json<PinotCursorResponse>();
  expect(none).toBeUndefined();
  expect(known).toEqual({ ...members, requestId, numRows: 35 });
});

test.each([
  ['queryOptions', { sql: 'rows 35', queryOptions: 'getCursor=true;cursorNumRows=7' }],
  ['SET', { sql: "SET getCursor = 'true'; set cursorNumRows=7;\n rows 35" }],
  [
    'both, of which SET goes first',
    { sql: 'SET cursorNumRows=7; rows 35', queryOptions: 'getCursor=true;cursorNumRows=9' },
  ],
])('a cursor can be asked for by %s as well', async (_name, body) => {
  const answer = await broker.call('/query/sql', {
    method: 'POST',
    body: JSON.stringify({ ...body, trace: 'false' }),
  });
  expect(answer.json<PinotCursorResponse>()).toMatchObject({
    numRowsResultSet: 35,
    numRows: 7,
    offset: 0,
  });
  expect(broker.engine.queries.map(({ sql }) => sql.trim())).toEqual(['rows 35']);
});

test('the path of the other engine runs queries and opens cursors too', async () => {
  const body = JSON.stringify({ sql: 'rows 5' });
  const whole = await broker.call('/query', { method: 'POST', body });
  const cursor = await broker.call('/query/?getCursor=true&numRows=2', { method: 'POST', body });
  expect(whole.json<PinotCursorResponse>()).toMatchObject({ numRowsResultSet: 5, exceptions: [] });
  expect(cursor.json<PinotCursorResponse>()).toMatchObject({ numRowsResultSet: 5, numRows: 2 });
});

test('the list shows what is stored until it is deleted', async () => {
  const list = async (): Promise<readonly PinotStoredResponse[]> =>
    (await broker.call('/responseStore', { as: 'root' })).json<readonly PinotStoredResponse[]>();
  const first = await openCursor(35, 10);
  await broker.clock.advance(1000);
  const second = await openCursor(3, 10);
  expect(
    (await list()).map(({ requestId, numRowsResultSet, numRows }) => [
      requestId,
      numRowsResultSet,
      numRows,
    ]),
  ).toEqual([
    [second.requestId, 3, 3],
    [first.requestId, 35, 35],
  ]);
  const deleted = await broker.call(`/responseStore/${first.requestId}`, { method: 'DELETE' });
  expect([deleted.status, deleted.text]).toEqual([
    200,
    `Query Results for ${first.requestId} deleted.`,
  ]);
  expect((await list()).map(({ requestId }) => requestId)).toEqual([second.requestId]);
});

test('the list opens no object', async () => {
  await openCursor(35, 10);
  broker.store.reset();
  await broker.call('/responseStore', { as: 'root' });
  expect(broker.store.calls.map(({ op }) => op)).toEqual(['list']);
});

test.each([
  'GET /responseStore/dummy',
  'GET /responseStore/dummy/results',
  'DELETE /responseStore/dummy',
])('%s is told that there is no such result, in the words of the peer', async (call) => {
  const [method = '', path = ''] = call.split(' ');
  const answer = await broker.call(path, { method });
  expect(answer.json()).toEqual({
    code: 404,
    error: 'Query results for dummy not found.',
    reason: 'RESULT_NOT_FOUND',
  });
});

test('a cursor without rows has no table', async () => {
  const { resultTable, numRowsResultSet, numRows, exceptions, requestId } = await openCursor(0, 10);
  expect({ resultTable, numRowsResultSet, numRows, exceptions }).toEqual({
    resultTable: undefined,
    numRowsResultSet: 0,
    numRows: 0,
    exceptions: [],
  });
  const page = (await pageOf(requestId, 'offset=0')).json<PinotCursorResponse>();
  expect([page.resultTable, page.offset, page.numRows]).toEqual([undefined, 0, 0]);
});

describe('what the peer answers with 500 is told to be the mistake that it is', () => {
  test.each([
    [35, 'offset=36', 416, 'Offset 36 should be lesser than totalRecords 35'],
    [35, 'offset=35', 416, 'Offset 35 should be lesser than totalRecords 35'],
    [0, 'offset=1', 416, 'Offset 1 should be lesser than totalRecords 0'],
    [35, 'offset=-1', 400, "offset is '-1'; expected an integer ≥ 0."],
    [35, 'offset=0&numRows=-1', 400, "numRows is '-1'; expected an integer ≥ 0."],
    [35, 'offset=x', 400, "offset is 'x'; expected an integer ≥ 0."],
  ])(
    'a mistake in a page of %i rows has its own status, not 500: %s',
    async (rowCount, parameters, code, error) => {
      const { requestId } = await openCursor(rowCount, 10);
      expect((await pageOf(requestId, parameters)).json()).toMatchObject({ code, error });
    },
  );

  test('a bad number of rows of a new cursor is refused before the query runs', async () => {
    const body = JSON.stringify({ sql: 'rows 1', queryOptions: 'getCursor=true;cursorNumRows=-3' });
    const answer = await broker.call('/query/sql', { method: 'POST', body });
    expect(answer.json()).toMatchObject({
      code: 400,
      error: 'cursorNumRows must be a number between 1 and 2^31-1, got: -3',
    });
    expect(broker.engine.queries).toEqual([]);
  });

  test('a page so far that the peer cannot count to its end', async () => {
    const { requestId } = await openCursor(35, 10);
    const page = (
      await pageOf(requestId, 'offset=30&numRows=2147483647')
    ).json<PinotCursorResponse>();
    expect([page.offset, page.numRows]).toEqual([30, 5]);
  });
});

test('a page of 0 rows has none, as of the peer, and one without an offset is the first', async () => {
  const { requestId } = await openCursor(35, 10);
  const none = (await pageOf(requestId, 'offset=5&numRows=0')).json<PinotCursorResponse>();
  const first = (await pageOf(requestId, 'numRows=3')).json<PinotCursorResponse>();
  expect([none.numRows, none.resultTable?.rows]).toEqual([0, []]);
  expect([first.offset, first.numRows]).toEqual([0, 3]);
});

test('a query that fails has exceptions, a header that says so, and is not stored', async () => {
  const answer = await broker.query('fail QUERY_INVALID', '?getCursor=true');
  const { exceptions, brokerId: id, resultTable } = answer.json<PinotCursorResponse>();
  expect([
    answer.status,
    answer.headers.get('x-pinot-error-code'),
    exceptions[0]?.errorCode,
    id,
    resultTable,
  ]).toEqual([200, '700', 700, brokerId, undefined]);
  expect((await broker.results.usage()).resultCount).toBe(0);
});

test('expired results are deleted up to a time, and without one up to now', async () => {
  const first = await openCursor(1, 1);
  await broker.clock.advance(50);
  await openCursor(1, 1);
  const remove = async (parameters = ''): Promise<string> =>
    (await broker.call(`/responseStore${parameters}`, { method: 'DELETE', as: 'root' })).text;
  expect(await remove()).toBe('Deleted 0 expired response(s).');
  expect(await remove(`?expiredBefore=${first.expirationTimeMs}`)).toBe(
    'Deleted 1 expired response(s).',
  );
  await broker.clock.advance(3_600_000);
  expect(await remove()).toBe('Deleted 1 expired response(s).');
});

test('a result is its owner’s alone, also in this way', async () => {
  const { requestId } = await openCursor(5, 2);
  for (const [path, method] of [
    [`/responseStore/${requestId}`, 'GET'],
    [`/responseStore/${requestId}/results`, 'GET'],
    [`/responseStore/${requestId}`, 'DELETE'],
  ] as const) {
    expect((await broker.call(path, { as: 'bob', method })).json()).toMatchObject({
      code: 404,
      reason: 'RESULT_NOT_FOUND',
    });
  }
  expect((await broker.call('/responseStore', { as: 'ann' })).status).toBe(403);
});

test('where any broker can serve a result, clients are still told of one', async () => {
  await using shared = await TestBroker.start({ advertised: undefined });
  const cursor = (await shared.query('rows 5', '?getCursor=true')).json<PinotCursorResponse>();
  expect([cursor.brokerHost, cursor.brokerPort]).toEqual(['127.0.0.1', shared.address.port]);
});

test('what a query plainly answers has the header that tells how it went, as of the peer', async () => {
  expect((await broker.query('rows 1')).headers.get('x-pinot-error-code')).toBe('-1');
  expect((await broker.query('fail QUERY_SYNTAX')).headers.get('x-pinot-error-code')).toBe('150');
});

describe('tables', () => {
  test('tables are listed in alphabetical order', async () => {
    await using tabled = await TestBroker.start({ listTables: async () => ['trees', 'flights'] });
    expect((await tabled.call('/tables/')).json()).toEqual({ tables: ['flights', 'trees'] });
    expect((await broker.call('/tables')).json()).toEqual({ tables: [] });
  });

  test.each(['flights', 'flights_OFFLINE', 'flights_REALTIME'])(
    'tables have their columns told, by the name %s',
    async (name) => {
      await using tabled = await TestBroker.start({ listTables: async () => ['flights'] });
      expect((await tabled.call(`/tables/${name}/schema`)).json()).toEqual({
        schemaName: 'flights',
        dimensionFieldSpecs: [
          { name: 'n', dataType: 'INT', singleValueField: true },
          { name: 'big', dataType: 'LONG', singleValueField: true },
          { name: 'text', dataType: 'STRING', singleValueField: true },
        ],
        metricFieldSpecs: [],
        dateTimeFieldSpecs: [],
      });
      expect(tabled.engine.openCount).toBe(0);
    },
  );

  test('tables that are not there, or have names that are SQL, reach no engine', async () => {
    await using tabled = await TestBroker.start({ listTables: async () => ['flights'] });
    for (const name of [
      'trees',
      encodeURIComponent('flights" WHERE "1'),
      'flights%22',
      '_OFFLINE',
    ]) {
      const answer = await tabled.call(`/tables/${name}/schema`);
      expect(answer.json()).toEqual({
        code: 404,
        error: 'The table does not exist.',
        reason: 'TABLE_NOT_FOUND',
      });
    }
    expect(tabled.engine.queries).toEqual([]);
  });
});
