import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestEngine } from './test-engine.ts';

let db: TestEngine;
beforeAll(async () => {
  db = await TestEngine.open();
});
afterAll(() => db[Symbol.asyncDispose]());

const times = `(VALUES (TIMESTAMP '2024-02-29 12:34:56.789', 1709210096789), (TIMESTAMP '1969-12-31 23:59:59.5', -500)) t(ts, ms)`;

describe('a query as clients of Apache Pinot write it', () => {
  test.each([
    // The grains of Superset's engine for Pinot, over timestamps and over milliseconds.
    [
      `SELECT CAST(DATE_TRUNC('hour', CAST(ms AS TIMESTAMP)) AS TIMESTAMP) FROM ${times}`,
      ['2024-02-29 12:00:00', '1969-12-31 23:00:00'],
    ],
    [
      `SELECT CAST(ROUND(DATE_TRUNC('minute', CAST(ts AS TIMESTAMP)), 300000) AS TIMESTAMP) FROM ${times}`,
      ['2024-02-29 12:30:00', '1970-01-01 00:00:00'],
    ],
    [
      `SELECT CAST(ROUND(DATE_TRUNC('minute', CAST(ms AS TIMESTAMP)), 1800000) AS TIMESTAMP) FROM ${times} LIMIT 1`,
      ['2024-02-29 12:30:00'],
    ],
    [
      `SELECT DATETIMECONVERT(ms, '1:MILLISECONDS:EPOCH', '1:MILLISECONDS:EPOCH', '1:MILLISECONDS') FROM ${times}`,
      ['1709210096789', '-500'],
    ],
    [
      `SELECT DATETIMECONVERT(ms, '1:MILLISECONDS:EPOCH', '1:HOURS:EPOCH', '1:DAYS') FROM ${times}`,
      ['474768', '0'],
    ],
    [
      `SELECT DATETIMECONVERT(ms, '1:MILLISECONDS:EPOCH', '1:DAYS:SIMPLE_DATE_FORMAT:yyyy-MM-dd', '1:DAYS') FROM ${times}`,
      ['2024-02-29', '1969-12-31'],
    ],
    [
      `SELECT DATETIMECONVERT(ms, 'EPOCH|MILLISECONDS|1', 'SIMPLE_DATE_FORMAT|yyyyMMdd HH:mm|Asia/Tokyo', '15:MINUTES') FROM ${times}`,
      ['20240229 21:30', '19700101 08:45'],
    ],
    [
      `SELECT DATETIMECONVERT('20240229', '1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd', '1:DAYS:EPOCH', '1:DAYS')`,
      ['19782'],
    ],
    [`SELECT DATETRUNC('DAY', ms) FROM ${times}`, ['1709164800000', '-86400000']],
    [
      `SELECT DATETRUNC('week', ms, 'MILLISECONDS', 'Europe/Berlin', 'SECONDS') FROM ${times} LIMIT 1`,
      ['1708902000'],
    ],
    [
      `SELECT TODATETIME(ms, 'yyyy-MM-dd''T''HH:mm:ss.SSS') FROM ${times}`,
      ['2024-02-29T12:34:56.789', '1969-12-31T23:59:59.500'],
    ],
    [
      `SELECT ToDateTime(ts, 'EEE d MMM yy h a', 'America/New_York') FROM ${times} LIMIT 1`,
      ['Thu 29 Feb 24 7 AM'],
    ],
    [`SELECT FROMDATETIME('2024-02-29 12:34', 'yyyy-MM-dd HH:mm')`, ['1709210040000']],
    [`SELECT FROMDATETIME('29.02.2024', 'dd.MM.yyyy', 'Europe/Berlin')`, ['1709161200000']],
    [`SELECT count(*) FROM ${times} WHERE ms < ago('P1DT2H')`, ['2']],
    [
      `SELECT count(*) FROM ${times} WHERE ts < AGO('PT5M') AND ts > FROMDATETIME('2000', 'yyyy')`,
      ['1'],
    ],
    [`SELECT count(*) FROM ${times} WHERE ts < AGO('PT5M')`, ['2']],
    [`SELECT now() - 86400000 > max(ms) FROM ${times}`, ['true']],
    [`SELECT TIMECONVERT(ms, 'MILLISECONDS', 'DAYS') FROM ${times} LIMIT 1`, ['19782']],
    [`SELECT CAST(CAST(g AS TIMESTAMP) AS LONG) FROM range(10000) t(g) WHERE g > 9998`, ['9999']],
    [`SELECT sum(CAST(ts AS LONG)) FROM ${times}`, ['1709210096289']],
    [`SELECT CAST(ts AS LONG) FROM ${times}`, ['1709210096789', '-500']],
    [
      `SELECT DISTINCTCOUNT(a) + DISTINCTCOUNTHLL(a) + DistinctCountHLL(a, 12) FROM (VALUES (1), (1), (2), (NULL)) t(a)`,
      ['6'],
    ],
    [`SELECT PERCENTILE(a, 50) FROM (VALUES (1), (2), (3), (4), (NULL)) t(a)`, ['3']],
    [`SELECT PERCENTILE95(a) + percentileest50(a) FROM range(100) t(a)`, ['145']],
    [`SELECT PERCENTILE(a, 100) FROM range(10) t(a)`, ['9']],
    [`SELECT PERCENTILE(a, 50) FROM range(0) t(a)`, [null]],
    [`SELECT PERCENTILETDIGEST(a, 50) FROM range(11) t(a)`, ['5']],
    ['SELECT a FROM range(10) t(a) ORDER BY a LIMIT 3, 2', ['3', '4']],
    [
      'SET useMultistageEngine = true; SET timeoutMs=1; SELECT 1 OPTION(timeoutMs=100, x = 1);',
      ['1'],
    ],
    [
      `SELECT 'LIMIT 1, 2 OPTION(a=1)' /* ROUND(now(), 5000) */ AS "default.x" FROM range(3) LIMIT 2, 1 -- LIMIT 7, 7`,
      ['LIMIT 1, 2 OPTION(a=1)'],
    ],
    [
      `SELECT $$now() - 5$$ || "ago('P1D')" FROM (SELECT 'x' AS "ago('P1D')") LIMIT 0, 1`,
      ['now() - 5x'],
    ],
  ])('is answered: %s', async (sql, cells) => {
    expect((await db.answer(sql)).column(0)).toEqual(cells);
  });

  test('has a plan', async () => {
    const answer = await db.answer(
      'EXPLAIN PLAN FOR SELECT a, sum(a) FROM range(10) t(a) WHERE a > 1 GROUP BY a LIMIT 0, 5',
    );

    expect(answer.columns).toEqual(['Operator: Utf8', 'Operator_Id: Int32', 'Parent_Id: Int32']);
    expect(answer.column(2)).toEqual(['-1', ...answer.column(1).slice(0, -1)]);
    expect(answer.column(0)).toContain('FILTER(Expression: (a > 1))');
  });

  test('is bound to its parameters', async () => {
    const answer = await db.answer('SELECT a FROM range(10) t(a) WHERE a > ? LIMIT 1, 1', [
      { type: 'INT', value: 5 },
    ]);
    expect(answer.rows()).toEqual([['7']]);
  });
});

