import { describe, expect, test } from 'vitest';
import type { SourceValue } from '../../../src/row.ts';
import { column, run } from '../run.ts';

describe('values become those of their column’s type', () => {
  test.each([
    ['INT', '12', 12],
    ['INT', 12.9, 12],
    ['LONG', '9223372036854775807', 9_223_372_036_854_775_807n],
    ['LONG', [7], 7],
    ['BOOLEAN', true, true],
    ['BOOLEAN', 'maybe', false],
    ['INT', 2 ** 31, -(2 ** 31)],
    ['FLOAT', 0.1, Math.fround(0.1)],
    ['DOUBLE', '1e3', 1000],
    ['BIG_DECIMAL', 1e21, '1000000000000000000000'],
    ['BOOLEAN', 'TRUE', true],
    ['TIMESTAMP', '2024-02-29 12:00:00.5', Date.UTC(2024, 1, 29, 12, 0, 0, 500)],
    ['TIMESTAMP', 8.64e15, 8.64e15],
    ['LONG', -(2n ** 63n), -(2n ** 63n)],
    ['STRING', 1.5, '1.5'],
    ['STRING', { a: 1n }, '1'],
    ['JSON', [1, 'x'], '[1,"x"]'],
    ['JSON', '{"a": 1.50}', '{"a":1.5}'],
    ['JSON', 'abc', '"abc"'],
    ['BYTES', '00ff', new Uint8Array([0, 255])],
    ['INT', [7], 7],
    ['MAP', { a: 1 }, { a: 1 }],
  ])(
    'values become those of their column’s type: %s, example %#',
    async (type, value, expected) => {
      const { rows } = await run([{ a: value }], { dimensions: [column('a', type)] });
      expect(rows.map(({ fields }) => fields)).toEqual([{ a: expected }]);
    },
  );

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
  ['INT', 'x', '‘x’ is not an integer of 32 bits.'],
  ['INT', '2.50', '‘2.50’ is not an integer of 32 bits.'],
  ['LONG', true, '‘true’ is not an integer of 64 bits.'],
  ['TIMESTAMP', 5, 'A value of type INTEGER cannot be converted to TIMESTAMP.'],
  [
    'TIMESTAMP',
    1_700_000_000_000_000_000n,
    '‘1700000000000000000’ is outside the calendar, which ends in the year 275760; expected milliseconds since 1970.',
  ],
  [
    'TIMESTAMP',
    '-8640000000000001',
    '‘-8640000000000001’ is outside the calendar, which ends in the year 275760; expected milliseconds since 1970.',
  ],
  [
    'TIMESTAMP',
    '999999999-01-01',
    '‘999999999-01-01’ is not a timestamp: expected epoch milliseconds or 2024-02-29 12:34:56.',
  ],
  ['TIMESTAMP', 2n ** 63n, '9223372036854775808 is not an integer of 64 bits.'],
  ['LONG', 2n ** 63n, '9223372036854775808 is not an integer of 64 bits.'],
  ['STRING', ['a', 'b'], 'A collection of 2 values cannot be converted to a single value.'],
])('%s of %s fails: %s', async (type, value, reason) => {
  const dimensions = [column('a', type)];
  const failed = await run([{ a: value }], { dimensions });
  expect(failed.dropped).toEqual([
    { sourceIndex: 0, step: 'dataType', kind: 'failed', column: 'a', reason },
  ]);
  const kept = await run([{ a: value }], { dimensions, ingestion: { continueOnError: true } });
  expect(kept.rows.map(({ nullFields, isIncomplete }) => [nullFields, isIncomplete])).toEqual([
    [['a'], true],
  ]);
});

const half = '\ud83d';

test.each<[type: string, value: SourceValue]>([
  ['STRING', `a${half}`],
  ['STRING', { a: half }],
  ['JSON', { a: half, b: 1 }],
  ['JSON', { [half]: 1 }],
  ['JSON', half],
  ['JSON', '{"a":"\\\\\\ud83d"}'],
  ['MAP', { a: { b: [half] } }],
])(
  'half of a surrogate pair fails the row, never becomes another character: %s, example %#',
  async (type, value) => {
    const reason =
      'The text has half of a surrogate pair; expected Unicode text: it was cut in the middle of a character.';
    const dimensions = [column('a', type)];
    const { dropped } = await run([{ a: value }], { dimensions });
    expect(dropped).toMatchObject([{ step: 'dataType', column: 'a', reason }]);
    if (typeof value !== 'string') return;
    const lists = [column('a', type, { singleValueField: false })];
    const { rows, dropped: failed } = await run([{ a: ['x', value] }, { a: ['x'] }], {
      dimensions: lists,
    });
    expect([rows.length, failed[0]?.column]).toEqual([1, 'a']);
  },
);

test('whole pairs, and texts that show the escape of a half, are stored', async () => {
  const dimensions = [column('s'), column('j', 'JSON'), column('m', 'MAP')];
  const whole = { a: '\u{1f600}', b: String.raw`\ud83d`, c: String.raw`\\ud83d` };
  const { rows } = await run([{ s: whole.a + whole.b, j: whole, m: whole }], { dimensions });
  const { s, j, m } = rows[0]?.fields ?? {};
  expect([s, JSON.parse(j as string), m]).toEqual([whole.a + whole.b, whole, whole]);
});
