import { describe, expect, test } from 'vitest';
import { ManualClock } from '@quire/core/testing';
import {
  runPipeline,
  type SourceRow,
  type SourceValue,
  validateTableConfig,
  validateTableSchema,
} from '../../src/index.ts';
import { inferSchema } from '../../src/infer/schema-inference.ts';
import { proposeTableConfig } from '../../src/infer/propose-table-config.ts';

/** Returns the inferred type of a column of these values. */
function inferColumn(values: readonly SourceValue[], name = 'x', readsText = false) {
  const { columns } = inferSchema(
    values.map((value) => ({ [name]: value })),
    { readsText },
  );
  const { kind, dataType, isMultiValue, isNullable, time } = columns[0] ?? {};
  return [
    kind,
    dataType,
    isMultiValue === true ? 'lists' : 'single',
    isNullable === true ? 'nullable' : 'notNull',
    time?.format.format,
  ];
}

describe('types widen over all rows', () => {
  test.each<[string, SourceValue[], string | undefined, string, string]>([
    ['integers of 32 bits', [1, -(2 ** 31), 2 ** 31 - 1], 'INT', 'dimension', 'single'],
    ['one of more than 32 bits', [1, 2 ** 31], 'LONG', 'dimension', 'single'],
    ['one of more than 53 bits', [1, 2n ** 63n - 1n], 'LONG', 'dimension', 'single'],
    ['one of more than 64 bits', [1, 2n ** 63n], 'BIG_DECIMAL', 'metric', 'single'],
    ['fractions among integers', [1, 2 ** 40, 0.5], 'DOUBLE', 'metric', 'single'],
    [
      'fractions among integers of more than 53 bits',
      [0.5, 2n ** 60n + 1n],
      'BIG_DECIMAL',
      'metric',
      'single',
    ],
    [
      'infinities among integers of more than 53 bits',
      [Number.NaN, 2n ** 60n + 1n],
      'DOUBLE',
      'metric',
      'single',
    ],
    ['true and false', [true, false], 'BOOLEAN', 'dimension', 'single'],
    ['true and numbers', [true, 1], 'STRING', 'dimension', 'single'],
    ['text among numbers', [1, 2.5, 'n/a'], 'STRING', 'dimension', 'single'],
    ['bytes', [new Uint8Array([1])], 'BYTES', 'dimension', 'single'],
    ['text that holds JSON', ['{"a": 1}', '[1, 2]'], 'JSON', 'dimension', 'single'],
    ['text of which some holds JSON', ['{"a": 1}', '{a'], 'STRING', 'dimension', 'single'],
    ['lists of integers', [[1, 2], []], 'INT', 'dimension', 'lists'],
    ['lists and single values', [[1, 2], 0.5], 'DOUBLE', 'dimension', 'lists'],
    ['lists of objects', [[{ a: 1 }], [{ b: 2 }]], 'JSON', 'dimension', 'single'],
    ['lists of lists', [[[1], [2]]], 'JSON', 'dimension', 'single'],
  ])('types widen over all rows: %s', (_, values, dataType, kind, shape) => {
    expect(inferColumn(values).slice(0, 3)).toEqual([kind, dataType, shape]);
    expect(inferColumn(values.toReversed()).slice(0, 3)).toEqual([kind, dataType, shape]);
  });

  test.each<[string, SourceValue[], string, string]>([
    ['decimals', ['0.50', null, '-12'], 'BIG_DECIMAL', 'Every value is a decimal.'],
    ['decimals that look like dates', ['20240101'], 'BIG_DECIMAL', 'Every value is a decimal.'],
    ['decimals and numbers', ['0.50', 0.5, 7], 'BIG_DECIMAL', 'some have more digits than a'],
    ['decimals and an infinity', ['0.50', Infinity], 'DOUBLE', 'some have fractions'],
    ['decimals and text of another file', ['0.50', 'n/a'], 'STRING', 'decimal (1), text (1)'],
    ['lists of decimals', [['0.50']], 'STRING', 'Every element of its lists is text.'],
  ])('texts of a field of decimals are numbers: %s', (_, values, dataType, reason) => {
    const rows = values.map((field) => ({ field, word: '0.50' }));
    const { columns } = inferSchema(rows, { decimals: new Set(['field']) });
    expect(columns.map((column) => column.dataType)).toEqual([dataType, 'STRING']);
    expect(columns[0]?.reason).toContain(reason);
  });

  test('a null, an empty list or a missing field makes a column nullable; a column of nothing else is left out', () => {
    const { schema, explanations } = inferSchema([
      { a: 1, b: null, c: [1] },
      { a: 2, c: [] },
      { a: 3, d: '' },
    ]);
    expect(schema.dimensionFieldSpecs).toEqual([
      { name: 'a', dataType: 'INT', singleValueField: true, notNull: true },
      { name: 'c', dataType: 'INT', singleValueField: false, notNull: false },
      { name: 'd', dataType: 'STRING', singleValueField: true, notNull: false },
    ]);
    expect(explanations.at(-1)).toEqual({
      path: '',
      message: 'Omitted, because they have no value in any row: b.',
    });
  });

  test('text longer than columns hold by default is given room', () => {
    const { schema } = inferSchema([{ a: 'x'.repeat(600), b: 'x'.repeat(512) }]);
    expect(schema.dimensionFieldSpecs?.map(({ maxLength }) => maxLength)).toEqual([
      2048,
      undefined,
    ]);
  });
});

