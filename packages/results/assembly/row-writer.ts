import {
  columnBytes,
  firstBitAt,
  firstItemAt,
  kindAt,
  kindBoolean,
  kindCsvText,
  kindDate,
  kindDecimal,
  kindFloat32,
  kindFloat64,
  kindHexOfWidth,
  kindHexText,
  kindInt16,
  kindInt32,
  kindInt64,
  kindInt8,
  kindJsonList,
  kindJsonListOfSize,
  kindJsonText,
  kindReadyText,
  kindTimestampMicroseconds,
  kindTimestampMilliseconds,
  kindTimestampNanoseconds,
  kindTimestampSeconds,
  kindUint16,
  kindUint32,
  kindUint64,
  kindUint8,
  nullLengthAt,
  nullTextAt,
  offsetsAt,
  prefixAt,
  prefixLengthAt,
  quotedAt,
  scaleAt,
  validityAt,
  valuesAt,
  widthAt,
} from '../src/encode/row-writer-layout';
import { writeDateOrInfinity } from './date';
import { writeDecimal } from './decimal';
import { writeSigned, writeUnsigned } from './digits';
import { writeDouble, writeFloat, writeNotFinite } from './float';
import { powersOfTen } from './schubfach';
import { copyText, writeCsvText, writeHexText, writeJsonText } from './text';
import { writeMicroseconds, writeMilliseconds, writeNanoseconds, writeSeconds } from './timestamp';

/** Where the powers of ten are to be put, before the first row is written. */
export function addressOfPowersOfTen(): usize {
  return powersOfTen;
}

/** Where the memory begins that this module does not use. */
export function addressOfFreeMemory(): usize {
  return __heap_base;
}

/**
 * Writes rows `[0, rowCount)` at `to`: each cell behind its prefix, and the suffix behind each row; returns the address behind them.
 * Its caller has made room.
 */
export function writeRows(columns: usize, columnCount: i32, rowCount: i32, suffix: usize, suffixLength: usize, to: usize): usize {
  const columnsEnd = columns + columnCount * columnBytes;
  let at = to;
  for (let row = 0; row < rowCount; row += 1) {
    for (let column = columns; column < columnsEnd; column += columnBytes) {
      at = copyText(at, load<usize>(column, prefixAt), load<usize>(column, prefixLengthAt));
      at = writeCell(at, column, row);
    }
    at = copyText(at, suffix, suffixLength);
  }
  return at;
}

