import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import duckdb from '@duckdb/node-bindings';
import { QuireError } from '@quire/core';
import type { RelationFile, TableRelation } from '@quire/core/table-engine';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataVersionOf } from '../src/data-version.ts';
import { isFunctionRefused } from '../src/function-policy.ts';
import { readRows } from '../src/read-rows.ts';
import { isChanging } from '../src/statement-traits.ts';
import { TestEngine } from './test-engine.ts';

let directory: string;
let path: string;
let db: TestEngine;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-version-'));
  path = join(directory, 'days.csv');
  await writeFile(path, 'n,now\n1,2\n');
  db = await TestEngine.open({ tables: [{ name: 'days', path, format: 'auto' }] });
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

async function versionOf(sql: string): Promise<string | undefined> {
  await using execution = await db.execute(sql);
  return execution.dataVersion;
}

test('a query has the version of its tables, which is another one as soon as a file of theirs is', async () => {
  const before = await versionOf('SELECT sum(n) FROM days');
  expect(before).toBe(await db.engine.dataVersion(['days']));
  expect(await versionOf('FROM days_offline')).toBe(before);
  expect(await versionOf('SELECT 42')).not.toBe(before);
  await appendFile(path, '3,4\n');
  const after = await versionOf('SELECT sum(n) FROM days');
  expect([after === before, after === (await db.engine.dataVersion(['days']))]).toEqual([
    false,
    true,
  ]);
});

test('a recursive query that begins with the rows of a table of the same name has the version of the table', async () => {
  const sql =
    'WITH RECURSIVE days AS (SELECT n FROM days UNION ALL SELECT n + 10 FROM days WHERE n < 10) SELECT sum(n) FROM days';
  expect(await versionOf(sql)).toBe(await db.engine.dataVersion(['days']));
});

test.each([
  'SELECT random()',
  'SELECT n FROM days WHERE CAST(n AS TEXT) < CAST(Now() AS TEXT)',
  'SELECT current_timestamp',
  'SELECT CURRENT_DATE - 1',
  'SELECT (SELECT max(uuid()) FROM range(3))',
  "SELECT age(TIMESTAMP '2020-01-01')",
  'SELECT now FROM days', // a column, which counts as the function
  'FROM days USING SAMPLE 1',
  'FROM days TABLESAMPLE 50%',
  'SHOW TABLES',
  'DESCRIBE days',
  'SELECT table_name FROM information_schema.tables',
])('%s has none', async (sql) => {
  expect(await versionOf(sql)).toBeUndefined();
});

test("a query in Apache Pinot's language that asks for the time has none", async () => {
  db.dialect = 'pinot';
  try {
    expect(await versionOf("SELECT ago('PT1H') FROM days")).toBeUndefined();
    expect(await versionOf('SELECT n FROM days')).toBeDefined();
  } finally {
    db.dialect = 'duckdb';
  }
});

test('all functions of DuckDB that change by themselves are known', async () => {
  const database = await duckdb.open(':memory:', duckdb.create_config());
  const connection = await duckdb.connect(database);
  const changing = await readRows(
    connection,
    "SELECT DISTINCT function_name AS name FROM duckdb_functions() WHERE stability <> 'CONSISTENT' AND function_type = 'scalar'",
  );
  duckdb.disconnect_sync(connection);
  duckdb.close_sync(database);
  const names = changing.map(({ name }) => String(name));
  expect(names).toContain('random');
  expect(names.filter((name) => !isChanging(name) && !isFunctionRefused(name))).toEqual([]);
});

function fileAt(path: string): RelationFile {
  return { path, sizeBytes: 1, checksum: '1', segmentName: path, tableName: 'trips_OFFLINE' };
}

test('tables of a table server have the version of their segments, not of how far a stream was read', async () => {
  const relation = (paths: readonly string[], consumedUntilMs: number | null): TableRelation => ({
    name: 'trips',
    columns: [],
    parts: [{ files: paths.map(fileAt), columnNames: [] }],
    rowCount: paths.length,
    segmentCount: paths.length,
    consumingSegmentCount: 0,
    consumedUntilMs,
  });
  const versionWith = (...relations: TableRelation[]): Promise<string | undefined> => {
    const liveTables = {
      listNames: async () => ['trips'],
      resolve: async () => relations,
      verify: async () => undefined,
    };
    return dataVersionOf({ tables: [], liveTables }, ['trips']);
  };
  const first = await versionWith(relation(['a'], 1));
  expect(first).toEqual(expect.any(String));
  expect(await versionWith(relation(['a'], 2))).toBe(first);
  expect(await versionWith(relation(['a', 'b'], 1))).not.toBe(first);
  expect(await versionWith()).toBeUndefined();
});

test('while the tables of a table server are not known, others are read, and queries of them say why not', async () => {
  const problem = new QuireError('STORE_UNAVAILABLE', 'The directory is missing.');
  const liveTables = {
    listNames: () => Promise.reject(problem),
    resolve: () => Promise.reject(problem),
    verify: async () => undefined,
  };
  expect(await dataVersionOf({ tables: [], liveTables }, ['trips'])).toBeUndefined();
  await using served = await TestEngine.open({
    tables: [{ name: 'days', path, format: 'auto' }],
    liveTables,
  });
  expect(await served.engine.dataVersion(['days'])).toEqual(expect.any(String));
  await using execution = await served.execute('SELECT count(*) FROM days');
  await Array.fromAsync(execution.batches);
  for (const from of ['trips', 'days JOIN trips USING (n)', 'information_schema.tables']) {
    await expect(served.execute(`SELECT * FROM ${from}`)).rejects.toThrow(problem);
  }
});
