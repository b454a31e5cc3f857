import { isOdd, needsMore, quote, skipValue } from './value';

const dash: u8 = 0x2d;
const space: u8 = 0x20;
const colon: u8 = 0x3a;
const point: u8 = 0x2e;
/** The length of the shortest text, including quotes. */
const bytesMin: usize = 23;
const fractionDigitsMax = 9;
const dayMs: i64 = 86_400_000;
/** The first day of the Gregorian calendar, as eight digits. */
const gregorianStart = 15_821_015;

/** The time that was read last. */
export let epochMs: i64 = 0;

/**
 * Reads a TIMESTAMP as brokers write it, `"2026-01-01 00:00:00.0"`, with one to nine digits after
 * the point; returns `isOdd` for other forms, and for dates of the Julian calendar, before
 * 1582-10-15.
 */
export function readTimestamp(from: usize, end: usize): usize {
  if (from + bytesMin > end) return skipValue(from, end) === needsMore ? needsMore : isOdd;
  if (
    load<u8>(from) !== quote ||
    load<u8>(from, 5) !== dash ||
    load<u8>(from, 8) !== dash ||
    load<u8>(from, 11) !== space ||
    load<u8>(from, 14) !== colon ||
    load<u8>(from, 17) !== colon ||
    load<u8>(from, 20) !== point
  ) {
    return isOdd;
  }
  const year = twoDigits(from + 1) * 100 + twoDigits(from + 3);
  const month = twoDigits(from + 6);
  const day = twoDigits(from + 9);
  const hour = twoDigits(from + 12);
  const minute = twoDigits(from + 15);
  const second = twoDigits(from + 18);
  // `twoDigits` returns more than all of these limits if a byte is not a digit.
  if (year > 9999 || month < 1 || month > 12 || day < 1 || day > 31) return isOdd;
  if ((year * 100 + month) * 100 + day < gregorianStart) return isOdd;
  if (hour > 23 || minute > 59 || second > 59) return isOdd;
  let at = from + 21;
  let milliseconds = 0;
  let unit = 100;
  const start = at;
  for (; at < end; at += 1) {
    const digit: u8 = load<u8>(at) - 0x30;
    if (digit > 9) break;
    milliseconds += <i32>digit * unit;
    unit /= 10;
  }
  if (at >= end) return needsMore;
  const digits = <i32>(at - start);
  if (digits < 1 || digits > fractionDigitsMax || load<u8>(at) !== quote) return isOdd;
  const ofDay = ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds;
  epochMs = daysOf(year, month, day) * dayMs + <i64>ofDay;
  return at + 1;
}

/** Returns 10,000 if one of the bytes is not a digit. */
function twoDigits(at: usize): i32 {
  const tens: u8 = load<u8>(at) - 0x30;
  const ones: u8 = load<u8>(at, 1) - 0x30;
  return tens > 9 || ones > 9 ? 10_000 : <i32>tens * 10 + <i32>ones;
}

/**
 * Returns the days since 1970. Source: H. Hinnant, chrono-Compatible Low-Level Date Algorithms,
 * days_from_civil, https://howardhinnant.github.io/date_algorithms.html
 */
function daysOf(year: i32, month: i32, day: i32): i64 {
  const shifted = month <= 2 ? year - 1 : year;
  const era = shifted / 400;
  const yearOfEra = shifted - era * 400;
  const dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
  return <i64>(era * 146_097 + dayOfEra - 719_468);
}
