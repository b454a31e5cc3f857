import { type Data, DataType, type Field, IntervalUnit, Precision, util } from 'apache-arrow';
import { fractionDigitsOf } from '../arrow/column-type.ts';
import { isUuidField } from '../column-data-types.ts';
import { bytesView, int32View, int64View, offsetsOf, readBigInteger } from './column-reader.ts';
import type { CellWriter, WriteCell } from './cell-writer.ts';
import { intervalWidthMax, writeInterval } from './write-interval.ts';
import {
  decimalWidthMax,
  doubleWidthMax,
  integerWidthMax,
  writeAscii,
  writeDecimal,
  writeDouble,
  writeFloat,
  writeInt64,
  writeInteger,
  writeSmallDecimal,
} from './write-number.ts';
import { uuidWidthMax, writeHex, writeUuid } from './write-string.ts';
import { TimestampWriter, timeWidthMax, writeDate, writeTime } from './write-time.ts';

/** A writer of plain text, as CSV has it and JSON has it between its quotes; the text never needs an escape. */
export interface ScalarWriter extends CellWriter {
  /** How the text stands in JSON: as it is, within quotes, or within quotes when it is not a finite number. */
  readonly json: 'bare' | 'quoted' | 'float';
}

const fixed = (json: ScalarWriter['json'], widthMax: number, write: WriteCell): ScalarWriter => ({
  json,
  widthMax,
  widthOf: undefined,
  write,
});

/** The writer for a column of scalars, or undefined for text, lists, maps and structs (CONTRACT.md section 2, "cells"). */
export function scalarWriterOf(field: Field, data: Data): ScalarWriter | undefined {
  const type = field.type as DataType;
  if (DataType.isInt(type)) return fixed('bare', integerWidthMax, integerWriter(type.bitWidth, type.isSigned, data));
  if (DataType.isFloat(type)) return fixed('float', doubleWidthMax, floatWriter(type.precision, data));
  if (DataType.isBool(type)) return fixed('bare', 5, booleanWriter(data));
  if (DataType.isDecimal(type)) {
    return fixed('quoted', decimalWidthMax + Math.abs(type.scale), decimalWriter(type.scale, type.bitWidth / 32, data));
  }
  if (DataType.isTimestamp(type)) {
    const halves = int32View(data);
    const writer = new TimestampWriter(fractionDigitsOf(type.unit));
    return fixed('quoted', timeWidthMax, (bytes, position, row) =>
      writer.write(bytes, position, halves[row * 2] ?? 0, halves[row * 2 + 1] ?? 0),
    );
  }
  if (DataType.isDate(type)) return fixed('quoted', timeWidthMax, dateWriter(type.unit === 0, data));
  if (DataType.isTime(type)) {
    const fractionDigits = fractionDigitsOf(type.unit);
    const values = type.bitWidth === 32 ? int32View(data) : int64View(data);
    return fixed('quoted', timeWidthMax, (bytes, position, row) =>
      writeTime(bytes, position, BigInt(values[row] ?? 0), fractionDigits),
    );
  }
  if (DataType.isDuration(type)) {
    const values = int64View(data);
    const nanosPerUnit = 10n ** BigInt(9 - fractionDigitsOf(type.unit));
    return fixed('quoted', intervalWidthMax, (bytes, position, row) =>
      writeInterval(bytes, position, 0, 0, (values[row] ?? 0n) * nanosPerUnit),
    );
  }
  if (DataType.isInterval(type)) return fixed('quoted', intervalWidthMax, intervalWriter(type.unit, data));
  return binaryWriterOf(field, data);
}

