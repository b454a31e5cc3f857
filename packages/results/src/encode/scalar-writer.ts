import { type Data, DataType, type Field, IntervalUnit, Precision, util } from 'apache-arrow';
import { fractionDigitsOf } from '../arrow/column-type.ts';
import { isUuidField } from '../column-data-types.ts';
import type { ByteSink } from './byte-sink.ts';
import { bytesView, int32View, int64View, offsetsOf, readBigInteger } from './column-reader.ts';
import { writeDecimal, writeDouble, writeFloat, writeInt64, writeInteger, writeSmallDecimal } from './write-number.ts';
import { writeInterval } from './write-interval.ts';
import { writeHex, writeUuid } from './write-string.ts';
import { TimestampWriter, writeDate, writeTime } from './write-time.ts';

/** Writes the value of one row, which is not null. */
export type WriteValue = (row: number) => void;

/** How a scalar's text stands in JSON: as it is, within quotes, or within quotes when it is no finite number. */
export interface ScalarWriter {
  readonly json: 'bare' | 'quoted' | 'float';
  /** Writes the plain text, as CSV and JSON have it between their quotes; it never needs an escape. */
  readonly write: WriteValue;
}

const int32Infinity = 2 ** 31 - 1;

/** The writer for a column of scalars, or undefined for text, lists, maps and structs (contract section 2, "cells"). */
export function scalarWriterOf(field: Field, data: Data, sink: ByteSink): ScalarWriter | undefined {
  const type = field.type as DataType;
  if (DataType.isInt(type)) return { json: 'bare', write: integerWriter(type.bitWidth, type.isSigned, data, sink) };
  if (DataType.isFloat(type)) return { json: 'float', write: floatWriter(type.precision, data, sink) };
  if (DataType.isBool(type)) {
    const bits = data.values as Uint8Array;
    const { offset } = data;
    return {
      json: 'bare',
      write: (row) => sink.writeAscii(((bits[(offset + row) >> 3] ?? 0) >> ((offset + row) & 7)) & 1 ? 'true' : 'false'),
    };
  }
  if (DataType.isDecimal(type)) {
    return { json: 'quoted', write: decimalWriter(type.scale, type.bitWidth / 32, data, sink) };
  }
  if (DataType.isTimestamp(type)) {
    const halves = int32View(data);
    const writer = new TimestampWriter(fractionDigitsOf(type.unit));
    return { json: 'quoted', write: (row) => writer.write(sink, halves[row * 2] ?? 0, halves[row * 2 + 1] ?? 0) };
  }
  if (DataType.isDate(type)) return { json: 'quoted', write: dateWriter(type.unit === 0, data, sink) };
  if (DataType.isTime(type)) {
    const fractionDigits = fractionDigitsOf(type.unit);
    const values = type.bitWidth === 32 ? int32View(data) : int64View(data);
    return { json: 'quoted', write: (row) => writeTime(sink, BigInt(values[row] ?? 0), fractionDigits) };
  }
  if (DataType.isDuration(type)) {
    const values = int64View(data);
    const nanosPerUnit = 10n ** BigInt(9 - fractionDigitsOf(type.unit));
    return { json: 'quoted', write: (row) => writeInterval(sink, 0, 0, (values[row] ?? 0n) * nanosPerUnit) };
  }
  if (DataType.isInterval(type)) return { json: 'quoted', write: intervalWriter(type.unit, data, sink) };
  return binaryWriterOf(field, data, sink);
}

function binaryWriterOf(field: Field, data: Data, sink: ByteSink): ScalarWriter | undefined {
  const type = field.type as DataType;
  if (DataType.isFixedSizeBinary(type)) {
    const bytes = bytesView(data);
    const width = type.byteWidth;
    if (isUuidField(field)) return { json: 'quoted', write: (row) => writeUuid(sink, bytes, row * width) };
    return { json: 'quoted', write: (row) => writeHex(sink, bytes, row * width, (row + 1) * width) };
  }
  if (!DataType.isBinary(type) && !DataType.isLargeBinary(type)) return undefined;
  const bytes = data.values as Uint8Array;
  const offsets = offsetsOf(data);
  return { json: 'quoted', write: (row) => writeHex(sink, bytes, offsets[row] ?? 0, offsets[row + 1] ?? 0) };
}

function integerWriter(bitWidth: number, isSigned: boolean, data: Data, sink: ByteSink): WriteValue {
  if (bitWidth === 64) {
    const halves = int32View(data);
    return (row) => writeInt64(sink, halves[row * 2] ?? 0, halves[row * 2 + 1] ?? 0, !isSigned);
  }
  const values = data.values as Int32Array;
  return (row) => writeInteger(sink, values[row] ?? 0);
}

function decimalWriter(scale: number, wordCount: number, data: Data, sink: ByteSink): WriteValue {
  const words = int32View(data);
  const isScaleSmall = scale >= 0 && scale <= 9;
  return (row) => {
    const start = row * wordCount;
    const low = words[start] ?? 0;
    const high = words[start + 1] ?? 0;
    const sign = high >> 31;
    let isSmall = isScaleSmall && high < 0x20_0000 && high >= -0x20_0000;
    for (let index = 2; index < wordCount && isSmall; index += 1) isSmall = words[start + index] === sign;
    if (isSmall) writeSmallDecimal(sink, high * 4_294_967_296 + (low >>> 0), scale);
    else writeDecimal(sink, readBigInteger(words, start, wordCount), scale);
  };
}

function floatWriter(precision: Precision, data: Data, sink: ByteSink): WriteValue {
  if (precision === Precision.HALF) {
    const values = data.values as Uint16Array;
    return (row) => writeFloat(sink, util.uint16ToFloat64(values[row] ?? 0));
  }
  const values = data.values as Float64Array;
  return precision === Precision.SINGLE
    ? (row) => writeFloat(sink, values[row] ?? 0)
    : (row) => writeDouble(sink, values[row] ?? 0);
}

function dateWriter(isDays: boolean, data: Data, sink: ByteSink): WriteValue {
  if (!isDays) {
    const values = int64View(data);
    return (row) => writeDate(sink, Math.floor(Number(values[row] ?? 0n) / 86_400_000));
  }
  const values = int32View(data);
  return (row) => {
    const days = values[row] ?? 0;
    // The ends of the range stand for infinity in engines that have it; no calendar reaches there.
    if (Math.abs(days) >= int32Infinity) sink.writeAscii(days > 0 ? 'infinity' : '-infinity');
    else writeDate(sink, days);
  };
}

function intervalWriter(unit: IntervalUnit, data: Data, sink: ByteSink): WriteValue {
  const words = int32View(data);
  if (unit === IntervalUnit.YEAR_MONTH) return (row) => writeInterval(sink, words[row] ?? 0, 0, 0n);
  if (unit === IntervalUnit.DAY_TIME) {
    return (row) => writeInterval(sink, 0, words[row * 2] ?? 0, BigInt(words[row * 2 + 1] ?? 0) * 1_000_000n);
  }
  const halves = int64View(data);
  return (row) => writeInterval(sink, words[row * 4] ?? 0, words[row * 4 + 1] ?? 0, halves[row * 2 + 1] ?? 0n);
}
