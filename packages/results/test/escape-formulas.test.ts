import { type Data, Field, Int32, LargeUtf8, makeData, Schema, Utf8 } from 'apache-arrow';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeText, encodeTextSync } from '../src/encode/text-rows.ts';
import type { PageBatch } from '../src/plain-batches.ts';
import { columnOf, textColumnOf } from './column-builder.ts';

/** Writes rows `[start, end)` of columns as CSV by both of its implementations. */
async function csvOf(
  columns: Readonly<Record<string, Data>>,
  {
    escapesFormulas = true,
    start = 0,
    end = Object.values(columns)[0]?.length ?? 0,
    metadata = new Map<string, string>(),
  } = {},
): Promise<string> {
  const schema = new Schema(
    Object.entries(columns).map(([name, { type }]) => new Field(name, type, true, metadata)),
  );
  const batch = { rowCount: end, columns: Object.values(columns) };
  async function* batches(): AsyncGenerator<PageBatch> {
    yield { batch, rows: { start, end } };
  }
  const chunks = await Array.fromAsync(
    encodeText('csv', { schema, batches: batches(), pool: undefined }, { escapesFormulas }),
  );
  const atOnce = encodeTextSync(
    'csv',
    { schema, batches: [{ batch, rows: { start, end } }] },
    { escapesFormulas },
  );
  expect(Buffer.concat(chunks).equals(atOnce)).toBe(true);
  return Buffer.from(atOnce).toString('latin1');
}

const numbers = columnOf(new Int32(), 2, Int32Array.of(-1, -2));

test('an apostrophe comes before texts and names that a spreadsheet takes for formulas, and before nothing else', async () => {
  const texts = [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\tx',
    '\rx',
    '',
    ' =1',
    'a=1',
    "'=1",
    '"=1"',
    '1',
    'null',
  ];
  const column = textColumnOf(new Utf8(), texts, (row) => texts[row] === 'null');
  const escaped = await csvOf({ '=name': column });
  expect(escaped.split('\n')).toEqual([
    "'=name",
    "'=1+1",
    "'+1",
    "'-1",
    "'@SUM(A1)",
    "'\tx",
    '"\'\rx"',
    '""',
    ' =1',
    'a=1',
    "'=1",
    '"""=1"""',
    '1',
    '\\N',
    '',
  ]);
});

test('numbers stay numbers, also those that the data file keeps as text', async () => {
  const huge = textColumnOf(new Utf8(), ['-170141183460469231731687303715884105728', '+1']);
  expect(await csvOf({ n: numbers })).toBe('n\n-1\n-2\n');
  const metadata = new Map([['quire:columnDataType', 'BIG_DECIMAL']]);
  expect(await csvOf({ n: huge, m: numbers }, { metadata })).toBe(
    await csvOf({ n: huge, m: numbers }, { metadata, escapesFormulas: false }),
  );
});

test('without it, every text is as it is', async () => {
  const column = textColumnOf(new Utf8(), ['=1', '@']);
  expect(await csvOf({ '=a': column, b: numbers }, { escapesFormulas: false })).toBe(
    '=a,b\n=1,-1\n@,-2\n',
  );
});

test('rows of any batch, in the middle of it as well, have the cells of plain CSV with the apostrophes', async () => {
  const text = fc.oneof(
    fc.constantFrom('=', '-', '+x', '@', '\t', 'plain', '', ',', '=","'),
    fc.string({ unit: 'binary-ascii', maxLength: 12 }),
    fc.integer({ min: 1000, max: 300_000 }).map((length) => `=${'x'.repeat(length)}`),
  );
  const table = fc.array(fc.tuple(text, fc.option(text)), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.boolean(),
      fc.nat(40),
      fc.nat(40),
      async (rows, isLarge, from, length) => {
        const start = Math.min(from, rows.length);
        const end = Math.min(rows.length, start + length);
        const type = isLarge ? new LargeUtf8() : new Utf8();
        const escape = (cell: string): string => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell);
        const columnsOf = (change: (cell: string) => string): Record<string, Data> => ({
          a: textColumnOf(
            type,
            rows.map(([first]) => change(first)),
          ),
          b: textColumnOf(
            type,
            rows.map(([, second]) => change(second ?? '')),
            (row) => rows[row]?.[1] === null,
          ),
        });
        const expected = await csvOf(columnsOf(escape), { escapesFormulas: false, start, end });
        expect(
          await csvOf(
            columnsOf((cell) => cell),
            { start, end },
          ),
        ).toBe(expected);
      },
    ),
    { numRuns: 200 },
  );
});

test('a column that is a part of a longer one keeps its nulls and texts apart', async () => {
  const column = textColumnOf(new Utf8(), ['x', '=a', '=b', 'c', '=d'], (row) => row === 2);
  const part = makeData({
    type: new Utf8(),
    length: 3,
    offset: 1,
    nullCount: 1,
    nullBitmap: column.nullBitmap,
    valueOffsets: column.valueOffsets.subarray(1),
    data: column.values as Uint8Array,
  });
  expect(await csvOf({ a: part, n: columnOf(new Int32(), 3, Int32Array.of(1, 2, 3)) })).toBe(
    "a,n\n'=a,1\n,2\nc,3\n",
  );
});
