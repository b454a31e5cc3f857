import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CursorResponse, HealthResponse, MetadataResponse, QueryResponse } from '@quire/api';
import { Authenticator, hashToken, parsePrincipals } from '@quire/auth';
import { createBroker } from '@quire/broker';
import { systemClock } from '@quire/core';
import { DuckDbEngine } from '@quire/engine-duckdb';
import { ResultStore } from '@quire/results';
import type { Service, ServiceAddress } from '@quire/service';
import { FileObjectStore } from '@quire/store-file';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const flightsPath = join(
  import.meta.dirname,
  '../../../node_modules/vega-datasets/data/flights-3m.parquet',
);

let directory: string;
let engine: DuckDbEngine;
let store: FileObjectStore;
let broker: Service;
let address: ServiceAddress;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-broker-'));
  await writeFile(join(directory, 'exact.csv'), 'id\n9223372036854775807\n-9223372036854775808\n');
  engine = await DuckDbEngine.open({
    clock: systemClock,
    tables: [
      { name: 'flights', path: flightsPath, format: 'auto' },
      { name: 'exact', path: join(directory, 'exact.csv'), format: 'csv' },
    ],
    memoryMaxBytes: 512 * 1024 * 1024,
    threads: 2,
    spillDirectory: directory,
    spillMaxBytes: 0,
  });
  [store, broker, address] = await startBroker();
});

afterAll(async () => {
  await broker.close();
  await engine[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, maxRetries: 10 });
});

