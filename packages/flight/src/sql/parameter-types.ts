import { type QueryParameter, QuireError } from '@quire/core';
import type { FlatTable } from '../wire/flat-table.ts';
import type { ParameterBuffers } from './parameter-buffers.ts';

/** Reads the value of the next column. */
export type ParameterReader = (buffers: ParameterBuffers) => QueryParameter;

/** The types of Schema.fbs, by their numbers. */
const typeNames = [
  'None',
  'Null',
  'Int',
  'FloatingPoint',
  'Binary',
  'Utf8',
  'Bool',
  'Decimal',
  'Date',
  'Time',
  'Timestamp',
  'Interval',
  'List',
  'Struct',
  'Union',
  'FixedSizeBinary',
  'FixedSizeList',
  'Map',
  'Duration',
  'LargeBinary',
  'LargeUtf8',
  'LargeList',
  'RunEndEncoded',
  'BinaryView',
  'Utf8View',
  'ListView',
  'LargeListView',
] as const;

/**
 * Returns the function that reads the values of a column. @throws UNSUPPORTED for a type that
 * parameters cannot have
 */
export function parameterReaderOf(field: FlatTable): ParameterReader {
  const type = field.table(3);
  const name = typeNames[field.uint8(2)];
  if (name === 'Null') {
    return (buffers) => {
      buffers.takeNode();
      return nullParameter;
    };
  }
  const read =
    type === undefined || field.table(4) !== undefined ? undefined : readerOf(name, type);
  if (read === undefined) {
    const shown = JSON.stringify(field.text(0).slice(0, 60));
    throw new QuireError(
      'UNSUPPORTED',
      `Parameter ${shown} has the Arrow type ${field.table(4) === undefined ? name : 'Dictionary'}; expected a number, text, bytes, a boolean, a date or a timestamp.`,
    );
  }
  return (buffers) => {
    const isNull = buffers.takeIsNull();
    return read(buffers, isNull) ?? nullParameter;
  };
}

const nullParameter = { type: 'NULL', value: null } as const;

/** Takes the buffers of the column, including those of a null. */
type ValueReader = (buffers: ParameterBuffers, isNull: boolean) => QueryParameter | undefined;

function readerOf(
  name: (typeof typeNames)[number] | undefined,
  type: FlatTable,
): ValueReader | undefined {
  switch (name) {
    case 'Bool':
      return fixed((value) => ({ type: 'BOOLEAN', value: (value.getUint8(0) & 1) === 1 }));
    case 'Int':
      return fixed(integerReaderOf(type.int32(0, 0) / 8, type.uint8(1) !== 0));
    case 'FloatingPoint':
      return fixed(floatReaders[type.int16(0, 0)]);
    case 'Decimal':
      return decimalReaderOf(type.int32(1, 0), type.int32(2, 128) / 8);
    case 'Date':
      return fixed(type.int16(0, 1) === 0 ? dayOf : dayOfMilliseconds);
    case 'Timestamp':
      return fixed((value) => ({
        type: 'TIMESTAMP',
        value: timestampOf(value.getBigInt64(0, true), type.int16(0, 0)),
      }));
    case 'Utf8':
    case 'LargeUtf8':
      return variable(textOf, name === 'LargeUtf8');
    case 'Binary':
    case 'LargeBinary':
      return variable(bytesOf, name === 'LargeBinary');
    case 'Utf8View':
      return viewed(textOf);
    case 'BinaryView':
      return viewed(bytesOf);
    case 'FixedSizeBinary':
      return (buffers, isNull) => {
        const bytes = buffers.take();
        if (isNull) return undefined;
        return bytesOf(buffers.valueOf(bytes, 0n, BigInt(type.int32(0, 0))));
      };
    default:
      return undefined;
  }
}

/** Reads values of a fixed width. */
function fixed(read: ((value: DataView) => QueryParameter) | undefined): ValueReader | undefined {
  if (read === undefined) return undefined;
  return (buffers, isNull) => {
    const { buffer, byteOffset, byteLength } = buffers.take();
    return isNull ? undefined : read(new DataView(buffer, byteOffset, byteLength));
  };
}

/** Reads values between two offsets. */
function variable(read: (bytes: Uint8Array) => QueryParameter, isLarge: boolean): ValueReader {
  return (buffers, isNull) => {
    const [{ buffer, byteOffset, byteLength }, bytes] = [buffers.take(), buffers.take()];
    if (isNull) return undefined;
    const offsets = new DataView(buffer, byteOffset, byteLength);
    const [start, end] = isLarge
      ? [offsets.getBigInt64(0, true), offsets.getBigInt64(8, true)]
      : [BigInt(offsets.getInt32(0, true)), BigInt(offsets.getInt32(4, true))];
    return read(buffers.valueOf(bytes, start, end - start));
  };
}

