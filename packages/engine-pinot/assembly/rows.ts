import {
  columnBytes,
  expectedBoolean,
  expectedComma,
  expectedEndOfRow,
  expectedRow,
  expectedString,
  kindAt,
  kindBoolean,
  kindDouble,
  kindFloat,
  kindInt,
  kindLong,
  kindOther,
  kindText,
  kindTimestamp,
  oddCellBytes,
  offsetsAt,
  stoppedAtEnd,
  stoppedFull,
  stoppedMalformed,
  textBytesAt,
  validityAt,
  valuesAt,
} from '../src/answer/row-layout';
import { exponent, hasFraction, isNegative, mantissa, readNumber, scaled } from './number';
import { readEscape } from './escape';
import { epochMs, readTimestamp } from './timestamp';
import {
  closeBracket,
  comma,
  isOdd,
  needsMore,
  openBracket,
  quote,
  skipSpace,
  skipValue,
} from './value';

const letterF: u8 = 0x66;
const letterN: u8 = 0x6e;
const letterT: u8 = 0x74;
const backslash: u8 = 0x5c;

/** Codes that a cell returns instead of the address after it, besides `needsMore`. */
const malformed: usize = 1;
const full: usize = 2;
const resultMax: usize = 2;

/** The outcome of the last call of `parseRows`. */
let rowCount: i32 = 0;
let oddCount: i32 = 0;
let stop: i32 = 0;
let failure: usize = 0;
let expectation: i32 = 0;

let unparsedCells: usize = 0;
let oddMax: i32 = 0;

export function addressOfFreeMemory(): usize {
  return __heap_base;
}
export function countOfRows(): i32 {
  return rowCount;
}
export function countOfOddCells(): i32 {
  return oddCount;
}
export function reasonOfStop(): i32 {
  return stop;
}
export function failedAt(): usize {
  return failure;
}
export function expected(): i32 {
  return expectation;
}

/**
 * Parses rows `[…],[…]` in `[from, end)` into columns from row 0 on, until there are `rowsMax`, the
 * bytes end, or something else follows. The bytes may end anywhere; `slackBytes` after them can be
 * read.
 *
 * @returns the address after the last row that was parsed completely; `from` if none was
 */
export function parseRows(
  from: usize,
  end: usize,
  columns: usize,
  columnCount: i32,
  rowsMax: i32,
  odd: usize,
  oddCellsMax: i32,
): usize {
  unparsedCells = odd;
  oddMax = oddCellsMax;
  oddCount = 0;
  rowCount = 0;
  stop = stoppedAtEnd;
  let parsed = from;
  let at = from;
  while (true) {
    if (rowCount === rowsMax) {
      stop = stoppedFull;
      break;
    }
    const oddBefore = oddCount;
    const behind = parseRow(at, end, columns, columnCount, rowCount);
    if (behind <= resultMax) {
      oddCount = oddBefore;
      stop = behind === needsMore ? stoppedAtEnd : behind === full ? stoppedFull : stoppedMalformed;
      break;
    }
    rowCount += 1;
    parsed = behind;
    if (behind + 1 >= end || load<u8>(behind) !== comma || load<u8>(behind, 1) !== openBracket)
      break;
    at = behind + 1;
  }
  return parsed;
}

/** The number of leading rows that are not null. */
export function countOfValid(validity: usize, rows: i32): i32 {
  let count = 0;
  const words = rows >> 5;
  for (let word = 0; word < words; word += 1)
    count += popcnt(load<i32>(validity + ((<usize>word) << 2)));
  const rest = rows & 31;
  if (rest > 0) count += popcnt(load<i32>(validity + ((<usize>words) << 2)) & ((1 << rest) - 1));
  return count;
}

function parseRow(from: usize, end: usize, columns: usize, columnCount: i32, row: i32): usize {
  if (from >= end) return needsMore;
  if (load<u8>(from) !== openBracket) return fail(from, expectedRow);
  let at = from + 1;
  let column = columns;
  for (let index = 0; index < columnCount; index += 1) {
    at = skipSpace(at, end);
    if (at >= end) return needsMore;
    if (index > 0) {
      if (load<u8>(at) !== comma) return fail(at, expectedComma);
      at = skipSpace(at + 1, end);
      if (at >= end) return needsMore;
    }
    const kind = load<i32>(column, kindAt);
    if (kind === kindOther) at = noteCell(at, end, column, row);
    else if (load<u8>(at) === letterN) at = putNull(at, end, column, kind, row);
    else at = parseCell(at, end, column, kind, index, row);
    if (at <= resultMax) return at;
    column += columnBytes;
  }
  at = skipSpace(at, end);
  if (at >= end) return needsMore;
  return load<u8>(at) === closeBracket ? at + 1 : fail(at, expectedEndOfRow);
}

function fail(at: usize, what: i32): usize {
  failure = at;
  expectation = what;
  return malformed;
}

function noteCell(at: usize, end: usize, column: usize, row: i32): usize {
  const behind = skipValue(at, end);
  if (behind === needsMore) return needsMore;
  const cell = <usize>load<u32>(column, valuesAt) + ((<usize>row) << 3);
  store<u32>(cell, <u32>at);
  store<u32>(cell, <u32>behind, 4);
  return behind;
}

