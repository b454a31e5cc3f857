import { describe, expect, test } from 'vitest';
import { column, run } from '../run.ts';

describe('values become those of their column’s type', () => {
  test.each([
    ['INT', '12', 12],
    ['INT', 12.9, 12],
    ['LONG', '9223372036854775807', 9_223_372_036_854_775_807n],
    ['LONG', true, 1],
    ['FLOAT', 0.1, Math.fround(0.1)],
    ['DOUBLE', '1e3', 1000],
    ['BIG_DECIMAL', 1e21, '1000000000000000000000'],
    ['BOOLEAN', 'TRUE', true],
    ['TIMESTAMP', '2024-02-29 12:00:00.5', Date.UTC(2024, 1, 29, 12, 0, 0, 500)],
    ['STRING', 1.5, '1.5'],
    ['STRING', { a: 1n }, '{"a":1}'],
    ['JSON', [1, 'x'], '[1,"x"]'],
    ['JSON', '{"a":1}', '{"a":1}'],
    ['BYTES', '00ff', new Uint8Array([0, 255])],
    ['INT', [7], 7],
    ['MAP', { a: 1 }, { a: 1 }],
  ])('%s, example %#', async (type, value, expected) => {
    const { rows } = await run([{ a: value }], { dimensions: [column('a', type)] });
    expect(rows.map(({ fields }) => fields)).toEqual([{ a: expected }]);
  });

  test('columns of several values take one, several or none', async () => {
    const dimensions = [column('a', 'INT', { singleValueField: false })];
    const { rows } = await run([{ a: ['1', null, 2] }, { a: '3' }, { a: [] }], { dimensions });
    expect(rows.map(({ fields, nullFields }) => [fields, nullFields])).toEqual([
      [{ a: [1, 2] }, []],
      [{ a: [3] }, []],
      [{ a: [-2_147_483_648] }, ['a']],
    ]);
  });
});

test.each([
  ['INT', 'x', 'Expected a number as a value of INT, found the text ‘x’.'],
  ['INT', 2 ** 31, '2147483648 does not fit INT, which has 32 bits.'],
  ['LONG', 1e19, 'Expected an integer of 64 bits as a value of LONG, found the number 10000000000000000000.'],
  ['STRING', ['a', 'b'], 'A collection of 2 values does not fit a column of single values of STRING.'],
  ['BOOLEAN', 'maybe', 'Expected a boolean as a value of BOOLEAN, found the text ‘maybe’.'],
])('%s of %j fails: %s', async (type, value, reason) => {
  const dimensions = [column('a', type)];
  const failed = await run([{ a: value }], { dimensions });
  expect(failed.dropped).toEqual([{ sourceIndex: 0, step: 'dataType', kind: 'failed', column: 'a', reason }]);
  const kept = await run([{ a: value }], { dimensions, ingestion: { continueOnError: true } });
  expect(kept.rows.map(({ nullFields, isIncomplete }) => [nullFields, isIncomplete])).toEqual([[['a'], true]]);
});
