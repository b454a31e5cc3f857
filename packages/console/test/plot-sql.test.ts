import { expect, test } from 'vitest';
import { firstWish, plotQuery, plotSource } from '../app/plot/plot-sql.ts';
import { gridColumnsOf } from '../app/query/grid-columns.ts';

const columnsOf = (types: Readonly<Record<string, string>>) =>
  gridColumnsOf({
    columns: Object.entries(types).map(([name, dataType]) => ({ name, dataType })),
  });

test.each([
  [{ origin: 'STRING', n: 'LONG', delay: 'DOUBLE' }, 229, 'bars', 'origin', 'sum'],
  [{ day: 'TIMESTAMP', origin: 'STRING', n: 'LONG' }, 180, 'line', 'day', 'sum'],
  [{ hour: 'INT', n: 'LONG' }, 24, 'line', 'hour', 'sum'],
  [{ date: 'TIMESTAMP', delay: 'LONG', origin: 'STRING' }, 3_000_000, 'bars', 'origin', 'count'],
  [{ delay: 'LONG', distance: 'LONG' }, 3_000_000, 'histogram', 'delay', 'count'],
  [{ origin: 'STRING' }, 10, 'bars', 'origin', 'count'],
  [{ tags: 'STRING_ARRAY' }, 10, 'bars', undefined, 'count'],
])('a result of %j and %i rows is plotted at first as %s', (types, rowCount, kind, x, measure) => {
  const wish = firstWish(columnsOf(types), rowCount);
  expect([wish.kind, wish.x?.name, wish.measure]).toEqual([kind, x, measure]);
});

const repeated = gridColumnsOf({
  columns: [
    { name: 'n', dataType: 'STRING' },
    { name: 'v', dataType: 'INT' },
    { name: 'v', dataType: 'INT' },
  ],
});

test('a chart is drawn of the stored rows, where the second of two columns of one name has its own', () => {
  const sql = "SET timeoutMs = 1; SELECT 'a' AS n, 1 AS v, 100 AS v";
  const readable = plotSource('id', repeated, undefined);
  const [x, , y] = readable.columns as typeof repeated & [(typeof repeated)[0]];
  expect(plotQuery(readable.sql, { kind: 'bars', x, y, measure: 'sum' })).toBe(
    `SELECT CAST("n" AS VARCHAR) AS x, CAST(sum("v_1") AS DOUBLE) AS y FROM (SELECT *\nFROM result('id')\n) AS result GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 21`,
  );
  expect(plotSource('id', repeated, sql).columns.map(({ resultName }) => resultName)).toEqual([
    'n',
    'v',
    'v',
  ]);
});

test('the options of a query are before that of its chart, and its comment ends within', () => {
  const [x] = repeated as typeof repeated & [(typeof repeated)[0]];
  const sql = "SET a = ';'; SET b = 1;\nSELECT n FROM t -- all;\n;";
  expect(plotQuery(sql, { kind: 'line', x, y: undefined, measure: 'count' })).toBe(
    `SET a = ';'; SET b = 1; SELECT "n" AS x, CAST(count(*) AS DOUBLE) AS y FROM (SELECT n FROM t -- all;\n\n) AS result WHERE "n" IS NOT NULL GROUP BY 1 ORDER BY 1 LIMIT 2001`,
  );
});
