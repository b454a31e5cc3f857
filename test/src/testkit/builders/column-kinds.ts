import {
  Binary,
  Bool,
  type DataType,
  DateDay,
  Decimal,
  Dictionary,
  Field,
  FixedSizeBinary,
  FixedSizeList,
  Float32,
  Float64,
  Int16,
  Int32,
  Int64,
  List,
  Map_,
  Null,
  Struct,
  TimestampMicrosecond,
  TimestampNanosecond,
  Uint64,
  Uint8,
  Utf8,
} from 'apache-arrow';
import fc from 'fast-check';

/**
 * One kind of column: its Arrow type, values of it, and the JSON cell of a value in the slow,
 * obvious way.
 */
export interface ColumnKind {
  readonly type: DataType;
  readonly columnDataType: string;
  readonly values: fc.Arbitrary<unknown>;
  readonly json: (value: never) => string;
}

const kind = <T>(
  type: DataType,
  columnDataType: string,
  values: fc.Arbitrary<T>,
  json: (value: T) => string,
): ColumnKind => ({
  type,
  columnDataType,
  values,
  json,
});

const text = fc.string({ unit: 'binary', maxLength: 20 }).map((value) => value.toWellFormed());
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const quoted = (value: string): string => JSON.stringify(value);

function doubleJson(value: number): string {
  return Number.isFinite(value) ? (Object.is(value, -0) ? '-0' : String(value)) : `"${value}"`;
}

function fraction(units: bigint, digits: number): string {
  return units.toString().padStart(digits, '0').replace(/0+$/, '').padEnd(1, '0');
}

function timestampJson(units: bigint, digits: number): string {
  const perSecond = 10n ** BigInt(digits);
  const rest = ((units % perSecond) + perSecond) % perSecond;
  const milliseconds = Number((units - rest) / perSecond) * 1000;
  return `"${new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')}.${fraction(rest, digits)}"`;
}

const optional = (name: string, type: DataType): Field => new Field(name, type, true);

/** The words of a 128-bit integer, as apache-arrow's builders require them. */
function decimalWords(value: bigint): Uint32Array {
  return Uint32Array.from([0n, 32n, 64n, 96n], (shift) =>
    Number(BigInt.asUintN(32, value >> shift)),
  );
}

function wordsToBigInt(words: Uint32Array): bigint {
  return BigInt.asIntN(
    128,
    [...words].reduceRight((value, word) => (value << 32n) | BigInt(word), 0n),
  );
}

function decimalJson(words: Uint32Array): string {
  const value = wordsToBigInt(words);
  const digits = String(value < 0n ? -value : value).padStart(5, '0');
  return `"${value < 0n ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}"`;
}

/** One column of each kind that pages consist of. */
export const columnKinds: readonly ColumnKind[] = [
  kind(new Uint8(), 'INT', fc.integer({ min: 0, max: 255 }), String),
  kind(new Int16(), 'INT', fc.integer({ min: -32_768, max: 32_767 }), String),
  kind(new Int32(), 'INT', int32, String),
  kind(new Int64(), 'LONG', fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), String),
  kind(new Uint64(), 'BIG_DECIMAL', fc.bigInt(0n, 2n ** 64n - 1n), (value) =>
    quoted(String(value)),
  ),
  kind(
    new Float32(),
    'FLOAT',
    fc
      .float({ noNaN: true, noDefaultInfinity: true, min: -1000, max: 1000 })
      .map((value) => Math.round(value * 8) / 8),
    doubleJson,
  ),
  kind(new Float64(), 'DOUBLE', fc.double(), doubleJson),
  kind(new Bool(), 'BOOLEAN', fc.boolean(), String),
  kind(new Utf8(), 'STRING', text, quoted),
  kind(
    new Dictionary(new Utf8(), new Int32()),
    'STRING',
    fc.constantFrom('red', 'green', 'blue', ''),
    quoted,
  ),
  kind(
    new Binary(),
    'BYTES',
    fc.uint8Array({ maxLength: 9 }),
    (bytes) => `"${Buffer.from(bytes).toString('hex')}"`,
  ),
  kind(
    new FixedSizeBinary(3),
    'BYTES',
    fc.uint8Array({ minLength: 3, maxLength: 3 }),
    (bytes) => `"${Buffer.from(bytes).toString('hex')}"`,
  ),
  kind(
    new Decimal(4, 38),
    'BIG_DECIMAL',
    fc.bigInt(-(10n ** 38n) + 1n, 10n ** 38n - 1n).map(decimalWords),
    decimalJson,
  ),
  kind(
    new DateDay(),
    'STRING',
    fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((date) => new Date(Math.floor(date.getTime() / 86_400_000) * 86_400_000)),
    (date) => quoted(date.toISOString().slice(0, 10)),
  ),
  kind(
    new List(optional('item', new Int32())),
    'INT_ARRAY',
    fc.array(fc.option(int32), { maxLength: 4 }),
    (items) => `[${items.map(String).join(',')}]`,
  ),
  kind(
    new FixedSizeList(2, optional('item', new Utf8())),
    'STRING_ARRAY',
    fc.array(fc.option(text), { minLength: 2, maxLength: 2 }),
    (items) => JSON.stringify(items),
  ),
  kind(
    new Struct([optional('n', new Int32()), optional('s', new Utf8())]),
    'JSON',
    fc.record({ n: fc.option(int32), s: fc.option(text) }),
    ({ n, s }) => quoted(JSON.stringify({ n, s })),
  ),
  kind(
    new Map_(
      new Field(
        'entries',
        new Struct<{ key: Utf8; value: Int32 }>([
          new Field('key', new Utf8(), false),
          optional('value', new Int32()),
        ]),
        false,
      ),
    ),
    'MAP',
    fc.dictionary(fc.constantFrom('a', 'b', 'c"'), fc.option(int32), { noNullPrototype: true }),
    (object) =>
      `{${Object.entries(object)
        .map(([key, value]) => `${quoted(key)}:${String(value)}`)
        .join(',')}}`,
  ),
  kind(new Null(), 'STRING', fc.constant(null), () => 'null'),
];

/** Timestamps are set as raw integers, because the builders take milliseconds only. */
export const rawTimestampKinds: readonly ColumnKind[] = [
  kind(new TimestampMicrosecond(), 'TIMESTAMP', fc.bigInt(-(10n ** 15n), 10n ** 16n), (units) =>
    timestampJson(units, 6),
  ),
  kind(
    new TimestampNanosecond('UTC'),
    'TIMESTAMP',
    fc.bigInt(-(10n ** 18n), 4n * 10n ** 18n),
    (units) => timestampJson(units, 9),
  ),
];