function putNull(at: usize, end: usize, column: usize, kind: i32, row: i32): usize {
  if (at + 4 > end) return needsMore;
  setBit(<usize>load<u32>(column, validityAt), row, false);
  const values = <usize>load<u32>(column, valuesAt);
  if (kind === kindText) {
    const offset = <usize>load<u32>(column, offsetsAt) + ((<usize>row) << 2);
    store<u32>(offset, load<u32>(offset), 4);
  } else if (kind === kindInt || kind === kindFloat) store<u32>(values + ((<usize>row) << 2), 0);
  else if (kind === kindBoolean) setBit(values, row, false);
  else store<u64>(values + ((<usize>row) << 3), 0);
  return at + 4;
}

function setBit(bits: usize, row: i32, isSet: bool): void {
  const address = bits + (<usize>row >> 3);
  const mask: u8 = 1 << (<u8>(row & 7));
  const byte = load<u8>(address);
  store<u8>(address, isSet ? byte | mask : byte & ~mask);
}

function parseCell(at: usize, end: usize, column: usize, kind: i32, index: i32, row: i32): usize {
  setBit(<usize>load<u32>(column, validityAt), row, true);
  if (kind === kindText) return putText(at, end, column, row);
  const values = <usize>load<u32>(column, valuesAt);
  if (kind === kindBoolean) {
    const byte = load<u8>(at);
    if (byte !== letterT && byte !== letterF) return fail(at, expectedBoolean);
    const behind = at + (byte === letterT ? 4 : 5);
    if (behind > end) return needsMore;
    setBit(values, row, byte === letterT);
    return behind;
  }
  let behind: usize;
  if (kind === kindTimestamp) {
    behind = readTimestamp(at, end);
    if (behind > isOdd) store<i64>(values + ((<usize>row) << 3), epochMs);
  } else {
    behind = readNumber(at, end);
    if (behind > isOdd && !putNumber(values, kind, row)) behind = isOdd;
  }
  return behind === isOdd ? noteOdd(at, end, values, kind, index, row) : behind;
}

/** Writes the number that was read, if its column accepts it in this form. */
function putNumber(values: usize, kind: i32, row: i32): bool {
  if (kind === kindInt) {
    const limit: u64 = isNegative ? 0x8000_0000 : 0x7fff_ffff;
    if (hasFraction || mantissa > limit) return false;
    store<i32>(values + ((<usize>row) << 2), isNegative ? -(<i32>mantissa) : <i32>mantissa);
    return true;
  }
  if (kind === kindLong) {
    const limit: u64 = isNegative ? 0x8000_0000_0000_0000 : 0x7fff_ffff_ffff_ffff;
    if (hasFraction || mantissa > limit) return false;
    store<i64>(values + ((<usize>row) << 3), isNegative ? -(<i64>mantissa) : <i64>mantissa);
    return true;
  }
  const value = scaled(mantissa, exponent);
  if (isNaN(value)) return false;
  const signed = isNegative ? -value : value;
  if (kind === kindFloat) store<f32>(values + ((<usize>row) << 2), <f32>signed);
  else store<f64>(values + ((<usize>row) << 3), signed);
  return true;
}

function noteOdd(at: usize, end: usize, values: usize, kind: i32, index: i32, row: i32): usize {
  const behind = skipValue(at, end);
  if (behind === needsMore) return needsMore;
  if (oddCount === oddMax) return full;
  if (kind === kindInt || kind === kindFloat) store<u32>(values + ((<usize>row) << 2), 0);
  else store<u64>(values + ((<usize>row) << 3), 0);
  const cell = unparsedCells + <usize>oddCount * oddCellBytes;
  store<u32>(cell, index);
  store<u32>(cell, row, 4);
  store<u32>(cell, <u32>at, 8);
  store<u32>(cell, <u32>behind, 12);
  oddCount += 1;
  return behind;
}

/** A value of a kind other than a string is stored as its JSON. */
function putText(at: usize, end: usize, column: usize, row: i32): usize {
  const values = <usize>load<u32>(column, valuesAt);
  const offset = <usize>load<u32>(column, offsetsAt) + ((<usize>row) << 2);
  const limit = values + <usize>load<u32>(column, textBytesAt);
  let to = values + <usize>load<u32>(offset);
  let from = at;
  if (load<u8>(at) === quote) {
    from += 1;
    while (true) {
      if (from >= end) return needsMore;
      if (to > limit) return full;
      const block = v128.load(from);
      v128.store(to, block);
      const found = i8x16.bitmask(
        v128.or(
          i8x16.eq(block, i8x16.splat(<i8>quote)),
          i8x16.eq(block, i8x16.splat(<i8>backslash)),
        ),
      );
      if (found === 0) {
        from += 16;
        to += 16;
        continue;
      }
      const length = <usize>ctz(found);
      from += length;
      to += length;
      if (from >= end) return needsMore;
      if (load<u8>(from) === quote) break;
      const escape = readEscape(from, end, to);
      if (escape === <u64>needsMore) return needsMore;
      if (escape === <u64>isOdd) return fail(from, expectedString);
      from += <usize>(escape >> 32);
      to += <usize>(escape & 0xffff_ffff);
    }
    from += 1;
  } else {
    from = skipValue(at, end);
    if (from === needsMore) return needsMore;
    const length = from - at;
    if (to + length > limit) return full;
    memory.copy(to, at, length);
    to += length;
  }
  if (to > limit) return full;
  store<u32>(offset, <u32>(to - values), 4);
  return from;
}
