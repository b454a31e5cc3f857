import {
  Bool,
  DateDay,
  Decimal,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  Float32,
  Float64,
  Int16,
  Int32,
  Int64,
  Int8,
  LargeUtf8,
  List,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Uint16,
  Uint32,
  Uint64,
  Uint8,
  Utf8,
} from 'apache-arrow';
import { SeededRandom } from '@quire/core/testing';
import { expect, test } from 'vitest';
import {
  columnOf,
  csvCellsOf,
  jsonCellsOf,
  jsonRowsOf,
  listColumnOf,
  textColumnOf,
} from './column-builder.ts';
import {
  obviousCsvText,
  obviousDate,
  obviousDecimal,
  obviousDouble,
  obviousFloat,
  obviousJsonText,
  obviousTimestamp,
} from './obvious-cells.ts';

const random = new SeededRandom(20_261_121);
const randomCount = 20_000;
const powersOfTen = Array.from({ length: 20 }, (_, exponent) => 10n ** BigInt(exponent));
const isNull = (row: number): boolean => row % 7 === 3;
const quoted = (text: string): string => `"${text}"`;
const orNull = (text: string, row: number): string => (isNull(row) ? 'null' : text);

/** Returns edge cases of formatting integers, then random ones, all of `bits` bits. */
function integersOf(bits: number, isSigned: boolean): bigint[] {
  const edges = powersOfTen.flatMap((power) => [power, power - 1n, -power, 1n - power]);
  const ends = [
    0n,
    1n,
    -1n,
    2n ** 53n,
    2n ** 63n,
    2n ** 63n - 1n,
    2n ** 31n,
    2n ** 31n - 1n,
    2n ** 63n + 1n,
  ];
  const randoms = new BigInt64Array(random.bytes(randomCount * 8).buffer);
  // Values of all lengths, because random bits nearly always give long numbers.
  const shifted = Array.from(randoms, (value, index) => value >> BigInt(index % 64));
  const all = [...edges, ...ends, ...shifted];
  return all.map((value) => (isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)));
}

test.each([
  [new Int8(), 8, Int8Array],
  [new Int16(), 16, Int16Array],
  [new Int32(), 32, Int32Array],
  [new Uint8(), 8, Uint8Array],
  [new Uint16(), 16, Uint16Array],
  [new Uint32(), 32, Uint32Array],
] as const)('integers of type %s are their digits', async (type, bits, array) => {
  const values = integersOf(bits, type.isSigned);
  const column = columnOf(type, values.length, array.from(values.map(Number)), isNull);
  expect(await jsonCellsOf(column)).toEqual(values.map((value, row) => orNull(String(value), row)));
});

test.each([[new Int64()], [new Uint64()]])(
  'integers of type %s keep all their digits',
  async (type) => {
    const values = integersOf(64, type.isSigned);
    const column = columnOf(
      type,
      values.length,
      type.isSigned ? BigInt64Array.from(values) : BigUint64Array.from(values),
    );
    // Not all unsigned integers are numbers that clients can represent.
    expect(await jsonCellsOf(column)).toEqual(
      values.map((value) => (type.isSigned ? String(value) : quoted(String(value)))),
    );
  },
);

test('doubles are written as JavaScript writes them, whatever their bits', async () => {
  const powersOfTwo = Array.from({ length: 2100 }, (_, index) => 2 ** (index - 1075));
  const decimals = Array.from({ length: 640 }, (_, index) => Number(`1e${index - 325}`));
  const short = Array.from(
    { length: randomCount },
    () =>
      Number(`${random.integer(10 ** (1 + random.integer(9)))}e-${random.integer(12)}`) *
      (random.integer(2) === 0 ? 1 : -1),
  );
  const edges = [
    0,
    -0,
    5e-324,
    Number.MAX_VALUE,
    2.225_073_858_507_201_4e-308,
    1e21,
    1e-6,
    1e-7,
    123_456_789_012_345_680_000,
  ];
  const near = [
    ...powersOfTwo,
    ...decimals,
    ...edges,
    2 ** 53,
    1e9,
    1e15,
    1e16,
    1e17,
    0.1,
    0.3,
    9.5e-7,
  ].flatMap((value) => {
    const bits = new BigInt64Array(Float64Array.of(value).buffer)[0] ?? 0n;
    return [value, -value, ...new Float64Array(BigInt64Array.of(bits + 1n, bits - 1n).buffer)];
  });
  const ofAnyBits = new Float64Array(random.bytes(randomCount * 16).buffer);
  const values = Float64Array.of(...near, ...short, ...ofAnyBits);
  const texts = Array.from(values, (value) =>
    Number.isFinite(value) ? obviousDouble(value) : quoted(String(value)),
  );
  expect(await jsonCellsOf(columnOf(new Float64(), values.length, values))).toEqual(texts);
});