describe('times', () => {
  test.each<[string, string, SourceValue[], string, string]>([
    [
      'seen',
      'timestamps',
      ['2024-02-29 12:30:00', '2024-03-01T00:00:00.123Z'],
      'TIMESTAMP',
      'TIMESTAMP',
    ],
    ['seen', 'dates', ['2024-02-29', '1969-12-31'], 'STRING', 'SIMPLE_DATE_FORMAT|yyyy-MM-dd'],
    ['seen', 'dates with slashes', ['2024/02/29'], 'STRING', 'SIMPLE_DATE_FORMAT|yyyy/MM/dd'],
    [
      'createdAt',
      'milliseconds',
      [1_700_000_000_000, 1_600_000_000_123],
      'LONG',
      'EPOCH|MILLISECONDS|1',
    ],
    ['event_time', 'seconds', [1_700_000_000, 1_600_000_000], 'LONG', 'EPOCH|SECONDS|1'],
    ['ts', 'microseconds', [1_700_000_000_000_000], 'LONG', 'EPOCH|MICROSECONDS|1'],
    ['ts', 'nanoseconds', [1_700_000_000_000_000_001n], 'LONG', 'EPOCH|NANOSECONDS|1'],
    ['epochDay', 'days', [19_700], 'LONG', 'EPOCH|DAYS|1'],
    [
      'orderDate',
      'dates as integers',
      [20_240_229, 20_231_231],
      'INT',
      'SIMPLE_DATE_FORMAT|yyyyMMdd',
    ],
  ])('times: %s: %s', (name, _, values, dataType, format) => {
    expect(inferColumn(values, name)).toEqual(['dateTime', dataType, 'single', 'notNull', format]);
  });

  test.each<[string, string, SourceValue[], string]>([
    ['number', 'milliseconds without a name that says so', [1_700_000_000_000], 'LONG'],
    ['createdAt', 'one value out of range', [1_700_000_000_000, 17], 'LONG'],
    ['seen', 'a date that is not one', ['2024-02-29', '2023-02-29'], 'STRING'],
    ['seen', 'two formats', ['2024-02-29', '2024-02-29 10:00'], 'STRING'],
    ['seen', 'more digits than milliseconds', ['2024-02-29 12:30:00.123456'], 'STRING'],
    ['orderDate', 'an eight-digit integer that is not a date', [20_241_301], 'INT'],
  ])('times: %s is not one: %s', (name, _, values, dataType) => {
    expect(inferColumn(values, name).slice(0, 2)).toEqual(['dimension', dataType]);
  });
});

