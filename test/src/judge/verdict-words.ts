import fc from 'fast-check';

/** Names of columns, most of them of the sound table. */
export const column = fc.oneof(
  {
    arbitrary: fc.constantFrom(
      'id',
      'name',
      'doc',
      'price',
      'cost',
      'at',
      'day',
      'seen',
      'tags',
      'isGone',
      'place',
    ),
    weight: 12,
  },
  { arbitrary: fc.constantFrom('vector', 'weight', 'counts', 'sketch', 'attributes'), weight: 4 },
  {
    arbitrary: fc.constantFrom('none', '', 'Name', '$docId', 'a b', 'attributes__KEYS'),
    weight: 2,
  },
);
export const columns = fc.array(column, { minLength: 1, maxLength: 2 });
/** Expressions, sound ones and others. */
export const expression = fc.constantFrom(
  'upper(name)',
  'id',
  'now()',
  "jsonPathString(doc, '$.a')",
  'uper(name)',
  'price * 2',
  'cost + id',
  'concat(name, day)',
  "concat(name, '-', day)",
  'toEpochDays("at")',
  'Groovy({name + 1}, name)',
  'name ||',
  '',
  ' ',
  "fromDateTime(day, 'yyyy-MM-dd')",
  'split(name)',
  'arrayLength(tags)',
  "name IN ('x', 'y')",
  'CASE WHEN id > 5 THEN name ELSE day END',
  'CAST(id AS STRING)',
  'CAST(id AS X)',
  'id > 5 AND NOT isNull(name)',
  "'text'",
  '5',
  'other',
  'upper(other)',
  'name; DROP',
  '(name',
  'name)',
  "name LIKE 'x%'",
  'id BETWEEN 1 AND 5',
  'sum(id)',
  'lookup(name)',
  '-id',
  "jsonExtractScalar(doc, '$.a', 'INT')",
  "timeConvert(\"at\", 'MILLISECONDS', 'DAYS')",
);
export const period = fc.constantFrom(
  '7d',
  '1h',
  '4h30m',
  '30s',
  'x',
  '7',
  '',
  '0d',
  '-1d',
  '1w',
  '7 d',
  'P7D',
  '1.5d',
  '100ms',
  '1D',
);
export const count = fc.constantFrom<unknown>(
  '1',
  '2',
  '3',
  '10',
  2,
  '0',
  '-1',
  'x',
  '1.5',
  '',
  ' 2',
  '99999999999',
);
export const tag = fc.constantFrom(
  'DefaultTenant_OFFLINE',
  'cold_REALTIME',
  'cold',
  '_OFFLINE',
  'cold_offline',
  '',
);
/** One of the values. */
export const words = (...some: readonly unknown[]) => fc.constantFrom<unknown>(...some);
/** An object with one or two members. */
export const some = (key: fc.Arbitrary<string>, value: fc.Arbitrary<unknown>) =>
  fc.dictionary(key, value, { minKeys: 1, maxKeys: 2 }) as fc.Arbitrary<unknown>;
