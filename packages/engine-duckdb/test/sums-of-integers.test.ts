import { MiB } from '@quire/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestEngine } from './test-engine.ts';

let db: TestEngine;
beforeAll(async () => {
  db = await TestEngine.open();
});
afterAll(() => db[Symbol.asyncDispose]());

const max = '9223372036854775807';
const min = '-9223372036854775808';
const overMax = '9223372036854775808';
const underMin = '-9223372036854775809';

async function typeAndCells(sql: string): Promise<[string | undefined, unknown[]]> {
  const answer = await db.answer(sql);
  return [String(answer.fields[0]?.type), answer.column(0)];
}

describe('a sum of integers', () => {
  test.each([
    ['SELECT sum(a) FROM (VALUES (1), (2), (NULL)) t(a)', ['3']],
    ['SELECT sum(a) FROM (VALUES (1)) t(a) WHERE a > 1', [null]],
    ['SELECT sum(a) FROM (VALUES (1)) t(a) WHERE a > 1 GROUP BY a', []],
    [`SELECT sum(a) FROM (VALUES (${max} - 1), (1)) t(a)`, [max]],
    [`SELECT sum(a) FROM (VALUES (${min} + 1), (-1)) t(a)`, [min]],
    ['SELECT -coalesce(sum(a), 0) + sum(a) * 2 AS x FROM (VALUES (1::UTINYINT), (2)) t(a)', ['3']],
    ['SELECT sum(a) OVER (ORDER BY a) FROM (VALUES (1), (2)) t(a)', ['1', '3']],
    ['SELECT count_if(a > 1) FROM (VALUES (1), (2)) t(a)', ['1']],
    ['SELECT list_sum([1, 2])', ['3']],
    [`SELECT list_aggregate([1, 2], 'sum')`, ['3']],
    ['SELECT * FROM (SELECT SUM(a) AS s FROM (VALUES (1), (2)) t(a)) WHERE s > 1', ['3']],
    ['WITH w AS (SELECT "sum"(a) AS s FROM range(4) t(a)) FROM w', ['6']],
  ])('a sum of integers is Int64 where it fits: %s', async (sql, cells) => {
    expect(await typeAndCells(sql)).toEqual(['Int64', cells]);
  });

  test.each([
    [`SELECT sum(a) FROM (VALUES (${max}), (1)) t(a)`, [overMax]],
    [`SELECT sum(a) FROM (VALUES (${min}), (-1)) t(a)`, [underMin]],
    [
      `SELECT sum(a) FROM (VALUES (1, 1), (2, ${max}), (2, 1), (3, NULL)) t(g, a) GROUP BY g ORDER BY g`,
      ['1', overMax, null],
    ],
    ['SELECT sum(a)::HUGEINT FROM (VALUES (1), (2)) t(a)', ['3']],
    ['SELECT 1::HUGEINT AS a', ['1']],
    ['SELECT sum(a) FROM (VALUES (1::DECIMAL(10, 0)), (2)) t(a)', ['3']],
  ])(
    'a sum of integers is Decimal128 where it does not, or the query wants it so: %s',
    async (sql, cells) => {
      expect(await typeAndCells(sql)).toEqual(['Decimal[38e0]', cells]);
    },
  );

  test('a sum of integers decides for each column alone', async () => {
    const answer = await db.answer(
      `SELECT sum(a) AS a, 'x' AS t, sum(b) AS b, max(b) AS m FROM (VALUES (${max}, 1), (1, 2)) t(a, b)`,
    );

    expect(answer.columns).toEqual(['a: Decimal[38e0]', 't: Utf8', 'b: Int64', 'm: Int32']);
    expect(answer.rows()).toEqual([[overMax, 'x', '3', '2']]);
  });

  test('a sum of integers goes with structs without names, at any depth, and with parameters', async () => {
    const answer = await db.answer(
      "SELECT row(1, 'a') AS r, [{'x': row(1)}] AS l, INTERVAL 1 DAY AS i, sum(a) AS s FROM (VALUES (1), (2)) t(a)",
    );
    expect([answer.fields[3]?.type.toString(), answer.rows()]).toEqual([
      'Int64',
      [[{ element1: '1', element2: 'a' }, [{ x: { element1: '1' } }], '1 day', '3']],
    ]);
    const bound = await db.answer(
      'SELECT row(a) AS r, sum(a + ?) AS s FROM range(2) t(a) GROUP BY a ORDER BY a',
      [{ type: 'INT', value: 3 }],
    );
    expect(bound.rows()).toEqual([
      [{ element1: '0' }, '3'],
      [{ element1: '1' }, '4'],
    ]);
  });

  test('a sum of integers keeps names that repeat, and goes with columns that are cast', async () => {
    const answer = await db.answer(
      `SELECT sum(a) AS x, sum(b) AS x, INTERVAL 1 DAY AS i FROM (VALUES (1, 2)) t(a, b)`,
    );

    expect(answer.columns).toEqual(['x: Int64', 'x: Int64', 'i: Utf8']);
    expect(answer.rows()).toEqual([['1', '2', '1 day']]);
  });

  test('a sum of integers is decided with the values of parameters', async () => {
    const sql = 'SELECT sum(a + ?) AS s FROM (VALUES (1), (2)) t(a); -- done';

    const small = await db.answer(sql, [{ type: 'INT', value: 1 }]);
    const large = await db.answer(sql, [{ type: 'LONG', value: '9223372036854775800' }]);

    expect([small.columns, small.rows()]).toEqual([['s: Int64'], [['5']]]);
    expect([large.columns, large.rows()]).toEqual([
      ['s: Decimal[38e0]'],
      [['18446744073709551603']],
    ]);
  });
});

