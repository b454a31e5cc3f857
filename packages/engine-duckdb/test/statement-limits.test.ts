import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatementLimits } from '../src/index.ts';
import { TestEngine } from './test-engine.ts';

let db: TestEngine;
let small: TestEngine;
beforeAll(async () => {
  db = await TestEngine.open();
  const statementLimits: StatementLimits = {
    textBytesMax: 2048,
    columnsMax: 5,
    valuesMax: 20,
    depthMax: 12,
    nodesMax: 60,
  };
  small = await TestEngine.open({ statementLimits });
});
afterAll(async () => {
  await db[Symbol.asyncDispose]();
  await small[Symbol.asyncDispose]();
});

function listOf(
  count: number,
  element: (index: number) => string | number = (index) => index,
): string {
  return Array.from({ length: count }, (_, index) => element(index)).join(',');
}

describe('a query is refused, with what it has and what it may have', () => {
  test.each([
    [
      'text',
      `SELECT '${'é'.repeat(1024)}'`,
      '2.01 KiB of text; at most 2 KiB are allowed (engine.duckdb.statement.text.maxKB)',
    ],
    [
      'columns',
      `SELECT ${listOf(6)}`,
      '6 columns; at most 5 are allowed (engine.duckdb.statement.columns.max)',
    ],
    [
      'members of a struct',
      `SELECT 1, {${listOf(5, (index) => `'m${index}': 1`)}}`,
      '6 columns or more; at most 5 are allowed',
    ],
    [
      'members in a list',
      `SELECT [{${listOf(6, (index) => `'m${index}': 1`)}}]`,
      '6 columns; at most 5 are allowed',
    ],
    [
      'arrays of fixed size',
      'SELECT NULL::INT[4][6]',
      '24 values or more in each row; at most 20 are allowed (engine.duckdb.statement.values.max)',
    ],
    [
      'arrays with a value for a parameter',
      'SELECT 1, NULL::INT[20]',
      '21 values or more in each row',
    ],
    [
      'brackets',
      `SELECT ${'('.repeat(13)}1${')'.repeat(13)}`,
      'brackets that are nested 13 levels deep; at most 12 are allowed (engine.duckdb.statement.depth.max)',
    ],
    [
      'depth',
      `SELECT 1${'+ 1'.repeat(15)}`,
      'parts that are nested 13 or more levels deep; at most 12 are allowed (engine.duckdb.statement.depth.max)',
    ],
    [
      'parts of a union',
      Array.from({ length: 14 }, () => 'SELECT 1').join(' UNION ALL '),
      'nested 14 or more levels deep',
    ],
    [
      'parts',
      `SELECT 1 WHERE 1 IN (${listOf(80)})`,
      'parts; at most 60 are allowed (engine.duckdb.statement.nodes.max)',
    ],
  ])(
    'a query is refused, with what it has and what it may have: %s',
    async (_what, sql, message) => {
      const error = await small.failure(sql);
      expect({ code: error.code, message: error.message }).toEqual({
        code: 'QUERY_INVALID',
        message: expect.stringContaining(message) as string,
      });
    },
  );

  test('columns that depend on the values of parameters as well', async () => {
    const query = {
      sql: `SELECT ${listOf(6, () => '?')}`,
      parameters: Array.from({ length: 6 }, () => ({ type: 'INT', value: 1 }) as const),
    };
    await expect(
      small.engine.execute(query, { limits: { timeoutMs: 240_000 } }),
    ).rejects.toMatchObject({
      code: 'QUERY_INVALID',
      message:
        'The query has 6 columns; at most 5 are allowed (engine.duckdb.statement.columns.max).',
    });
  });

  test('the engine goes on after queries that it refuses', async () => {
    expect((await small.answer('SELECT 1, 2')).rows()).toEqual([['1', '2']]);
  });
});

describe('what stops the process for seconds is refused:', () => {
  test.each([
    ['40,000 columns', `SELECT ${listOf(40_000)}`, '40000 columns; at most 5000'],
    [
      '30,000 parts of a union',
      Array.from({ length: 30_000 }, () => 'SELECT 1').join(' UNION ALL '),
      '90001 parts; at most 50000',
    ],
    [
      'long arrays',
      'SELECT NULL::INT[100000] FROM range(1000000)',
      '100000 values or more in each row; at most 16384',
    ],
    ['100,000 values of IN', `SELECT 1 WHERE 5 IN (${listOf(100_000)})`, 'parts; at most 50000'],
    [
      '100,000 arguments',
      `SELECT coalesce(${listOf(100_000, () => 'NULL')})`,
      'parts; at most 50000',
    ],
    ['brackets', '('.repeat(100_000), 'brackets that are nested 100000 levels deep; at most 1000'],
    ['long text', `SELECT '${'x'.repeat(1024 * 1024)}'`, '1 MiB of text; at most 1 MiB'],
  ])('what stops the process for seconds is refused: %s', async (_what, sql, message) => {
    const before = process.threadCpuUsage();
    const error = await db.failure(sql);
    const { user, system } = process.threadCpuUsage(before);
    expect([error.code, error.message]).toEqual([
      'QUERY_INVALID',
      expect.stringContaining(message),
    ]);
    // Processor time of this thread, in microseconds; it excludes other processes.
    expect(user + system).toBeLessThan(1_000_000);
  });
});

describe('large queries of reports pass:', () => {
  test.each([
    ['5,000 values of IN', `SELECT 1 WHERE 7 IN (${listOf(5_000)})`, 1, 1],
    ['3,000 columns', `SELECT ${listOf(3_000)}`, 1, 3_000],
    ['an embedding', 'SELECT NULL::FLOAT[4096]', 1, 1],
    [
      '300 parts of a union',
      Array.from({ length: 300 }, () => 'SELECT 1').join(' UNION ALL '),
      300,
      1,
    ],
    [
      'brackets and quotes in texts and comments',
      `SELECT '${'('.repeat(2_000)}', "a" /* ${'('.repeat(2_000)} */ FROM (SELECT 1 AS a) -- ${'('.repeat(2_000)}`,
      1,
      2,
    ],
  ])('large queries of reports pass: %s', async (_what, sql, rowCount, columnCount) => {
    const answer = await db.answer(sql);
    expect([answer.rowCount, answer.fields.length]).toEqual([rowCount, columnCount]);
  });
});
