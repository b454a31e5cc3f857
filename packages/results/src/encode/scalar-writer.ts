import { type Data, DataType, type Field, IntervalUnit, Precision, util } from 'apache-arrow';
import { fractionDigitsOf } from '../arrow/column-type.ts';
import { isUuidField } from '../column-data-types.ts';
import type { CellWriter } from './cell-writer.ts';
import { bytesView, int32View, int64View, offsetsOf } from './column-reader.ts';
import { dayKind, type FixedKind, fixedKindOf, floatKind } from './fixed-kind.ts';
import { RowWriter } from './row-writer.ts';
import { hexPieces, uuidWidthMax, writeAscii, writeHex, writeUuid } from './write-string.ts';

const quote = 34;

/**
 * Returns the writer for a column of scalars, or undefined for text, lists, maps and structs
 * (CONTRACT.md section 2, "cells"). In JSON, values other than numbers and booleans are quoted;
 * their text never needs an escape.
 */
export function scalarWriterOf(field: Field, data: Data, isJson: boolean): CellWriter | undefined {
  const type = field.type as DataType;
  if (DataType.isBool(type)) return asciiWriter(booleanTextOf(data), 5, false);
  const fixed = fixedKindOf(type);
  if (fixed !== undefined) {
    const source = bytesView(data);
    const { widthBytes } = fixed;
    return fixedWriter(fixed, isJson, source, (row) => row * widthBytes);
  }
  // All 16-bit floats are exact as 32-bit floats.
  if (DataType.isFloat(type) && type.precision === Precision.HALF) {
    const halves = data.values as Uint16Array;
    const value = new Float32Array(1);
    return fixedWriter(floatKind, isJson, new Uint8Array(value.buffer), (row) => {
      value[0] = util.uint16ToFloat64(halves[row] ?? 0);
      return 0;
    });
  }
  // Dates in milliseconds; values outside the calendar represent the infinities.
  if (DataType.isDate(type)) {
    const times = int64View(data);
    const days = new Int32Array(1);
    return fixedWriter(dayKind, isJson, new Uint8Array(days.buffer), (row) => {
      const day = Math.floor(Number(times[row] ?? 0n) / 86_400_000);
      days[0] = Math.max(-0x7fff_ffff, Math.min(0x7fff_ffff, day));
      return 0;
    });
  }
  const textOf = clockTextOf(type, data);
  if (textOf !== undefined) return asciiWriter(textOf, clockTextWidthMax, isJson);
  const bytes = bytesWriterOf(field, data);
  return bytes === undefined || !isJson ? bytes : withQuotes(bytes);
}

/**
 * Returns a writer that passes a value to the row writer; the value is in `source` from `startOf`.
 */
function fixedWriter(
  { kind, scale = 0, widthBytes, isQuoted, textBytesMax }: FixedKind,
  isJson: boolean,
  source: Uint8Array,
  startOf: (row: number) => number,
): CellWriter {
  const cell = { kind, scale, isQuoted: isQuoted && isJson };
  const writer = RowWriter.shared;
  return {
    widthMax: textBytesMax,
    widthOf: undefined,
    write: (bytes, position, row) => {
      const start = startOf(row);
      return writer.writeCell(cell, source, start, start + widthBytes, bytes, position);
    },
  };
}

function asciiWriter(
  textOf: (row: number) => string,
  widthMax: number,
  isQuoted: boolean,
): CellWriter {
  const write: CellWriter['write'] = (bytes, position, row) =>
    writeAscii(bytes, position, textOf(row));
  const writer = { widthMax, widthOf: undefined, write };
  return isQuoted ? withQuotes(writer) : writer;
}

function withQuotes({ widthMax, widthOf, write, piecesOf }: CellWriter): CellWriter {
  return {
    widthMax: widthMax + 2,
    widthOf,
    write: (bytes, position, row) => {
      bytes[position] = quote;
      const end = write(bytes, position + 1, row);
      bytes[end] = quote;
      return end + 1;
    },
    piecesOf: piecesOf && ((row) => quotedPieces(piecesOf(row))),
  };
}

function* quotedPieces(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield Uint8Array.of(quote);
  yield* pieces;
  yield Uint8Array.of(quote);
}