/** Reads values within their view, or in the buffer that it points to. */
function viewed(read: (bytes: Uint8Array) => QueryParameter): ValueReader {
  const inlineBytesMax = 12;
  return (buffers, isNull) => {
    const [views, others] = [buffers.take(), buffers.takeVariadic()];
    if (isNull) return undefined;
    const view = new DataView(views.buffer, views.byteOffset, views.byteLength);
    const length = view.getInt32(0, true);
    if (length <= inlineBytesMax) return read(buffers.valueOf(views, 4n, BigInt(length)));
    const other = others[view.getInt32(8, true)];
    if (other === undefined) throw new RangeError('A view points to no buffer.');
    return read(buffers.valueOf(other, BigInt(view.getInt32(12, true)), BigInt(length)));
  };
}

const textOf = (bytes: Uint8Array): QueryParameter => ({
  type: 'STRING',
  value: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
});

const bytesOf = (bytes: Uint8Array): QueryParameter => ({
  type: 'BYTES',
  value: Buffer.from(bytes).toString('hex'),
});

function integerReaderOf(
  widthBytes: number,
  isSigned: boolean,
): ((value: DataView) => QueryParameter) | undefined {
  if (![1, 2, 4, 8].includes(widthBytes)) return undefined;
  return (value) => {
    const integer = littleEndianOf(value, widthBytes);
    return integerOf(isSigned ? BigInt.asIntN(widthBytes * 8, integer) : integer);
  };
}

function integerOf(value: bigint): QueryParameter {
  if (BigInt.asIntN(32, value) === value) return { type: 'INT', value: Number(value) };
  const isLong = BigInt.asIntN(64, value) === value;
  return { type: isLong ? 'LONG' : 'BIG_DECIMAL', value: String(value) };
}

/** The readers by precision: half, single and double. */
const floatReaders: readonly ((value: DataView) => QueryParameter)[] = [
  (value) => doubleOf(halfOf(value.getUint16(0, true))),
  (value) => doubleOf(value.getFloat32(0, true)),
  (value) => doubleOf(value.getFloat64(0, true)),
];

/** Reads a 16-bit float, because Node 22 has no `getFloat16`. */
function halfOf(bits: number): number {
  const [exponent, fraction] = [(bits >> 10) & 0x1f, bits & 0x3ff];
  const sign = bits >> 15 === 0 ? 1 : -1;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

function doubleOf(value: number): QueryParameter {
  if (Number.isFinite(value)) return { type: 'DOUBLE', value };
  const name = Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  return { type: 'DOUBLE', value: name };
}

const dateOf = (milliseconds: number): QueryParameter => ({
  type: 'DATE',
  value: new Date(milliseconds).toISOString().slice(0, 10),
});
const dayOf = (value: DataView): QueryParameter => dateOf(value.getInt32(0, true) * 86_400_000);
const dayOfMilliseconds = (value: DataView): QueryParameter =>
  dateOf(Number(value.getBigInt64(0, true)));

/** @param unit 0: seconds, 1: milliseconds, 2: microseconds, 3: nanoseconds */
function timestampOf(raw: bigint, unit: number): string {
  if (unit < 0 || unit > 3) throw new RangeError('A timestamp has no such unit.');
  const perSecond = 10n ** BigInt(3 * unit);
  const fraction = ((raw % perSecond) + perSecond) % perSecond;
  const seconds = (raw - fraction) / perSecond;
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace('T', ' ');
  return unit === 0 ? whole : `${whole}.${String(fraction).padStart(3 * unit, '0')}`;
}

/** The maximum number of digits of Arrow's decimals. */
const scaleMax = 76;

function decimalReaderOf(scale: number, widthBytes: number): ValueReader | undefined {
  if (Math.abs(scale) > scaleMax || ![4, 8, 16, 32].includes(widthBytes)) return undefined;
  return fixed((value) => {
    const digits = BigInt.asIntN(widthBytes * 8, littleEndianOf(value, widthBytes));
    return { type: 'BIG_DECIMAL', value: decimalOf(digits, scale) };
  });
}

function decimalOf(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const sign = value < 0n ? '-' : '';
  if (scale <= 0) return `${sign}${digits}${'0'.repeat(-scale)}`;
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function littleEndianOf(value: DataView, widthBytes: number): bigint {
  let sum = 0n;
  for (let index = widthBytes - 1; index >= 0; index -= 1) {
    sum = (sum << 8n) + BigInt(value.getUint8(index));
  }
  return sum;
}
