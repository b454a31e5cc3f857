import { expect, test } from 'vitest';
import { column, run } from '../run.ts';

test('minus zero, NaN and zeros at the end of decimals are made one with what they equal', async () => {
  const dimensions = [
    column('double', 'DOUBLE'),
    column('doubles', 'DOUBLE', { singleValueField: false }),
    column('decimal', 'BIG_DECIMAL'),
    column('zeros', 'BIG_DECIMAL', { allowTrailingZeros: true }),
  ];
  const { rows } = await run(
    [
      { double: -0, doubles: [1, Number.NaN], decimal: '1.500', zeros: '1.500' },
      { double: Number.NaN, doubles: [Number.NaN], decimal: '100', zeros: '100' },
    ],
    { dimensions },
  );
  expect(rows.map(({ fields, nullFields }) => [fields, nullFields])).toEqual([
    [{ double: 0, doubles: [1], decimal: '1.5', zeros: '1.500' }, []],
    [
      { double: -Infinity, doubles: [-Infinity], decimal: '100', zeros: '100' },
      ['double', 'doubles'],
    ],
  ]);
});
