import { expect, test } from 'vitest';
import { gridColumnsOf } from '../app/query/grid-columns.ts';
import {
  type FilterKind,
  findQuery,
  statisticsQuery,
  viewQuery,
  wholeView,
} from '../app/query/row-view.ts';

const columns = gridColumnsOf({
  columns: [
    { name: 'price', dataType: 'DOUBLE' },
    { name: 'Price', dataType: 'STRING' },
    { name: '', dataType: 'STRING' },
    { name: 'a"b', dataType: 'TIMESTAMP' },
    { name: 'id', dataType: 'BYTES' },
  ],
});
const [price, text, nameless, quoted, bytes] = columns as [
  (typeof columns)[0],
  (typeof columns)[0],
  (typeof columns)[0],
  (typeof columns)[0],
  (typeof columns)[0],
];

test('columns have the names that a query over the result knows them by', () => {
  expect(columns.map(({ resultName }) => resultName)).toEqual([
    'price',
    'Price_1',
    'column2',
    'a"b',
    'id',
  ]);
});

test('the whole result needs no query', () => {
  expect(viewQuery('id', wholeView)).toBeUndefined();
});

test('filters and an order are one query, whatever texts and names hold', () => {
  expect(
    viewQuery('id', {
      filters: [
        { column: price, kind: 'above', value: ' 1e3 ' },
        { column: price, kind: 'equals', value: "1'; DROP" },
        { column: text, kind: 'contains', value: "O'Hare" },
        { column: nameless, kind: 'null', value: '' },
      ],
      sort: { column: quoted, direction: 'descending' },
    }),
  ).toBe(
    [
      'SELECT *',
      "FROM result('id')",
      'WHERE "price" > 1e3',
      `  AND "price" = '1''; DROP'`,
      `  AND contains(lower(CAST("Price_1" AS VARCHAR)), lower('O''Hare'))`,
      '  AND "column2" IS NULL',
      'ORDER BY "a""b" DESC NULLS LAST',
    ].join('\n'),
  );
});

test('bytes are compared as the digits that the grid shows', () => {
  const conditionOf = (kind: FilterKind) =>
    viewQuery('id', { filters: [{ column: bytes, kind, value: 'AAff' }], sort: undefined });
  const rows = "SELECT *\nFROM result('id')\nWHERE";
  expect(conditionOf('equals')).toBe(`${rows} lower(hex("id")) = 'aaff'`);
  expect(conditionOf('below')).toBe(`${rows} lower(hex("id")) < 'aaff'`);
  expect(conditionOf('starts')).toBe(`${rows} starts_with(lower(lower(hex("id"))), lower('AAff'))`);
  expect(statisticsQuery('id', bytes, 1)).toContain('CAST(min(lower(hex("id"))) AS VARCHAR)');
});

test('the next cell with a text is found in the dialects of all engines, which filter by WHERE', () => {
  expect(findQuery('id', text, { text: "O'Hare", row: 4 })).toBe(
    `SELECT min(place) FILTER (WHERE place > 5), min(place), count(*) FROM (SELECT row_number() OVER () AS place, CAST("Price_1" AS VARCHAR) AS text FROM result('id')) WHERE contains(lower(text), lower('O''Hare'))`,
  );
});