/** Writes a cell of a column, and returns the address behind it; its caller has made room. */
export function writeCell(to: usize, column: usize, row: i32): usize {
  const validity = load<usize>(column, validityAt);
  if (validity !== 0 && bitOf(validity, load<i32>(column, firstBitAt) + row) === 0) {
    store<u32>(to, load<u32>(column, nullTextAt));
    return to + load<usize>(column, nullLengthAt);
  }
  const values = load<usize>(column, valuesAt);
  // For the kinds that JSON has between quotes: the first is overwritten where quotes are not wanted.
  const quotes = load<usize>(column, quotedAt);
  switch (load<i32>(column, kindAt)) {
    case kindReadyText: {
      const from = values + offsetOf(column, row);
      return copyText(to, from, values + offsetOf(column, row + 1) - from);
    }
    case kindJsonText:
      return writeJsonText(to, values + offsetOf(column, row), values + offsetOf(column, row + 1));
    case kindCsvText:
      return writeCsvText(to, values + offsetOf(column, row), values + offsetOf(column, row + 1));
    case kindHexText:
      return closed(writeHexText(opened(to, quotes), values + offsetOf(column, row), values + offsetOf(column, row + 1)), quotes);
    case kindHexOfWidth: {
      const width = load<i32>(column, widthAt);
      return closed(writeHexText(opened(to, quotes), values + row * width, values + (row + 1) * width), quotes);
    }
    case kindBoolean: {
      const isTrue = bitOf(values, load<i32>(column, firstBitAt) + row);
      store<u64>(to, isTrue !== 0 ? 0x6575_7274 : 0x65_736c_6166);
      return to + 5 - isTrue;
    }
    case kindInt8:
      return writeSigned(to, load<i8>(values + row));
    case kindInt16:
      return writeSigned(to, load<i16>(values + (row << 1)));
    case kindInt32:
      return writeSigned(to, load<i32>(values + (row << 2)));
    case kindInt64:
      return writeSigned(to, load<i64>(values + (row << 3)));
    case kindUint8:
      return writeUnsigned(to, load<u8>(values + row));
    case kindUint16:
      return writeUnsigned(to, load<u16>(values + (row << 1)));
    case kindUint32:
      return writeUnsigned(to, load<u32>(values + (row << 2)));
    case kindUint64:
      return closed(writeUnsigned(opened(to, quotes), load<u64>(values + (row << 3))), quotes);
    case kindFloat32: {
      const value = load<f32>(values + (row << 2));
      if (isFinite(value)) return writeFloat(to, value);
      return closed(writeNotFinite(opened(to, quotes), value), quotes);
    }
    case kindFloat64: {
      const value = load<f64>(values + (row << 3));
      if (isFinite(value)) return writeDouble(to, value);
      return closed(writeNotFinite(opened(to, quotes), value), quotes);
    }
    case kindDecimal: {
      const width = load<i32>(column, widthAt);
      return closed(writeDecimal(opened(to, quotes), values + row * width, width, load<i32>(column, scaleAt)), quotes);
    }
    case kindDate:
      return closed(writeDateOrInfinity(opened(to, quotes), load<i32>(values + (row << 2))), quotes);
    case kindTimestampSeconds:
      return closed(writeSeconds(opened(to, quotes), load<i64>(values + (row << 3))), quotes);
    case kindTimestampMilliseconds:
      return closed(writeMilliseconds(opened(to, quotes), load<i64>(values + (row << 3))), quotes);
    case kindTimestampMicroseconds:
      return closed(writeMicroseconds(opened(to, quotes), load<i64>(values + (row << 3))), quotes);
    case kindTimestampNanoseconds:
      return closed(writeNanoseconds(opened(to, quotes), load<i64>(values + (row << 3))), quotes);
    case kindJsonList:
      return writeJsonList(to, column, <i32>offsetOf(column, row), <i32>offsetOf(column, row + 1));
    case kindJsonListOfSize: {
      const size = load<i32>(column, widthAt);
      return writeJsonList(to, column, row * size, (row + 1) * size);
    }
    default:
      return unreachable();
  }
}

/** Writes the quote before a text; `quotes` is 1, or 0 for none. */
function opened(to: usize, quotes: usize): usize {
  store<u8>(to, 0x22);
  return to + quotes;
}

/** Writes the quote behind a text. */
function closed(to: usize, quotes: usize): usize {
  store<u8>(to, 0x22);
  return to + quotes;
}

/** Writes items `[from, end)`, which are cells of a column of their own. */
function writeJsonList(to: usize, column: usize, from: i32, end: i32): usize {
  const items = load<usize>(column, valuesAt);
  const firstItem = load<i32>(column, firstItemAt);
  let at = to + 1;
  for (let item = from; item < end; item += 1) {
    at = writeCell(at, items, item - firstItem);
    store<u8>(at, 0x2c);
    at += 1;
  }
  // The comma behind the last item becomes the bracket.
  if (from === end) at += 1;
  store<u8>(to, 0x5b);
  store<u8>(at - 1, 0x5d);
  return at;
}

function offsetOf(column: usize, row: i32): usize {
  return load<usize>(load<usize>(column, offsetsAt) + (row << 2));
}

function bitOf(bits: usize, index: i32): usize {
  return (<usize>load<u8>(bits + (index >> 3)) >> (index & 7)) & 1;
}
