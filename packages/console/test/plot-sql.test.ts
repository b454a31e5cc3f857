import { expect, test } from 'vitest';
import { firstWish } from '../app/plot/plot-sql.ts';
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