test('floats are written in the fewest digits that name them, whatever their bits', async () => {
  const near = Array.from({ length: 280 }, (_, index) => Math.fround(2 ** (index - 150))).flatMap(
    (value) => {
      const bits = new Int32Array(Float32Array.of(value).buffer)[0] ?? 0;
      return [value, -value, ...new Float32Array(Int32Array.of(bits + 1, bits - 1).buffer)];
    },
  );
  const short = Array.from(
    { length: randomCount },
    () => random.integer(10 ** 8) / 10 ** random.integer(8),
  );
  const ofAnyBits = new Float32Array(random.bytes(randomCount * 4).buffer);
  const values = Float32Array.of(...near, ...short, ...ofAnyBits);
  const texts = Array.from(values, (value) =>
    Number.isFinite(value) ? obviousFloat(value) : quoted(String(value)),
  );
  expect(await jsonCellsOf(columnOf(new Float32(), values.length, values))).toEqual(texts);
});

test('NaN and the infinities have quotes in JSON and none in CSV', async () => {
  const values = Float64Array.of(Number.NaN, Infinity, -Infinity, -0);
  expect(await jsonCellsOf(columnOf(new Float64(), 4, values))).toEqual([
    '"NaN"',
    '"Infinity"',
    '"-Infinity"',
    '-0',
  ]);
  expect(await csvCellsOf(columnOf(new Float64(), 4, values))).toEqual([
    'NaN',
    'Infinity',
    '-Infinity',
    '-0',
  ]);
  expect(await csvCellsOf(columnOf(new Float32(), 4, Float32Array.from(values)))).toEqual([
    'NaN',
    'Infinity',
    '-Infinity',
    '-0',
  ]);
});

test.each([32, 64, 128, 256])(
  'decimals of %i bits are plain digits at every scale',
  async (bits) => {
    const words = new Int32Array(random.bytes((1000 * bits) / 8).buffer);
    const randoms = Array.from({ length: 1000 }, (_, row) => {
      let value = 0n;
      for (let word = (row + 1) * (bits / 32) - 1; word >= row * (bits / 32); word -= 1) {
        value = (value << 32n) | BigInt((words[word] ?? 0) >>> 0);
      }
      return BigInt.asIntN(bits, BigInt.asIntN(bits, value) >> BigInt(row % bits));
    });
    const edges = Array.from({ length: 78 }, (_, exponent) => 10n ** BigInt(exponent)).flatMap(
      (power) => [power, -power, power - 1n],
    );
    const end = 2n ** BigInt(bits - 1);
    const values = [
      0n,
      -1n,
      end - 1n,
      -end,
      ...edges.filter((value) => value < end && value > -end),
      ...randoms,
    ];
    const data = new Uint32Array((values.length * bits) / 32);
    for (const [row, value] of values.entries()) {
      for (let word = 0; word < bits / 32; word += 1) {
        data[(row * bits) / 32 + word] = Number(BigInt.asUintN(32, value >> BigInt(32 * word)));
      }
    }
    for (const scale of [0, 1, 2, 7, 8, 9, 18, 38, 76, -1, -5]) {
      const column = columnOf(new Decimal(scale, 38, bits), values.length, data, isNull);
      const texts = values.map((value, row) => orNull(quoted(obviousDecimal(value, scale)), row));
      expect(await jsonCellsOf(column)).toEqual(texts);
    }
  },
);