describe('a sum in a long answer', () => {
  const rowCount = 7_000;
  const answerOf = (last: string): string =>
    `SELECT s, repeat('x', 10000) AS p FROM (SELECT g, sum(a) AS s FROM (FROM range(${rowCount}) r(g), (VALUES (1), (2)) v(a)
     UNION ALL SELECT ${rowCount}, unnest([${last}, 1])) GROUP BY g ORDER BY g)`;

  test.each([
    ['Int64', `${max} - 1`, max],
    ['Decimal[38e0]', max, overMax],
  ])(
    'a sum in a long answer is %s from the first row on, also when there is no room to keep the answer',
    async (type, summand, last) => {
      await using small = await TestEngine.open({ memoryMaxBytes: 64 * MiB, spillMaxBytes: 0 });
      const answer = await small.answer(answerOf(summand));

      expect(String(answer.fields[0]?.type)).toBe(type);
      expect([answer.rowCount, answer.column(0).at(0), answer.column(0).at(-1)]).toEqual([
        rowCount + 1,
        '3',
        last,
      ]);
    },
  );
});

test('a query with sums that fails says where', async () => {
  const failure = await db.failure(
    `SELECT sum(a), CAST(min(t) AS INTEGER) FROM (VALUES (1, 'x')) t(a, t)`,
  );

  expect([failure.code, failure.message]).toEqual([
    'QUERY_FAILED',
    expect.stringContaining(`LINE 1: SELECT sum(a), CAST(min(t)`),
  ]);
});

test('a query with sums may begin with a semicolon, which changes no position in a message', async () => {
  const answer = await db.answer(';; SELECT sum(a) AS s FROM range(3) t(a); -- all');
  expect([answer.columns, answer.rows()]).toEqual([['s: Int64'], [['3']]]);
  const failure = await db.failure(
    "/* a */; SELECT sum(a), CAST(min('x' || a) AS INTEGER) FROM range(3) t(a)",
  );
  expect(failure.message).toContain(`CAST(min('x' || a) AS`);
  expect(failure.message).toMatch(/\n {32}\^$/);
});