test('text of CSV is read as what it writes, where that is written the same again', () => {
  expect(inferColumn(['1', '', '-20'], 'x', true)).toEqual([
    'dimension',
    'INT',
    'single',
    'nullable',
    undefined,
  ]);
  expect(inferColumn(['1.5', '2'], 'x', true)).toEqual([
    'metric',
    'DOUBLE',
    'single',
    'notNull',
    undefined,
  ]);
  expect(inferColumn(['true', 'FALSE'], 'x', true)).toEqual([
    'dimension',
    'BOOLEAN',
    'single',
    'notNull',
    undefined,
  ]);
  expect(inferColumn(['007', '12'], 'x', true)).toEqual([
    'dimension',
    'STRING',
    'single',
    'notNull',
    undefined,
  ]);
  expect(inferColumn(['1', '2'])).toEqual(['dimension', 'STRING', 'single', 'notNull', undefined]);
});

test.each<[string, string[], string, string]>([
  ['numbers that are whole but have a point', ['1.0', '2.0'], 'DOUBLE', 'metric'],
  ['numbers with exponents', ['1e5', '3E7'], 'DOUBLE', 'metric'],
  ['a number with a point among integers', ['1', '2.0'], 'DOUBLE', 'metric'],
  ['milliseconds with a point', ['1700000000000.0'], 'DOUBLE', 'metric'],
  ['all digits of a double', ['0.30000000000000004', '-0.0', '1.50'], 'DOUBLE', 'metric'],
  [
    '17 digits, which determine a double',
    ['0.10000000000000001', '2.2999999999999998', '-1.0000000000000000e-03', '0.0'],
    'DOUBLE',
    'metric',
  ],
  ['more digits than a double keeps', ['12345678901234567.89', '0.5'], 'STRING', 'dimension'],
  ['17 digits of no double', ['0.90000000000000006', '0.5'], 'STRING', 'dimension'],
  ['amounts of 17 digits', ['999999999999999.01', '0.5'], 'STRING', 'dimension'],
])('a column of CSV with %s takes all its values', async (_, values, dataType, kind) => {
  expect(inferColumn(values, 'createdAt', true).slice(0, 2)).toEqual([kind, dataType]);
  const rows = values.map((createdAt) => ({ createdAt }));
  const { schema } = inferSchema(rows, { readsText: true });
  const { dropped } = await runPipeline(rows, { config: {}, schema, clock: new ManualClock() });
  expect(dropped).toEqual([]);
});

test('a field that cannot be the name of a column never takes the name of another field', () => {
  for (const row of [
    { $id: 'A', id: 'B' },
    { id: 'B', $id: 'A' },
    { 'a b': 1, a_b: 2, a_b_2: 3 },
  ]) {
    const { columns } = inferSchema([row]);
    const names = columns.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const taken = columns.filter(({ name, source }) => name !== source && Object.hasOwn(row, name));
    expect(taken).toEqual([]);
  }
  const { columns } = inferSchema([{ $id: 'A', id: 'B' }]);
  expect(columns.map(({ name, source }) => [name, source])).toEqual([
    ['id_2', '$id'],
    ['id', 'id'],
  ]);
});