test('dates of all years are written, those before 1 as such', async () => {
  const ends = [
    -(2 ** 31),
    1 - 2 ** 31,
    2 - 2 ** 31,
    2 ** 31 - 1,
    2 ** 31 - 2,
    -719_162,
    -719_163,
    -719_528,
    2_932_896,
    2_932_897,
    0,
  ];
  const common = Array.from(
    { length: 40_000 },
    (_, index) => -719_500 + index * 91 + random.integer(91),
  );
  const values = Int32Array.of(
    ...ends,
    ...common,
    ...new Int32Array(random.bytes(randomCount).buffer),
  );
  const texts = Array.from(values, (value) => obviousDate(BigInt(value)));
  expect(await jsonCellsOf(columnOf(new DateDay(), values.length, values))).toEqual(
    texts.map(quoted),
  );
  expect(await csvCellsOf(columnOf(new DateDay(), values.length, values))).toEqual(texts);
});

test.each([
  [new TimestampSecond(), 0],
  [new TimestampMillisecond(), 3],
  [new TimestampMicrosecond(), 6],
  [new TimestampNanosecond(), 9],
] as const)(
  'timestamps of type %s are exact over their whole range',
  async (type, fractionDigits) => {
    const values = BigInt64Array.from(
      [
        0n,
        -1n,
        2n ** 63n - 1n,
        2n ** 63n - 2n,
        -(2n ** 63n),
        1n - 2n ** 63n,
        2n - 2n ** 63n,
      ].concat(integersOf(64, true)),
    );
    const texts = Array.from(values, (value) => obviousTimestamp(value, fractionDigits));
    expect(await jsonCellsOf(columnOf(type, values.length, values))).toEqual(texts.map(quoted));
  },
);

test('booleans are the bits from the first wanted row on', async () => {
  const bits = random.bytes(200);
  const texts = Array.from({ length: 1600 }, (_, row) =>
    orNull(String((((bits[row >> 3] ?? 0) >> (row & 7)) & 1) === 1), row),
  );
  const column = columnOf(new Bool(), 1600, bits, isNull);
  for (const start of [0, 1, 7, 8, 513, 1599]) {
    expect(await jsonCellsOf(column, start)).toEqual(texts.slice(start));
  }
});

test('text is escaped wherever it needs to be, and bytes that are not UTF-8 stay as they are', async () => {
  // Texts of all lengths around sixteen bytes, with no, few or many bytes that need an escape.
  const texts = Array.from({ length: 5000 }, (_, row) => {
    const bytes = random.bytes(random.integer(70));
    return Array.from(bytes, (byte) =>
      String.fromCharCode(row % 3 === 0 ? byte : row % 3 === 1 ? 32 + (byte % 90) : 97),
    ).join('');
  });
  for (const type of [new Utf8(), new LargeUtf8()]) {
    const column = textColumnOf(type, texts, isNull);
    const cells = texts.map((text, row) => orNull(obviousJsonText(text), row));
    expect(await jsonCellsOf(column)).toEqual(cells);
    expect(await jsonCellsOf(column, 4999)).toEqual(cells.slice(4999));
  }
  const singleLines = texts.map((text) => text.replaceAll(/[\n\r]/g, ','));
  expect(await csvCellsOf(textColumnOf(new Utf8(), singleLines))).toEqual(
    singleLines.map(obviousCsvText),
  );
  expect(await csvCellsOf(textColumnOf(new Utf8(), ['a', '', 'b'], (row) => row === 2))).toEqual([
    'a',
    '""',
    '\\N',
  ]);
});

test('bytes are hexadecimal', async () => {
  const bytes = random.bytes(30_000);
  const column = columnOf(new FixedSizeBinary(3), 10_000, bytes, isNull);
  const cells = Array.from({ length: 10_000 }, (_, row) =>
    orNull(quoted(Buffer.from(bytes.subarray(row * 3, row * 3 + 3)).toString('hex')), row),
  );
  expect(await jsonCellsOf(column)).toEqual(cells);
});

