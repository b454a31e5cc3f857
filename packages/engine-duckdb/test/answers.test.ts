import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestEngine } from './test-engine.ts';

let db: TestEngine;
beforeAll(async () => {
  db = await TestEngine.open();
});
afterAll(() => db[Symbol.asyncDispose]());

describe('an answer', () => {
  test('an answer without rows still has its columns', async () => {
    const answer = await db.answer(`SELECT 1 AS a, 'x' AS b, [1.5] AS c WHERE false`);

    expect(answer.columns).toEqual(['a: Int32', 'b: Utf8', 'c: List<Decimal[2e+1]>']);
    expect(answer.batches).toEqual([]);
  });

  test('an answer keeps the order of rows', async () => {
    const answer = await db.answer('SELECT i FROM range(100000) AS t(i) ORDER BY i DESC');

    expect(answer.column(0)).toEqual(
      Array.from({ length: 100_000 }, (_, row) => String(99_999 - row)),
    );
  });

  test('an answer keeps the order of rows when columns must be cast', async () => {
    const answer = await db.answer(
      'SELECT i, to_days(CAST(i AS INTEGER)) AS d FROM range(1, 10001) AS t(i) ORDER BY i DESC',
    );

    expect(answer.column(0)).toEqual(
      Array.from({ length: 10_000 }, (_, row) => String(10_000 - row)),
    );
    expect(answer.column(1)[0]).toBe('10000 days');
  });

  test('an answer has nulls where they are, at the boundaries of bytes, words and chunks', async () => {
    const answer = await db.answer(
      'SELECT CASE WHEN i % 64 IN (0, 7, 8, 63) THEN NULL ELSE i END AS v FROM range(5000) AS t(i)',
    );

    expect(answer.column(0)).toEqual(
      Array.from({ length: 5000 }, (_, i) => ([0, 7, 8, 63].includes(i % 64) ? null : String(i))),
    );
    expect(answer.batches.map((batch) => batch.getChildAt(0)?.nullCount)).toEqual([128, 128, 58]);
  });

  test('an answer says when a column holds no null at all', async () => {
    const answer = await db.answer(
      'SELECT CASE WHEN i < 0 THEN NULL ELSE i END AS v FROM range(3000) AS t(i)',
    );

    expect(answer.batches.map((batch) => batch.data.children[0]?.nullBitmap.length)).toEqual([
      0, 0,
    ]);
  });

  test('an answer keeps columns that share a name apart, whatever their types', async () => {
    const answer = await db.answer(`SELECT 1 AS a, 'x' AS a, INTERVAL 1 DAY AS a, 2.5 AS "A"`);

    expect(answer.columns).toEqual(['a: Int32', 'a: Utf8', 'a: Utf8', 'A: Decimal[2e+1]']);
    expect(
      answer.batches[0]?.schema.fields.map(({ name, type }) => `${name}: ${String(type)}`),
    ).toEqual(answer.columns);
    expect(answer.rows()).toEqual([['1', 'x', '1 day', '2.5']]);
  });

  test('an answer may have 5,000 columns', async () => {
    const columns = Array.from(
      { length: 5000 },
      (_, column) => `i + ${column} AS c${column % 4000}`,
    );
    const answer = await db.answer(`SELECT ${columns.join(', ')} FROM range(3) AS t(i)`);

    expect(answer.fields.length).toBe(5000);
    expect(answer.rows()).toEqual(
      [0, 1, 2].map((i) => columns.map((_, column) => String(i + column))),
    );
  });

  test('every kind of query that only reads is answered', async () => {
    const queries = {
      'FROM range(2)': 2,
      'VALUES (1), (2), (3)': 3,
      'WITH a AS (SELECT 1 AS x), b AS (FROM a) SELECT * FROM b': 1,
      'WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t WHERE i < 5) FROM t': 5,
      'SELECT 1 UNION ALL SELECT 2 -- comment': 2,
      '/* comment */ SELECT 1;': 1,
      'DESCRIBE SELECT 1 AS a, 2 AS b': 2,
      'SUMMARIZE SELECT 1 AS a': 1,
      'SHOW TABLES': 0,
      'FROM (VALUES (1, 2)) AS t(a, b) UNPIVOT (v FOR n IN (a, b))': 2,
      'SELECT * FROM (SELECT 1 AS a) AS t, LATERAL (SELECT t.a + 1) AS u(b)': 1,
      'FROM (SELECT 1 AS k, 2 AS v) PIVOT (sum(v) FOR k IN (1, 2))': 1,
      'SELECT unnest([1, 2, 3]), INTERVAL 1 DAY -- cast': 3,
    };
    const rowCounts: Record<string, number> = {};
    for (const sql of Object.keys(queries)) rowCounts[sql] = (await db.answer(sql)).rowCount;

    expect(rowCounts).toEqual(queries);
  });
});