describe('a whole table', () => {
  const rows: SourceRow[] = [
    {
      id: 1,
      user: { name: 'Ada', 'home town': 'London' },
      price: 2.5,
      at: '2024-01-01 10:00:00',
      tags: ['a', 'b'],
      items: [{ n: 1 }],
    },
    { id: 2, user: { name: 'Bo' }, price: 3, at: '2024-01-02 10:00:00', tags: [], items: [] },
  ];
  const inferred = inferSchema(rows, { schemaName: 'orders' });

  test('a whole table is flattened, named, and explained', () => {
    expect(inferred.schema).toEqual({
      schemaName: 'orders',
      enableColumnBasedNullHandling: true,
      dimensionFieldSpecs: [
        { name: 'id', dataType: 'INT', singleValueField: true, notNull: true },
        { name: 'user.name', dataType: 'STRING', singleValueField: true, notNull: true },
        { name: 'user.home_town', dataType: 'STRING', singleValueField: true, notNull: false },
        { name: 'tags', dataType: 'STRING', singleValueField: false, notNull: false },
        { name: 'items', dataType: 'JSON', singleValueField: true, notNull: false },
      ],
      metricFieldSpecs: [
        { name: 'price', dataType: 'DOUBLE', singleValueField: true, notNull: true },
      ],
      dateTimeFieldSpecs: [
        {
          name: 'at',
          dataType: 'TIMESTAMP',
          singleValueField: true,
          notNull: true,
          format: 'TIMESTAMP',
          granularity: 'MILLISECONDS|1',
        },
      ],
    });
    expect(inferred.explanations.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      '/dimensionFieldSpecs/0: id is INT. Every value is an integer of 32 bits.',
      '/dimensionFieldSpecs/1: user.name is STRING. Every value is text.',
      '/dimensionFieldSpecs/2: user.home_town is STRING. Every value is text. It has no value in some rows. ' +
        'Its field is ‘user.home town’, which cannot be the name of a column.',
      '/metricFieldSpecs/0: price is DOUBLE. Every value is a number, and some have fractions.',
      '/dateTimeFieldSpecs/0: at is TIMESTAMP. Every value is a time in the format TIMESTAMP from 2024-01-01 to 2024-01-02.',
      '/dimensionFieldSpecs/3: tags is multi-value STRING. Every element of its lists is text. It has no value in some rows.',
      '/dimensionFieldSpecs/4: items is JSON. It contains lists of objects or lists, which are stored as JSON. It has no value in some rows.',
    ]);
  });

  test('a whole table gets a config that breaks no rule, each choice explained', () => {
    const { config, explanations } = proposeTableConfig(inferred);
    expect(config).toEqual({
      tableName: 'orders',
      tableType: 'OFFLINE',
      segmentsConfig: { replication: '1', timeColumnName: 'at' },
      tenants: { broker: 'DefaultTenant', server: 'DefaultTenant' },
      tableIndexConfig: {
        loadMode: 'MMAP',
        nullHandlingEnabled: true,
        jsonIndexColumns: ['items'],
        noDictionaryColumns: ['price'],
      },
      ingestionConfig: {
        batchIngestionConfig: {
          segmentIngestionType: 'APPEND',
          segmentIngestionFrequency: 'DAILY',
        },
        transformConfigs: [{ columnName: 'user.home_town', transformFunction: '"user.home town"' }],
        complexTypeConfig: { delimiter: '.', collectionNotUnnestedToJson: 'NON_PRIMITIVE' },
      },
    });
    expect(explanations.map(({ path }) => path)).toEqual([
      '/tableType',
      '/segmentsConfig/replication',
      '/segmentsConfig/timeColumnName',
      '/ingestionConfig/transformConfigs',
      '/ingestionConfig/complexTypeConfig',
      '/tableIndexConfig/jsonIndexColumns',
      '/tableIndexConfig/noDictionaryColumns',
    ]);
    expect(validateTableSchema(inferred.schema)).toEqual([]);
    expect(validateTableConfig(config, { schema: inferred.schema })).toEqual([]);
  });

  test('a whole table without rows has no columns, and no time column', () => {
    const nothing = inferSchema([]);
    expect(nothing.columns).toEqual([]);
    expect(proposeTableConfig(nothing).explanations.at(-1)).toEqual({
      path: '/segmentsConfig/timeColumnName',
      message: 'There is no time column: no column has times between 1971 and 2071 only.',
    });
  });

  test('a whole table has no more columns than asked for, and says so', () => {
    const wide = Object.fromEntries(Array.from({ length: 30 }, (_, place) => [`c${place}`, place]));
    const { columns, explanations } = inferSchema([wide, wide], { columnsMax: 10 });
    expect(columns).toHaveLength(10);
    expect(explanations.at(-1)).toEqual({
      path: '',
      message: 'Only the first 10 columns are in the schema.',
    });
  });

  test('nested deeper than anything sensible is looked at no further', () => {
    let deep: SourceRow = { leaf: 1 };
    for (let depth = 0; depth < 5000; depth += 1) deep = { a: deep };
    expect(inferSchema([deep, { b: 1 }]).columns.map(({ name }) => name)).toEqual(['b']);
  });
});
