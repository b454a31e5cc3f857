import { type DataType, type Field, tableFromIPC, Type, type Vector } from 'apache-arrow';
import { type QueryParameter, QuireError } from '@quire/core';
import type { FlightData } from '../wire/flight-messages.ts';
import { messageOfData } from './ipc-messages.ts';

/**
 * Reads the values for the parameters of a prepared statement: one row, a column for each.
 *
 * @throws INVALID_BODY when the data is not Arrow, or has no row
 * @throws UNSUPPORTED when it has more than one row, or a type that parameters do not have
 */
export async function readParameters(
  data: AsyncIterable<FlightData>,
): Promise<readonly QueryParameter[]> {
  const messages: Uint8Array[] = [];
  for await (const each of data) if (each.dataHeader.length > 0) messages.push(messageOfData(each));
  const table = decode(messages);
  if (table.numRows !== 1) {
    throw new QuireError(
      table.numRows === 0 ? 'INVALID_BODY' : 'UNSUPPORTED',
      `${table.numRows} rows of parameters were sent; expected one.`,
    );
  }
  return (table.schema.fields as readonly Field<DataType>[]).map((field, index) =>
    parameterOf(field, table.getChildAt(index) as Vector),
  );
}

function decode(messages: readonly Uint8Array[]) {
  try {
    return tableFromIPC(messages as Uint8Array[]);
  } catch (cause) {
    throw new QuireError('INVALID_BODY', 'The parameters are not Arrow data.', { cause });
  }
}

function parameterOf({ name, type }: Field<DataType>, column: Vector): QueryParameter {
  const value: unknown = column.get(0);
  if (value === null || value === undefined) return { type: 'NULL', value: null };
  switch (type.typeId) {
    case Type.Bool:
      return { type: 'BOOLEAN', value: value === true };
    case Type.Int:
      return integerOf(BigInt(value as number | bigint));
    case Type.Float:
      return doubleOf(Number(value));
    case Type.Utf8:
    case Type.LargeUtf8:
      return { type: 'STRING', value: value as string };
    case Type.Binary:
    case Type.LargeBinary:
    case Type.FixedSizeBinary:
      return { type: 'BYTES', value: Buffer.from(value as Uint8Array).toString('hex') };
    case Type.Date:
      return { type: 'DATE', value: new Date(Number(value)).toISOString().slice(0, 10) };
    case Type.Timestamp:
      return { type: 'TIMESTAMP', value: timestampOf(type as TimestampType, column) };
    case Type.Decimal:
      return { type: 'BIG_DECIMAL', value: decimalOf(type as DecimalType, value as Uint32Array) };
    default:
      throw new QuireError(
        'UNSUPPORTED',
        `Parameter ${JSON.stringify(name.slice(0, 60))} has the Arrow type ${Type[type.typeId]}; expected a number, text, bytes, a boolean, a date or a timestamp.`,
      );
  }
}

function integerOf(value: bigint): QueryParameter {
  if (BigInt.asIntN(32, value) === value) return { type: 'INT', value: Number(value) };
  const isLong = BigInt.asIntN(64, value) === value;
  return { type: isLong ? 'LONG' : 'BIG_DECIMAL', value: String(value) };
}

function doubleOf(value: number): QueryParameter {
  if (Number.isFinite(value)) return { type: 'DOUBLE', value };
  const name = Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  return { type: 'DOUBLE', value: name };
}

interface TimestampType extends DataType {
  /** 0: seconds, 1: milliseconds, 2: microseconds, 3: nanoseconds. */
  readonly unit: number;
}

/** Arrow's own reader gives milliseconds only: the digits behind them are read where they lie. */
function timestampOf({ unit }: TimestampType, column: Vector): string {
  const [{ values, offset } = { values: new BigInt64Array(1), offset: 0 }] =
    column.data as readonly {
      readonly values: BigInt64Array;
      readonly offset: number;
    }[];
  const raw = values[values.length === 1 ? 0 : offset] ?? 0n;
  const perSecond = 10n ** BigInt(3 * unit);
  const fraction = ((raw % perSecond) + perSecond) % perSecond;
  const seconds = (raw - fraction) / perSecond;
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace('T', ' ');
  return unit === 0 ? whole : `${whole}.${String(fraction).padStart(3 * unit, '0')}`;
}

interface DecimalType extends DataType {
  readonly scale: number;
}

function decimalOf({ scale }: DecimalType, words: Uint32Array): string {
  const bits = words.length * 32;
  const unsigned = words.reduce(
    (sum, word, index) => sum + (BigInt(word) << BigInt(32 * index)),
    0n,
  );
  const value = BigInt.asIntN(bits, unsigned);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const sign = value < 0n ? '-' : '';
  if (scale <= 0) return `${sign}${digits}${'0'.repeat(-scale)}`;
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
