import { expect, test } from 'vitest';
import { column, now, run } from '../run.ts';

const types = [
  'INT',
  'LONG',
  'FLOAT',
  'DOUBLE',
  'BIG_DECIMAL',
  'BOOLEAN',
  'TIMESTAMP',
  'STRING',
  'JSON',
  'BYTES',
];

test('columns without a value get the default of their type, and are named', async () => {
  const { rows } = await run([{ STRING: null }], {
    dimensions: types.map((type) => column(type, type)),
  });
  expect(rows).toEqual([
    {
      sourceIndex: 0,
      fields: {
        INT: -2_147_483_648,
        LONG: -9_223_372_036_854_775_808n,
        FLOAT: -Infinity,
        DOUBLE: -Infinity,
        BIG_DECIMAL: '0',
        BOOLEAN: false,
        TIMESTAMP: 0,
        STRING: 'null',
        JSON: 'null',
        BYTES: new Uint8Array(0),
      },
      nullFields: types,
      isIncomplete: false,
      isSanitized: false,
    },
  ]);
});

test('numbers of metrics are 0', async () => {
  const metrics = ['INT', 'LONG', 'FLOAT', 'DOUBLE'].map((type) => column(type, type));
  const { rows } = await run([{}], { metrics });
  expect(rows[0]?.fields).toEqual({ INT: 0, LONG: 0, FLOAT: 0, DOUBLE: 0 });
});

test('the schema may give another default; one of another type is a finding', async () => {
  const dimensions = [
    column('a', 'INT', { defaultNullValue: '7' }),
    column('b', 'STRING', { defaultNullValue: '?', singleValueField: false }),
    column('c', 'INT', { defaultNullValue: 'x' }),
  ];
  const { rows, findings } = await run([{}], { dimensions });
  expect(rows[0]?.fields).toEqual({ a: 7, b: ['?'], c: -2_147_483_648 });
  expect(findings.map(({ path, code }) => [path, code])).toEqual([
    ['/dimensionFieldSpecs/2/defaultNullValue', 'PIPELINE_DEFAULT_VALUE'],
  ]);
});

test('the time column gets the present time, unless its default is a time', async () => {
  const format = 'SIMPLE_DATE_FORMAT|yyyy-MM-dd';
  const at = async (more: object) => {
    const times = [column('t', 'STRING', { format, ...more })];
    return (await run([{}], { times, timeColumnName: 't' })).rows[0]?.fields;
  };
  expect(await at({})).toEqual({ t: new Date(now).toISOString().slice(0, 10) });
  expect(await at({ defaultNullValue: '2020-01-01' })).toEqual({ t: '2020-01-01' });
});
