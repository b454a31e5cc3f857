import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ErrorBody, QueryStatus } from '@quire/api';
import { MiB, systemClock } from '@quire/core';
import { DuckDbEngine } from '@quire/engine-duckdb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tableFromIPC } from 'apache-arrow';
import { testVariables } from '../testkit/cli-process.ts';
import { FlightTestClient, statementOf } from '../testkit/flight-test-client.ts';
import { ScriptedEngine } from '../testkit/broker-engine.ts';
import { type Answer, TestBroker } from '../testkit/broker-server.ts';
import { WorkerServer } from '../testkit/worker-server.ts';

let directory: string;
let engine: DuckDbEngine;
let broker: TestBroker;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-named-'));
  const place = { tables: [], threads: 2, spillDirectory: directory, clock: systemClock };
  engine = await DuckDbEngine.open({
    ...place,
    memoryMaxBytes: 64 * MiB,
    spillMaxBytes: 512 * MiB,
  });
  const flight = { port: 0, expirationMs: 600_000, messageBytesMax: 1024 * 1024 };
  broker = await TestBroker.start({ engine, flight }, { compression: 'zstd' });
});
afterAll(async () => {
  await broker[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

function ask(sql: string, as: 'ann' | 'bob' | 'root' = 'ann', parameters = ''): Promise<Answer> {
  return broker.query(sql, `?doPaginate=true&numRows=100${parameters}`, { as });
}

async function stored(sql: string): Promise<string> {
  return (await ask(sql)).json().requestId;
}

test('a query over a result gives what the query over its rows gives, as a result that can be paged and queried again', async () => {
  const rows =
    "SELECT i, i % 10 AS digit, 'row ' || i AS text, [i, NULL] AS list FROM range(50000) t(i)";
  const id = await stored(rows);
  const view = (relation: string): string =>
    `SELECT * FROM ${relation} WHERE digit = 7 ORDER BY i DESC`;
  const [over, direct] = [await ask(view(`result('${id}')`)), await ask(view(`(${rows})`))];
  expect(over.json().resultTable).toEqual(direct.json().resultTable);
  expect(over.json().numRowsResultSet).toBe(5000);
  const { requestId } = over.json();
  const page = await broker.call(`/query/${requestId}/results?offset=4990&numRows=100`);
  expect(page.json().resultTable.rows.at(-1)).toEqual([7, 7, 'row 7', [7, null]]);
  const again = await ask(
    `SELECT count(*), min(i) FROM result('${requestId}') WHERE i > 40000`,
    'ann',
    '&async=true&wait=10s',
  );
  expect(again.json().resultTable.rows).toEqual([[1000, 40007]]);
  const plain = await broker.query(`SELECT sum(i) FROM result('${id}')`);
  expect(plain.json().resultTable.rows).toEqual([[1249975000]]);
});

test('it is for those who may read its pages, and others are answered as for pages', async () => {
  const id = await stored('SELECT 42 AS answer');
  const sql = `FROM result('${id}')`;
  expect((await ask(sql, 'root')).json().resultTable.rows).toEqual([[42]]);
  const never = '01a20251-2772-7786-91d8-f77fbbe6b612';
  const [foreign, unknown] = [await ask(sql, 'bob'), await ask(`FROM result('${never}')`, 'bob')];
  expect([foreign.status, foreign.text.replace(id, never)]).toEqual([404, unknown.text]);
  expect((await ask("FROM result('../secret')")).status).toBe(404);
  await broker.call(`/query/resultStore/${id}`, { method: 'DELETE' });
  for (const parameters of ['', '&async=true']) {
    expect((await ask(sql, 'ann', parameters)).json<ErrorBody>()).toMatchObject({
      code: 410,
      reason: 'RESULT_DELETED',
    });
  }
  expect((await ask(sql, 'bob')).status).toBe(404);
  const [id2] = [await stored('SELECT 1')];
  const hidden = await ask(
    `SELECT * FROM result('${id2}') JOIN result(CAST('${id2}' AS TEXT)) USING ("1")`,
  );
  expect(hidden.json().exceptions).toMatchObject([{ errorCode: 700 }]);
});

test('one that is still written cannot be queried yet, and one that failed says why', async () => {
  const slow = 'SELECT count(*) FROM range(100000000000) a(i) WHERE hash(i) = 3';
  const { requestId } = (await ask(slow, 'ann', '&async=true&wait=0s')).json<QueryStatus>();
  const early = await ask(`FROM result('${requestId}')`);
  expect(early.json<ErrorBody>()).toMatchObject({ code: 409, reason: 'CONFLICT' });
  await broker.call(`/query/${requestId}`, { method: 'DELETE' });
  expect((await ask(`FROM result('${requestId}')`)).json<ErrorBody>()).toMatchObject({
    code: 410,
    reason: 'QUERY_CANCELLED',
  });
});

test('where the engine cannot read results, that is said', async () => {
  await using other = await TestBroker.start({
    engine: new ScriptedEngine({ readsResults: false }),
  });
  const id = await other.stored(1);
  const answer = await other.query(`FROM result('${id}')`, '?doPaginate=true');
  expect(answer.json<ErrorBody>()).toMatchObject({ code: 400, reason: 'INVALID_PARAMETER' });
});

/** Prepares a query of a result with a parameter, and returns the rows of it and its schemas. */
async function prepared(client: FlightTestClient, requestId: string) {
  const sql = `SELECT sum(n) AS s, 'a' AS t FROM result('${requestId}') WHERE n > 1`;
  const statement = await client.prepare(`${sql} AND n < ?`);
  const schemas = [
    statement.datasetSchema,
    statement.parameterSchema,
    await client.schema(statementOf(sql)),
  ];
  const shown = schemas.map((schema) =>
    tableFromIPC([schema]).schema.fields.map(({ type }) => String(type)),
  );
  return [...shown, await client.readAll(await client.run(sql))];
}

const preparedRows = [['Int64', 'Utf8'], ['Int64'], ['Int64', 'Utf8'], [[5n, 'a']]];

test('a query over a result is prepared and described by Flight SQL, for those who may read the result', async () => {
  const id = await stored('SELECT * FROM (VALUES (1), (2), (3)) AS t(n)');
  const url = broker.address.endpointUrls?.[0] ?? '';
  await using ann = new FlightTestClient(url, { authorization: 'Bearer ann-token' });
  await using bob = new FlightTestClient(url, { authorization: 'Bearer bob-token' });
  expect(await prepared(ann, id)).toEqual(preparedRows);
  await expect(prepared(bob, id)).rejects.toThrow(/does not exist|not found/i);
});

test('a query over a result is prepared by a process for queries as well', async () => {
  await using server = await WorkerServer.start('engine.broker.flight.port = 0', 'memory');
  const [, url = ''] = await server.server.untilPrinted(/flight +(grpc:\S+)/);
  const authorization = `Bearer ${testVariables.TEST_ADMIN_TOKEN}`;
  await using client = new FlightTestClient(url, { authorization });
  const { requestId } = await server.query('SELECT * FROM (VALUES (1), (2), (3)) AS t(n)');
  expect(await prepared(client, requestId)).toEqual(preparedRows);
});

test('a process for queries reads a result that lies in the memory of the broker', async () => {
  await using server = await WorkerServer.start('', 'memory');
  const { requestId } = await server.query('SELECT origin, delay FROM flights LIMIT 300000');
  const sums = 'SELECT origin, sum(delay) FROM $ GROUP BY ALL ORDER BY ALL';
  const over = await server.query(sums.replace('$', `result('${requestId}')`));
  const direct = await server.query(
    sums.replace('$', '(SELECT origin, delay FROM flights LIMIT 300000)'),
  );
  expect(over.resultTable.rows.length).toBe(10);
  expect(over.resultTable).toEqual(direct.resultTable);
});