function booleanTextOf(data: Data): (row: number) => string {
  const bits = data.values as Uint8Array;
  const { offset } = data;
  return (row) =>
    ((bits[(offset + row) >> 3] ?? 0) >> ((offset + row) & 7)) & 1 ? 'true' : 'false';
}

/** Returns the texts of times, durations and intervals, which the row writer does not support. */
export function clockTextOf(type: DataType, data: Data): ((row: number) => string) | undefined {
  if (DataType.isTime(type)) {
    const values = type.bitWidth === 32 ? int32View(data) : int64View(data);
    const nanosPerUnit = 10n ** BigInt(9 - fractionDigitsOf(type.unit));
    return (row) => clockText(BigInt(values[row] ?? 0) * nanosPerUnit);
  }
  if (DataType.isDuration(type)) {
    const values = int64View(data);
    const nanosPerUnit = 10n ** BigInt(9 - fractionDigitsOf(type.unit));
    return (row) => intervalText(0, 0, (values[row] ?? 0n) * nanosPerUnit);
  }
  if (!DataType.isInterval(type)) return undefined;
  const words = int32View(data);
  if (type.unit === IntervalUnit.YEAR_MONTH) return (row) => intervalText(words[row] ?? 0, 0, 0n);
  if (type.unit === IntervalUnit.DAY_TIME) {
    return (row) =>
      intervalText(0, words[row * 2] ?? 0, BigInt(words[row * 2 + 1] ?? 0) * 1_000_000n);
  }
  const halves = int64View(data);
  return (row) =>
    intervalText(words[row * 4] ?? 0, words[row * 4 + 1] ?? 0, halves[row * 2 + 1] ?? 0n);
}

function bytesWriterOf(field: Field, data: Data): CellWriter | undefined {
  const type = field.type as DataType;
  if (DataType.isFixedSizeBinary(type)) {
    const source = bytesView(data);
    const width = type.byteWidth;
    if (isUuidField(field)) {
      const write: CellWriter['write'] = (bytes, position, row) =>
        writeUuid(bytes, position, source, row * width);
      return { widthMax: uuidWidthMax, widthOf: undefined, write };
    }
    return {
      widthMax: width * 2,
      widthOf: undefined,
      write: (bytes, position, row) =>
        writeHex(bytes, position, source, row * width, (row + 1) * width),
    };
  }
  if (!DataType.isBinary(type) && !DataType.isLargeBinary(type)) return undefined;
  const source = data.values as Uint8Array;
  const offsets = offsetsOf(data);
  return {
    widthMax: 0,
    widthOf: (row) => ((offsets[row + 1] ?? 0) - (offsets[row] ?? 0)) * 2,
    write: (bytes, position, row) =>
      writeHex(bytes, position, source, offsets[row] ?? 0, offsets[row + 1] ?? 0),
    piecesOf: (row) => hexPieces(source, offsets[row] ?? 0, offsets[row + 1] ?? 0),
  };
}

/** The maximum length of these texts. */
const clockTextWidthMax = 96;

/**
 * Returns an interval in words and a clock time, as DuckDB and PostgreSQL format it: `1 year 2
 * months 3 days 04:05:06.5`.
 */
export function intervalText(months: number, days: number, nanoseconds: bigint): string {
  const parts: string[] = [];
  addCount(parts, Math.trunc(months / 12), 'year');
  addCount(parts, months % 12, 'month');
  addCount(parts, days, 'day');
  if (nanoseconds !== 0n || parts.length === 0) parts.push(clockText(nanoseconds));
  return parts.join(' ');
}

function addCount(parts: string[], count: number, unit: string): void {
  if (count !== 0) parts.push(`${count} ${unit}${Math.abs(count) === 1 ? '' : 's'}`);
}

/**
 * Returns a time of day or a duration: `HH:mm:ss`, then a fraction, if any, without trailing zeros.
 */
export function clockText(nanoseconds: bigint): string {
  const magnitude = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const seconds = magnitude / 1_000_000_000n;
  const fraction = String(magnitude % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '');
  const clock = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  return `${nanoseconds < 0n ? '-' : ''}${clock}${fraction === '' ? '' : `.${fraction}`}`;
}