test('tables go by their full names', async () => {
  const path = fileURLToPath(
    new URL('../../../node_modules/vega-datasets/data/airports.csv', import.meta.url),
  );
  await using tables = await TestEngine.open({
    tables: [{ name: 'Airports', path, format: 'auto' }],
  });
  const names = [
    'default.airports',
    '"default".airports',
    '"DEFAULT"."Airports"',
    'airports_OFFLINE',
    'default.AIRPORTS_offline',
  ];

  for (const name of names) {
    const answer = await tables.answer(
      `SELECT count(*) FROM ${name} AS a JOIN airports USING (iata)`,
    );
    expect([name, answer.column(0)]).toEqual([name, ['3376']]);
  }
  expect((await tables.failure('FROM airports_REALTIME')).message).toContain('There is Airports.');
  expect((await tables.answer('SHOW TABLES')).rows()).toEqual([['Airports']]);
});

describe('what DuckDB understands means what it means there', () => {
  test.each([
    ['SELECT typeof(now())', ['TIMESTAMP WITH TIME ZONE']],
    ['SELECT round(1234567, 2000)', ['1234567']],
    [`SELECT "default".x FROM (SELECT {'x': 1} AS "default")`, ['1']],
    [`SELECT date_trunc('day', DATE '2024-02-29')`, ['2024-02-29 00:00:00']],
    [`SELECT 1 AS option FROM range(1) ago`, ['1']],
  ])('%s', async (sql, cells) => {
    expect((await db.answer(sql)).column(0)).toEqual(cells);
  });

  test.each([
    [`SELECT TODATETIME(0, 'yyyy ww')`, 'QUERY_INVALID', 'no format for ‘ww’'],
    [
      `SELECT DATETIMECONVERT(0, '1:MILLISECONDS:EPOCH', '1:DAYS:SIMPLE_DATE_FORMAT:yyyy', '7:DAYS')`,
      'QUERY_INVALID',
      '‘7:DAYS’',
    ],
    [`SELECT AGO('P1')`, 'QUERY_INVALID', '‘P1’ is not a duration'],
    ['SELECT nothing FROM range(1) LIMIT 1, 2', 'COLUMN_NOT_FOUND', 'nothing'],
    ['SELECT FROM WHERE LIMIT 1, 2', 'QUERY_SYNTAX', 'LINE 1'],
    ['EXPLAIN PLAN FOR SELECT * FROM nowhere', 'TABLE_NOT_FOUND', 'nowhere'],
    [`EXPLAIN PLAN FOR SELECT * FROM read_csv('/etc/passwd')`, 'QUERY_INVALID', 'read_csv'],
    [`EXPLAIN PLAN FOR SET threads = 1`, 'QUERY_INVALID', 'Expected a SELECT'],
    [`SET x = 1; SET threads = 1`, 'QUERY_INVALID', 'Expected a SELECT'],
  ])('is refused as it should be: %s', async (sql, code, message) => {
    const failure = await db.failure(sql);
    expect([failure.code, failure.message]).toEqual([code, expect.stringContaining(message)]);
  });
});
