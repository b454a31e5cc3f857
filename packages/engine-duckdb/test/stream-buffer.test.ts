import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import duckdb from '@duckdb/node-bindings';
import type { NamedRows } from '@quire/core';
import type { LiveTables, TableRelation } from '@quire/core/table-engine';
import { Field, Schema, Utf8 } from 'apache-arrow';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { QueryConnection } from '../src/query-connection.ts';
import { TestEngine } from './test-engine.ts';

let db: TestEngine;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-buffer-'));
  const tables = Object.entries({
    letters: 1,
    documents: 2000,
    books: 12_000,
    libraries: 50_000,
  }).map(async ([name, length]) => {
    const path = join(directory, `${name}.json`);
    await writeFile(path, JSON.stringify([{ n: 1, s: 'x'.repeat(length), f: 1.5 }]));
    return { name, path, format: 'auto' as const };
  });
  db = await TestEngine.open({
    tables: await Promise.all(tables),
    liveTables: await liveTables(),
    liveDirectory: directory,
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** Returns a live table `pages` with one row, whose file is said to have 2,000 bytes. */
async function liveTables(): Promise<LiveTables> {
  const path = join(directory, 'pages.parquet');
  const database = await duckdb.open(':memory:');
  const connection = await duckdb.connect(database);
  await duckdb.query(connection, `COPY (SELECT 'x' AS s) TO '${path}' (FORMAT parquet)`);
  duckdb.disconnect_sync(connection);
  duckdb.close_sync(database);
  const file = { path, sizeBytes: 2000, checksum: '1', segmentName: 's', tableName: 'pages' };
  const pages: TableRelation = {
    name: 'pages',
    columns: [{ name: 's', type: 'STRING', isList: false, absentValue: null }],
    parts: [{ files: [file], columnNames: ['s'] }],
    rowCount: 1,
    segmentCount: 1,
    consumingSegmentCount: 0,
    consumedUntilMs: null,
  };
  return {
    listNames: async () => ['pages'],
    resolve: async () => [pages],
    verify: async () => undefined,
  };
}

/** Returns the size of the buffer that a query sets; undefined if it sets none. */
async function bufferBytesOf(sql: string): Promise<number | undefined> {
  const set = vi.spyOn(QueryConnection.prototype, 'setStreamBuffer');
  await using execution = await db.execute(sql);
  for await (const batch of execution.batches) expect(batch.numRows).toBe(1);
  const sizes = set.mock.calls.map(([sizeBytes]) => sizeBytes);
  set.mockClear();
  expect(sizes.length).toBeLessThanOrEqual(1);
  return sizes[0];
}

test.each([
  // Six chunks of 2,048 rows, each with 8 bytes for a number and 16 for a text.
  ['SELECT n, s FROM documents', 294_912],
  ['SELECT s::BLOB AS b FROM documents_OFFLINE', 196_608],
  ['SELECT [s] AS l FROM documents', 196_608],
  ['SELECT {a: 1, b: [s]} AS s, f::DECIMAL(9, 2) AS d FROM documents', 393_216],
  ['SELECT s FROM pages', 196_608],
  // Two, because each has some 24 MB, and one.
  ['SELECT s FROM books', 65_536],
  ['SELECT s FROM libraries', 32_768],
  ['SELECT d.s FROM letters JOIN documents AS d USING (n)', 196_608],
])('DuckDB computes at most six chunks of long texts ahead: %s', async (sql, sizeBytes) => {
  expect(await bufferBytesOf(sql)).toBe(sizeBytes);
});

test('DuckDB computes six chunks of a result with long texts ahead', async () => {
  const bufferBytes = async (sizeBytes?: number): Promise<unknown> => {
    const requestId = '01a21e03-aaa6-76bd-99ff-8d5f8aee8cdb';
    const rows: NamedRows = {
      requestId,
      schema: new Schema([new Field('s', new Utf8(), true)]),
      rowCount: 2,
      ...(sizeBytes !== undefined && { sizeBytes }),
      async *read() {
        // Its size is what counts.
      },
    };
    const set = vi.spyOn(QueryConnection.prototype, 'setStreamBuffer');
    const query = { sql: `SELECT * FROM result('${requestId}')` };
    await using execution = await db.engine.execute(query, {
      limits: { timeoutMs: 240_000 },
      results: [rows],
    });
    expect(execution.schema.fields).toHaveLength(1);
    const [call] = set.mock.calls.splice(0);
    return call?.[0];
  };
  expect(await bufferBytes(2048)).toBe(196_608);
  expect(await bufferBytes(2047)).toBeUndefined();
  expect(await bufferBytes()).toBeUndefined();
});

test.each([
  ['SELECT n, s FROM letters'],
  ['SELECT n, [f] AS l, {a: true} AS s FROM documents'],
  ["SELECT 1 AS n, 'x' AS s"],
])('DuckDB has its default buffer for other rows: %s', async (sql) => {
  expect(await bufferBytesOf(sql)).toBeUndefined();
});

test('rows so wide that six chunks exceed the default buffer have the default', async () => {
  const texts = Array.from({ length: 6 }, (_, column) => `s AS c${column}`);
  expect(await bufferBytesOf(`SELECT ${texts.slice(1).join(', ')} FROM documents`)).toBe(983_040);
  expect(await bufferBytesOf(`SELECT ${texts.join(', ')} FROM documents`)).toBeUndefined();
});
