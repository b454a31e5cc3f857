import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestEngine } from './test-engine.ts';

let db: TestEngine;
beforeAll(async () => {
  db = await TestEngine.open();
});
afterAll(() => db[Symbol.asyncDispose]());

const query = 'SELECT r % 3 AS k, count(*) FROM range(1000) AS t(r) WHERE r >= 100 GROUP BY 1';

describe('EXPLAIN', () => {
  test('EXPLAIN gives the steps of the plan, each with the step it feeds, and runs nothing', async () => {
    const answer = await db.answer(`-- the plan\nexplain ${query}`);
    expect(answer.columns).toEqual(['Operator: Utf8', 'Operator_Id: Int32', 'Parent_Id: Int32']);
    expect(answer.column(1)).toEqual(answer.column(1).map((_, index) => String(index)));
    expect(answer.column(2)[0]).toBe('-1');
    expect(answer.column(0)).toContainEqual(
      expect.stringMatching(/^HASH_GROUP_BY.*Aggregates: count_star/),
    );
    const endless = 'SELECT count(*) FROM range(1000000000000) a, range(1000000) b';
    expect((await db.answer(`EXPLAIN ${endless}`)).rowCount).toBeGreaterThan(0);
  });

  test.each([
    '/* a comment */ ',
    '/* /* one in */ another */ -- and\r ',
    '/**/'.repeat(500),
    '/* a /* b /* c */ */ d */',
  ])('EXPLAIN follows comments: %.40s', async (comments) => {
    const { fields } = await db.answer(`${comments}EXPLAIN ${query}`);
    expect(fields.map(({ name }) => name)).toContain('Operator');
  });

  // A pattern that backtracked in each comment would take years for these.
  test.each(['/**/', '/*/**/*/', '--\n', '-- \r', ' \n'])(
    'EXPLAIN is looked for once where a query begins with many of %j',
    async (comment) => {
      expect((await db.answer(`${comment.repeat(500)}SELECT 1`)).rows()).toEqual([['1']]);
    },
  );

  test('EXPLAIN ANALYZE runs the query, and gives the rows and the time of each step', async () => {
    const answer = await db.answer(`EXPLAIN ANALYZE ${query}`);
    expect(answer.columns).toEqual([
      'Operator: Utf8',
      'Operator_Id: Int32',
      'Parent_Id: Int32',
      'Rows: Int64',
      'Time_Ms: Float64',
    ]);
    const [top] = answer.rows();
    expect(top?.[0]).toMatch(/^(?:PROJECTION|HASH_GROUP_BY)/);
    expect(top?.slice(1, 4)).toEqual(['0', '-1', '3']);
    expect(answer.column(3)).toContain('900');
    for (const time of answer.column(4)) expect(Number(time)).toBeGreaterThanOrEqual(0);
  });

  test('EXPLAIN ANALYZE is described without a run, and is bound to parameters', async () => {
    const endless = 'SELECT count(*) FROM range(1000000000000) a, range(1000000) b';
    const { schema } = await db.engine.describe(
      { sql: `EXPLAIN ANALYZE ${endless}` },
      { limits: { timeoutMs: 240_000 } },
    );
    expect(schema.fields.map(({ name }) => name)).toEqual([
      'Operator',
      'Operator_Id',
      'Parent_Id',
      'Rows',
      'Time_Ms',
    ]);
    const answer = await db.answer('EXPLAIN ANALYZE SELECT r FROM range(10) t(r) WHERE r < ?', [
      { type: 'INT', value: 4 },
    ]);
    expect(answer.column(3)).toContain('4');
  });

  test('EXPLAIN ANALYZE is held to the time limit of a query', async () => {
    const sql =
      'EXPLAIN ANALYZE SELECT count(*) FROM range(1000000) a(i), range(1000000) b(j) WHERE i * j % 7 = 3';
    await expect(db.engine.execute({ sql }, { limits: { timeoutMs: 50 } })).rejects.toMatchObject({
      code: 'QUERY_TIMED_OUT',
    });
  });

  test.each([
    [
      "EXPLAIN ANALYZE SELECT CAST('x' || r AS INTEGER) FROM range(3) t(r)",
      'LINE 1: EXPLAIN ANALYZE SELECT CAST(',
    ],
    ["EXPLAIN ANALYZE SELECT to_days(r::INTEGER), error('x') FROM range(3) t(r)", 'Error: x'],
    ["EXPLAIN ANALYZE SELECT error('x') FROM range(3) t(r) WHERE r < ?", 'Error: x'],
  ])('EXPLAIN ANALYZE fails as the query does: %s', async (sql, message) => {
    const parameters = sql.includes('?') ? ([{ type: 'INT', value: 4 }] as const) : undefined;
    expect(await db.failure(sql, parameters)).toMatchObject({
      code: 'QUERY_FAILED',
      message: expect.stringContaining(message),
    });
  });

  test('EXPLAIN may be followed by a semicolon, as a query may', async () => {
    const plan = (await db.answer(`EXPLAIN ${query}`)).rows();
    expect((await db.answer(`EXPLAIN ; ${query};;`)).rows()).toEqual(plan);
  });

  test('EXPLAIN is also written as Apache Pinot has it', async () => {
    expect((await db.answer(`EXPLAIN PLAN FOR ${query}`)).rows()).toEqual(
      (await db.answer(`EXPLAIN ${query}`)).rows(),
    );
  });

  test('EXPLAIN names places in the text that the caller wrote, and hides tables that are not there', async () => {
    expect((await db.failure('EXPLAIN SELECT 1 FRM t')).message).toContain(
      'LINE 1: EXPLAIN SELECT 1 FRM t'.replace('EXPLAIN ', '        '),
    );
    await expect(db.failure('EXPLAIN SELECT * FROM nowhere')).resolves.toMatchObject({
      code: 'TABLE_NOT_FOUND',
    });
    await expect(db.failure("EXPLAIN SELECT * FROM '/etc/passwd'")).resolves.toMatchObject({
      code: expect.stringMatching(/TABLE_NOT_FOUND|QUERY_INVALID/),
    });
  });
});
