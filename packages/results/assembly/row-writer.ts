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

/**
 * Returns the address at which the powers of ten must be stored before the first row is written.
 */
export function addressOfPowersOfTen(): usize {
  return powersOfTen;
}

/** Returns the start of the memory that this module does not use. */
export function addressOfFreeMemory(): usize {
  return __heap_base;
}

/**
 * Writes rows `[firstRow, endRow)` at `to`: each cell after its prefix, and the suffix after each
 * row; returns the address after them. The caller has ensured enough space.
 */
export function writeRows(
  columns: usize,
  columnCount: i32,
  firstRow: i32,
  endRow: i32,
  suffix: usize,
  suffixLength: usize,
  to: usize,
): usize {
  const columnsEnd = columns + columnCount * columnBytes;
  let at = to;
  for (let row = firstRow; row < endRow; row += 1) {
    for (let column = columns; column < columnsEnd; column += columnBytes) {
      at = copyText(at, load<usize>(column, prefixAt), load<usize>(column, prefixLengthAt));
      const validity = load<usize>(column, validityAt);
      if (validity !== 0 && bitOf(validity, load<i32>(column, firstBitAt) + row) === 0) {
        store<u32>(at, load<u32>(column, nullTextAt));
        at += load<usize>(column, nullLengthAt);
        continue;
      }
      const values = load<usize>(column, valuesAt);
      // For the kinds that JSON has within quotes: the opening quote is overwritten if it is not
      // needed.
      const quotes = load<usize>(column, quotedAt);
      // Inlined, because a function call for each cell would take as long as writing a short one.
      switch (load<i32>(column, kindAt)) {
        case kindReadyText: {
          const from = values + offsetOf(column, row);
          at = copyText(at, from, values + offsetOf(column, row + 1) - from);
          break;
        }
        case kindJsonText:
          at = writeJsonText(
            at,
            values + offsetOf(column, row),
            values + offsetOf(column, row + 1),
          );
          break;
        case kindCsvText:
          at = writeCsvText(at, values + offsetOf(column, row), values + offsetOf(column, row + 1));
          break;
        case kindHexText:
          at = closed(
            writeHexText(
              opened(at, quotes),
              values + offsetOf(column, row),
              values + offsetOf(column, row + 1),
            ),
            quotes,
          );
          break;
        case kindHexOfWidth: {
          const width = load<i32>(column, widthAt);
          at = closed(
            writeHexText(opened(at, quotes), values + row * width, values + (row + 1) * width),
            quotes,
          );
          break;
        }
        case kindBoolean: {
          const isTrue = bitOf(values, load<i32>(column, firstBitAt) + row);
          store<u64>(at, isTrue !== 0 ? 0x6575_7274 : 0x65_736c_6166);
          at += 5 - isTrue;
          break;
        }
        case kindInt8:
          at = writeSigned(at, load<i8>(values + row));
          break;
        case kindInt16:
          at = writeSigned(at, load<i16>(values + (row << 1)));
          break;
        case kindInt32:
          at = writeSigned(at, load<i32>(values + (row << 2)));
          break;
        case kindInt64:
          at = writeSigned(at, load<i64>(values + (row << 3)));
          break;
        case kindUint8:
          at = writeUnsigned(at, load<u8>(values + row));
          break;
        case kindUint16:
          at = writeUnsigned(at, load<u16>(values + (row << 1)));
          break;
        case kindUint32:
          at = writeUnsigned(at, load<u32>(values + (row << 2)));
          break;
        case kindUint64:
          at = closed(writeUnsigned(opened(at, quotes), load<u64>(values + (row << 3))), quotes);
          break;
        case kindFloat32: {
          const value = load<f32>(values + (row << 2));
          if (isFinite(value)) at = writeFloat(at, value);
          else at = closed(writeNotFinite(opened(at, quotes), value), quotes);
          break;
        }
        case kindFloat64: {
          const value = load<f64>(values + (row << 3));
          if (isFinite(value)) at = writeDouble(at, value);
          else at = closed(writeNotFinite(opened(at, quotes), value), quotes);
          break;
        }
        case kindDecimal: {
          const width = load<i32>(column, widthAt);
          at = closed(
            writeDecimal(
              opened(at, quotes),
              values + row * width,
              width,
              load<i32>(column, scaleAt),
            ),
            quotes,
          );
          break;
        }
        case kindDate:
          at = closed(
            writeDateOrInfinity(opened(at, quotes), load<i32>(values + (row << 2))),
            quotes,
          );
          break;
        case kindTimestampSeconds:
          at = closed(writeSeconds(opened(at, quotes), load<i64>(values + (row << 3))), quotes);
          break;
        case kindTimestampMilliseconds:
          at = closed(
            writeMilliseconds(opened(at, quotes), load<i64>(values + (row << 3))),
            quotes,
          );
          break;
        case kindTimestampMicroseconds:
          at = closed(
            writeMicroseconds(opened(at, quotes), load<i64>(values + (row << 3))),
            quotes,
          );
          break;
        case kindTimestampNanoseconds:
          at = closed(writeNanoseconds(opened(at, quotes), load<i64>(values + (row << 3))), quotes);
          break;
        case kindJsonList:
          at = writeJsonList(
            at,
            column,
            <i32>offsetOf(column, row),
            <i32>offsetOf(column, row + 1),
          );
          break;
        case kindJsonListOfSize: {
          const size = load<i32>(column, widthAt);
          at = writeJsonList(at, column, row * size, (row + 1) * size);
          break;
        }
        default:
          unreachable();
      }
    }
    at = copyText(at, suffix, suffixLength);
  }
  return at;
}

/** Writes the quote before a text; `quotes` is 1, or 0 for none. */
function opened(to: usize, quotes: usize): usize {
  store<u8>(to, 0x22);
  return to + quotes;
}

/** Writes the quote after a text. */
function closed(to: usize, quotes: usize): usize {
  store<u8>(to, 0x22);
  return to + quotes;
}

/** Writes items `[from, end)`, which are rows of a separate column, each after a comma. */
function writeJsonList(to: usize, column: usize, from: i32, end: i32): usize {
  const firstItem = load<i32>(column, firstItemAt);
  const at = writeRows(
    load<usize>(column, valuesAt),
    1,
    from - firstItem,
    end - firstItem,
    0,
    0,
    to,
  );
  // The first comma becomes the bracket.
  store<u8>(to, 0x5b);
  const last = at + <usize>(from === end);
  store<u8>(last, 0x5d);
  return last + 1;
}

function offsetOf(column: usize, row: i32): usize {
  return load<usize>(load<usize>(column, offsetsAt) + (row << 2));
}

function bitOf(bits: usize, index: i32): usize {
  return (<usize>load<u8>(bits + (index >> 3)) >> (index & 7)) & 1;
}