test('lists are arrays, and lists of lists strings that hold arrays of arrays, with nulls at every level', async () => {
  const numbers = Array.from({ length: 9000 }, () => random.integer(1000) - 500);
  const innerType = new List(new Field('item', new Int32(), true));
  const pairType = new FixedSizeList(2, new Field('item', innerType, true));
  const innerOffsets = Int32Array.from({ length: 3001 }, (_, row) => row * 3);
  const items = columnOf(new Int32(), 9000, Int32Array.from(numbers), (row) => row % 11 === 0);
  const inner = listColumnOf(innerType, 3000, items, innerOffsets, (row) => row % 5 === 4);
  const pairs = listColumnOf(pairType, 1500, inner, undefined, isNull);
  const innerValue = (row: number): unknown =>
    row % 5 === 4
      ? null
      : numbers
          .slice(row * 3, row * 3 + 3)
          .map((value, index) => ((row * 3 + index) % 11 === 0 ? null : value));
  const values = Array.from({ length: 1500 }, (_, row) =>
    isNull(row) ? null : [innerValue(row * 2), innerValue(row * 2 + 1)],
  );
  const cells = await jsonCellsOf(pairs);
  expect(cells).toEqual(
    values.map((value) => (value === null ? 'null' : JSON.stringify(JSON.stringify(value)))),
  );
  expect(await jsonCellsOf(inner, 1)).toEqual(
    Array.from({ length: 2999 }, (_, row) => JSON.stringify(innerValue(row + 1))),
  );
  expect(await jsonCellsOf(pairs, 701)).toEqual(cells.slice(701));
});

test('rows too large for the memory stand among those that fit', async () => {
  const texts = Array.from({ length: 1200 }, (_, row) =>
    row % 400 === 7 ? `"${'é\n'.repeat(150_000 + row)}` : `text ${row}`,
  );
  const numbers = Int32Array.from(texts, (_, row) => row);
  const utf8 = texts.map((text) => Buffer.from(text).toString('latin1'));
  const rows = await jsonRowsOf([
    columnOf(new Int32(), 1200, numbers),
    textColumnOf(new Utf8(), utf8),
  ]);
  expect(rows).toEqual(utf8.map((text, row) => [row, text]));
});

test('a null that has a large text behind it is as any other', async () => {
  const column = textColumnOf(new Utf8(), ['a', 'b'.repeat(1_000_000), 'c'], (row) => row === 1);
  expect(await csvCellsOf(column)).toEqual(['a', '\\N', 'c']);
  expect(await jsonCellsOf(column)).toEqual(['"a"', 'null', '"c"']);
});

test('a row may have more columns than the memory has room for', async () => {
  const column = columnOf(new Int32(), 3, Int32Array.of(1, 2, 3));
  const rows = await jsonRowsOf(Array.from({ length: 20_000 }, () => column));
  expect(rows).toEqual([1, 2, 3].map((value) => Array.from({ length: 20_000 }, () => value)));
});

test('offsets that lead out of the column are refused, and the rows of others are as before', async () => {
  const column = textColumnOf(new Utf8(), ['a', 'b', 'c', 'd']);
  const offsets = column.valueOffsets as Int32Array;
  offsets[2] = 100_000_000;
  await expect(jsonCellsOf(column)).rejects.toMatchObject({ code: 'RESULT_CORRUPT' });
  offsets[2] = 2;
  expect(await jsonCellsOf(column)).toEqual(['"a"', '"b"', '"c"', '"d"']);
});

test('nested cells of very different sizes stand in blocks of as many rows as fit', async () => {
  const sizes = Array.from({ length: 300 }, (_, row) => (row % 50 === 20 ? 200_000 : row % 3));
  const offsets = Int32Array.of(
    0,
    ...sizes.map((_, row) => sizes.slice(0, row + 1).reduce((sum, size) => sum + size, 0)),
  );
  const items = columnOf(
    new Int32(),
    offsets.at(-1) ?? 0,
    new Int32Array(offsets.at(-1) ?? 0).fill(7),
  );
  const column = listColumnOf(
    new List(new Field('item', new Int32(), true)),
    300,
    items,
    offsets,
    isNull,
  );
  const cells = await jsonCellsOf(column);
  expect(cells).toEqual(
    sizes.map((size, row) => orNull(`[${'7,'.repeat(size).slice(0, -1)}]`, row)),
  );
});
