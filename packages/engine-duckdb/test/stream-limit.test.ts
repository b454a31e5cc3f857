import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import duckdb from '@duckdb/node-bindings';
import { MiB } from '@quire/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestEngine } from './test-engine.ts';

let db: TestEngine;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-limit-'));
  const database = await duckdb.open(':memory:');
  const connection = await duckdb.connect(database);
  const tables = Object.entries({
    numbers: `SELECT i AS n, 'x' || i AS s FROM range(300000) AS t(i)`,
    documents: `SELECT i AS n, repeat(chr(97 + (i % 26)::INT), 20000) AS s FROM range(12000) AS t(i)`,
  }).map(async ([name, sql]) => {
    const path = join(directory, `${name}.parquet`);
    await duckdb.query(connection, `COPY (${sql}) TO '${path}' (FORMAT parquet)`);
    return { name, path, format: 'parquet' as const };
  });
  db = await TestEngine.open({
    tables: await Promise.all(tables),
    memoryMaxBytes: 128 * MiB,
    spillMaxBytes: 0,
  });
  duckdb.disconnect_sync(connection);
  duckdb.close_sync(database);
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** The operators of a query's plan. */
async function planOf(sql: string): Promise<readonly string[]> {
  const parameters = sql.includes('?') ? ([{ type: 'INT', value: 1 }] as const) : undefined;
  const steps = (await db.answer(`EXPLAIN ${sql}`, parameters)).column(0);
  return steps.map((step) => /^\w+/.exec(step as string)?.[0] ?? '');
}

describe('a LIMIT of a table', () => {
  test.each([
    'SELECT * FROM numbers LIMIT 51',
    'SELECT n, s || s AS s FROM numbers AS t LIMIT (1_000);',
    `WITH other AS (SELECT 1) SELECT 'é😀' AS e, n FROM numbers limit  100000 -- rows`,
    '(FROM numbers LIMIT 1000)',
    // These run in another text: with casts, and with values of parameters.
    'SELECT n::UHUGEINT AS u FROM numbers LIMIT 1000',
    'SELECT n + ? AS n FROM numbers LIMIT 1000',
  ])('a LIMIT of a table is applied while the table is read: %s', async (sql) => {
    const plan = await planOf(sql);
    expect(plan).toContain('STREAMING_LIMIT');
    expect(plan).not.toContain('ORDER_BY');
    expect(plan.filter((step) => step === 'READ_PARQUET')).toHaveLength(1);
  });

  test('a LIMIT of a table has the first rows, in their order', async () => {
    const answer = await db.answer('SELECT n FROM numbers LIMIT 200001');
    expect(answer.column(0)).toEqual(Array.from({ length: 200_001 }, (_, n) => String(n)));
  });

  test('a LIMIT of a table needs no more memory than the query without it: 240 MB of texts in 128 MB', async () => {
    let rowCount = 0;
    await using execution = await db.execute('SELECT * FROM documents LIMIT 20000');
    for await (const batch of execution.batches) rowCount += batch.numRows;
    expect(rowCount).toBe(12_000);
  });

  test.each([
    ['SELECT n FROM numbers LIMIT 0', 'EMPTY_RESULT'],
    // DuckDB's other plans are the faster ones: in parallel, and without what an OFFSET skips.
    ['SELECT n FROM numbers WHERE n >= 200000 LIMIT 1000', 'LIMIT'],
    ['SELECT n FROM numbers LIMIT 1000 OFFSET 200000', 'HASH_JOIN'],
  ])('a LIMIT of a table leaves the plan of other queries: %s', async (sql, step) => {
    expect(await planOf(sql)).toContain(step);
  });

  test.each([
    'SELECT n + 200000 AS n FROM numbers FETCH FIRST 100 ROWS ONLY',
    "SELECT n + 200000 AS n FROM numbers LIMIT '100'",
    'SELECT n + 200000 AS n FROM numbers LIMIT 1e2',
    // DuckDB counts a space that was copied from a document as one byte.
    'SELECT n + 200000 AS n FROM numbers\u00a0LIMIT 100',
    'SELECT n + 200000 AS n FROM\u3000numbers LIMIT  100',
    'SELECT n FROM numbers LIMIT 100 OFFSET 200000',
    'SELECT n FROM numbers WHERE n >= 200000 LIMIT 100',
    'SELECT n FROM (SELECT n FROM numbers LIMIT 200100) ORDER BY n - 200000 < 0, n LIMIT 100',
    'SELECT DISTINCT n FROM numbers WHERE n BETWEEN 200000 AND 200099 ORDER BY n LIMIT 1e3',
  ])('a LIMIT of a table does not change other queries: %s', async (sql) => {
    const expected = Array.from({ length: 100 }, (_, n) => String(200_000 + n));
    expect((await db.answer(sql)).column(0)).toEqual(expected);
  });

  test('a LIMIT of a table is shown as it was given in messages', async () => {
    const planned = await db.failure('SELECT n, nothing FROM numbers LIMIT 100');
    expect(planned.message).toContain('SELECT n, nothing FROM numbers LIMIT 100\n');
    const running = await db.failure('FROM numbers SELECT s::INT LIMIT 99');
    expect(running.message).toContain('FROM numbers SELECT s::INT LIMIT 99\n');
    const later = await db.failure('FROM numbers SELECT if(n < 2e5, 1, s::INT) LIMIT 250000');
    expect(later.message).toContain('s::INT) LIMIT 250000\n');
  });
});