// The rows of a plain query are deleted after its answer, which ended the test before.
beforeEach(async () => {
  while ((await objectCount()) + (await runningCount()) > 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
});

async function startBroker(): Promise<[FileObjectStore, Service, ServiceAddress]> {
  const opened = await FileObjectStore.open({ root: join(directory, 'results') });
  const results = new ResultStore({
    store: opened,
    brokerId: 'Broker_localhost_1',
    expirationMs: 3_600_000,
    expirationMaxMs: 3_600_000,
  });
  const principals = await parsePrincipals(
    [{ name: 'ann', role: 'query', tokenSha256: hashToken('ann-token') }],
    {
      environment: {},
      readFile: () => Promise.reject(new Error('no files')),
    },
  );
  const authenticator = new Authenticator(principals);
  const started = createBroker({
    engine,
    results,
    authenticate: (header) => authenticator.authenticate(header),
    host: '127.0.0.1',
    port: 0,
    storeLocation: opened.location,
    storeType: 'fs',
    version: '0.0.0',
    pageRowCount: 10_000,
    queryTimeoutMs: 60_000,
    queriesRunningMax: 2,
    queriesQueuedMax: 8,
    bodyBytesMax: 100_000,
    headerBytesMax: 16_384,
    requestTimeoutMs: 30_000,
    idleTimeoutMs: 30_000,
    shutdownGraceMs: 10_000,
  });
  return [opened, started, await started.listen()];
}

async function call(path: string, options: RequestInit = {}, url = address.url): Promise<string> {
  const headers = { authorization: 'Bearer ann-token', 'content-type': 'application/json' };
  return (await fetch(`${url}${path}`, { headers, ...options })).text();
}

const query = (sql: string, parameters = '', signal?: AbortSignal): Promise<string> =>
  call(`/query/sql${parameters}`, {
    method: 'POST',
    body: JSON.stringify({ sql }),
    ...(signal !== undefined && { signal }),
  });

async function objectCount(): Promise<number> {
  let count = 0;
  for await (const _ of store.list('')) count += 1;
  return count;
}

async function runningCount(): Promise<number> {
  return (JSON.parse(await call('/health')) as HealthResponse).queriesRunning;
}

test('pages of real flights are the rows that the query gives, wherever they begin', async () => {
  const sql =
    'SELECT row_number() OVER () - 1 AS n, origin, destination, delay, distance FROM flights LIMIT 60000';
  const page = JSON.parse(await query(sql, '?doPaginate=true&numRows=10')) as CursorResponse;
  expect(page.numRowsResultSet).toBe(60_000);
  for (const offset of [0, 16_383, 16_384, 40_001, 59_995]) {
    const { resultTable } = JSON.parse(
      await call(`/query/${page.requestId}/results?offset=${offset}&numRows=5`),
    ) as CursorResponse;
    expect(resultTable.rows.map(([n]) => n)).toEqual([0, 1, 2, 3, 4].map((row) => offset + row));
  }
  const [metadata] = JSON.parse(
    await call(`/query/${page.requestId}/metadata`),
  ) as MetadataResponse;
  expect(metadata).toMatchObject({ numRowsResultSet: 60_000, totalDocs: 3_000_000 });
  await call(`/query/resultStore/${page.requestId}`, { method: 'DELETE' });
});

test('digits survive from file to wire', async () => {
  const answer = await query(
    "SELECT id, 12345678901234567890123456789012345.678::DECIMAL(38, 3) AS amount, 'nan'::DOUBLE AS none, 170141183460469231731687303715884105727::HUGEINT AS huge FROM exact",
  );
  expect(answer.slice(0, answer.indexOf('},"requestId"'))).toBe(
    '{"resultTable":{"dataSchema":{"columnNames":["id","amount","none","huge"],"columnDataTypes":["LONG","BIG_DECIMAL","DOUBLE","BIG_DECIMAL"]},' +
      '"rows":[[9223372036854775807,"12345678901234567890123456789012345.678","NaN","170141183460469231731687303715884105727"],' +
      '[-9223372036854775808,"12345678901234567890123456789012345.678","NaN","170141183460469231731687303715884105727"]]',
  );
});

describe('CSV for spreadsheets', () => {
  const sql = `SELECT '=1+1' AS "@cell", -5 AS n, '-1' AS text, -1.5::DOUBLE AS mean, -(10::HUGEINT ** 30) AS huge, '\x09x' AS tab`;
  const plain = '@cell,n,text,mean,huge,tab\n=1+1,-5,-1,-1.5,-1';
  const escaped = "'@cell,n,text,mean,huge,tab\n'=1+1,-5,'-1,-1.5,-1";

  test('CSV for spreadsheets has formulas escaped where that is asked for, and numbers that stay numbers', async () => {
    const whole = await query(sql, '?format=csv&formulas=escape');
    expect([
      whole.slice(0, escaped.length),
      (await query(sql, '?format=csv')).slice(0, plain.length),
    ]).toEqual([escaped, plain]);
    const { requestId } = JSON.parse(await query(sql, '?doPaginate=true')) as CursorResponse;
    const page = `/query/${requestId}/results?offset=0&format=csv`;
    const headers = { authorization: 'Bearer ann-token' };
    const [own, other] = await Promise.all([
      fetch(`${address.url}${page}&formulas=escape`, { headers }),
      fetch(`${address.url}${page}`, { headers }),
    ]);
    expect([await own.text(), own.headers.get('etag')]).not.toEqual([
      await other.text(),
      other.headers.get('etag'),
    ]);
    expect(own.headers.get('etag')).not.toBe(other.headers.get('etag'));
    const part = await fetch(`${address.url}${page}&formulas=escape`, {
      headers: { ...headers, range: 'bytes=0-40' },
    });
    expect([part.status, await part.text()]).toEqual([206, whole.slice(0, 41)]);
    const known = { ...headers, 'if-none-match': String(own.headers.get('etag')) };
    expect((await fetch(`${address.url}${page}&formulas=escape`, { headers: known })).status).toBe(
      304,
    );
    expect((await fetch(`${address.url}${page}`, { headers: known })).status).toBe(200);
    await call(`/query/resultStore/${requestId}`, { method: 'DELETE' });
  });

  test.each([
    [
      '?format=json&formulas=escape',
      "formulas is 'escape' with the format json; only csv supports it.",
    ],
    ['?format=csv&formulas=yes', "formulas is 'yes'; expected escape."],
    [
      '?format=csv&formulas=escape&formulas=escape',
      'formulas is given 2 times; expected escape, once.',
    ],
  ])(
    'CSV for spreadsheets is refused before anything runs where it makes no sense: %s',
    async (parameters, error) => {
      expect(JSON.parse(await query(sql, parameters))).toEqual({
        code: 400,
        error,
        reason: 'INVALID_PARAMETER',
      });
    },
  );
});

describe('SQL that is wrong', () => {
  test.each([
    ['SELEC 1', 150],
    ['SELECT * FROM nowhere', 190],
    ['SELECT nothing FROM flights', 710],
    ["SELECT 'x'::INTEGER", 200],
    ['', 400],
  ])('SQL that is wrong: %s is told to be so (%i)', async (sql, code) => {
    const { exceptions, code: status } = JSON.parse(await query(sql)) as QueryResponse & {
      code?: number;
    };
    expect(status ?? exceptions[0]?.errorCode).toBe(code);
  });
});

describe('SQL that reaches for more than the tables', () => {
  test.each([
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM glob('/etc/*')",
    "ATTACH '/srv/other.db'",
    "COPY flights TO '/srv/quire-stolen.csv'",
    "COPY (SELECT 1) TO '/srv/quire-stolen.csv'",
    'INSTALL httpfs',
    'LOAD httpfs',
    "SELECT * FROM 'https://example.com/x.parquet'",
    'SET memory_limit = 1',
    'PRAGMA database_list',
    'CREATE TABLE t AS SELECT 1',
    'DROP VIEW flights',
    'INSERT INTO exact VALUES (1)',
    'SELECT 1; SELECT 2',
    "SELECT 1; COPY flights TO '/srv/quire-stolen.csv'",
    "SELECT getenv('HOME')",
    'CALL pragma_version()',
    'SELECT * FROM duckdb_secrets()',
    "EXPORT DATABASE '/srv/quire-stolen'",
  ])('SQL that reaches for more than the tables: %s is refused', async (sql) => {
    for (const parameters of ['', '?doPaginate=true']) {
      const answer = await query(sql, parameters);
      const { exceptions, resultTable } = JSON.parse(answer) as QueryResponse;
      expect(exceptions.length).toBe(1);
      expect([150, 190, 200, 700]).toContain(exceptions[0]?.errorCode);
      expect(resultTable).toBeUndefined();
      expect(answer).not.toMatch(/root:|httpfs\.duckdb_extension|[/]home[/]/);
    }
    expect(await objectCount()).toBe(0);
  });
});

test('a client that hangs up stops DuckDB, and leaves nothing', async () => {
  const abort = new AbortController();
  const sql = 'SELECT sum(a.delay * b.delay) FROM flights a, flights b';
  const gone = query(sql, '?doPaginate=true', abort.signal).catch(() => 'gone');
  while ((await runningCount()) === 0) await new Promise((resolve) => setImmediate(resolve));
  abort.abort();
  expect(await gone).toBe('gone');
  while ((await runningCount()) > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(await objectCount()).toBe(0);
});

test('a query that takes too long is stopped', async () => {
  const body = JSON.stringify({
    sql: 'SELECT sum(a.delay * b.delay) FROM flights a, flights b',
    queryOptions: 'timeoutMs=200',
  });
  const answer = JSON.parse(await call('/query/sql', { method: 'POST', body })) as QueryResponse;
  expect(answer.exceptions[0]?.errorCode).toBe(250);
});

test('the next broker serves the results of the one before', async () => {
  const page = JSON.parse(
    await query('SELECT id FROM exact ORDER BY id', '?doPaginate=true'),
  ) as CursorResponse;
  const [successorStore, successor, { url }] = await startBroker();
  const again = await call(`/query/${page.requestId}/results?offset=1`, {}, url);
  expect(again).toContain('"rows":[[9223372036854775807]]');
  expect(await call(`/query/resultStore/${page.requestId}`, { method: 'DELETE' }, url)).toBe(
    `Query Results for ${page.requestId} deleted.`,
  );
  await successor.close();
  await successorStore[Symbol.asyncDispose]();
});