function binaryWriterOf(field: Field, data: Data): ScalarWriter | undefined {
  const type = field.type as DataType;
  if (DataType.isFixedSizeBinary(type)) {
    const source = bytesView(data);
    const width = type.byteWidth;
    if (isUuidField(field)) {
      return fixed('quoted', uuidWidthMax, (bytes, position, row) => writeUuid(bytes, position, source, row * width));
    }
    return fixed('quoted', width * 2, (bytes, position, row) =>
      writeHex(bytes, position, source, row * width, (row + 1) * width),
    );
  }
  if (!DataType.isBinary(type) && !DataType.isLargeBinary(type)) return undefined;
  const source = data.values as Uint8Array;
  const offsets = offsetsOf(data);
  return {
    json: 'quoted',
    widthMax: 0,
    widthOf: (row) => ((offsets[row + 1] ?? 0) - (offsets[row] ?? 0)) * 2,
    write: (bytes, position, row) => writeHex(bytes, position, source, offsets[row] ?? 0, offsets[row + 1] ?? 0),
  };
}

function booleanWriter(data: Data): WriteCell {
  const bits = data.values as Uint8Array;
  const { offset } = data;
  return (bytes, position, row) => {
    const isTrue = ((bits[(offset + row) >> 3] ?? 0) >> ((offset + row) & 7)) & 1;
    return writeAscii(bytes, position, isTrue ? 'true' : 'false');
  };
}

function integerWriter(bitWidth: number, isSigned: boolean, data: Data): WriteCell {
  if (bitWidth === 64) {
    const halves = int32View(data);
    return (bytes, position, row) => writeInt64(bytes, position, halves[row * 2] ?? 0, halves[row * 2 + 1] ?? 0, !isSigned);
  }
  const values = data.values as Int32Array;
  return (bytes, position, row) => writeInteger(bytes, position, values[row] ?? 0);
}

function decimalWriter(scale: number, wordCount: number, data: Data): WriteCell {
  const words = int32View(data);
  const isScaleSmall = scale >= 0 && scale <= 9;
  return (bytes, position, row) => {
    const start = row * wordCount;
    const low = words[start] ?? 0;
    const high = words[start + 1] ?? 0;
    const sign = high >> 31;
    // Below 2^53 the number is exact, which nearly all decimals are.
    let isSmall = isScaleSmall && high < 0x20_0000 && high >= -0x20_0000;
    for (let index = 2; index < wordCount && isSmall; index += 1) isSmall = words[start + index] === sign;
    if (isSmall) return writeSmallDecimal(bytes, position, high * 4_294_967_296 + (low >>> 0), scale);
    return writeDecimal(bytes, position, readBigInteger(words, start, wordCount), scale);
  };
}

function floatWriter(precision: Precision, data: Data): WriteCell {
  if (precision === Precision.HALF) {
    const halves = data.values as Uint16Array;
    return finiteOr(writeFloat, (row) => util.uint16ToFloat64(halves[row] ?? 0));
  }
  const values = data.values as Float64Array;
  return finiteOr(precision === Precision.SINGLE ? writeFloat : writeDouble, (row) => values[row] ?? 0);
}

function finiteOr(writeFinite: typeof writeDouble, valueOf: (row: number) => number): WriteCell {
  return (bytes, position, row) => {
    const value = valueOf(row);
    return Number.isFinite(value) ? writeFinite(bytes, position, value) : writeAscii(bytes, position, String(value));
  };
}

function dateWriter(isDays: boolean, data: Data): WriteCell {
  if (isDays) {
    const values = int32View(data);
    return (bytes, position, row) => writeDate(bytes, position, values[row] ?? 0);
  }
  const values = int64View(data);
  return (bytes, position, row) => writeDate(bytes, position, Math.floor(Number(values[row] ?? 0n) / 86_400_000));
}

function intervalWriter(unit: IntervalUnit, data: Data): WriteCell {
  const words = int32View(data);
  if (unit === IntervalUnit.YEAR_MONTH) return (bytes, position, row) => writeInterval(bytes, position, words[row] ?? 0, 0, 0n);
  if (unit === IntervalUnit.DAY_TIME) {
    return (bytes, position, row) =>
      writeInterval(bytes, position, 0, words[row * 2] ?? 0, BigInt(words[row * 2 + 1] ?? 0) * 1_000_000n);
  }
  const halves = int64View(data);
  return (bytes, position, row) =>
    writeInterval(bytes, position, words[row * 4] ?? 0, words[row * 4 + 1] ?? 0, halves[row * 2 + 1] ?? 0n);
}
