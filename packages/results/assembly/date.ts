import { asciiZeros, digitsOf, writeUnsigned } from './digits';

/** Days of the 400 years after which the calendar repeats, and those from 0000-03-01 to the epoch. */
const daysPerCycle = 146_097;
const daysToEpoch = 719_468;
/** The days whose years have four digits: 0001-01-01 to 9999-12-31. */
const daysMin = -719_162;
const daysMax = 2_932_896;

/**
 * Writes the day `days` since the epoch, in the proleptic Gregorian calendar, as `yyyy-MM-dd`; years before 1 get ` (BC)` behind.
 *
 * Source: C. Neri, L. Schneider, Euclidean affine functions and their application to calendar algorithms,
 * https://doi.org/10.1002/spe.3172, figure 12
 */
export function writeDate(to: usize, days: i64): usize {
  if (days >= daysMin && days <= daysMax) return writeDayOf(to, <u32>(<i32>days + daysToEpoch), 0);
  const shifted = days + daysToEpoch;
  let cycle = shifted / daysPerCycle;
  let day = <i32>(shifted - cycle * daysPerCycle);
  if (day < 0) {
    day += daysPerCycle;
    cycle -= 1;
  }
  return writeDayOf(to, day, cycle * 400);
}

/** Writes a date as above, but the ends of the 32-bit range, which engines use for it, as `infinity` and `-infinity`. */
export function writeDateOrInfinity(to: usize, days: i32): usize {
  if (days === i32.MAX_VALUE) return writeInfinity(to, false);
  if (days <= -i32.MAX_VALUE) return writeInfinity(to, true);
  return writeDate(to, days);
}

export function writeInfinity(to: usize, isNegative: bool): usize {
  store<u8>(to, 0x2d);
  const at = to + <usize>isNegative;
  store<u64>(at, 0x7974_696e_6966_6e69);
  return at + 8;
}

/** @param day days since 1 March of the year `years` */
function writeDayOf(to: usize, day: u32, years: i64): usize {
  const quarterDays = (day << 2) | 3;
  const century = quarterDays / daysPerCycle;
  const ofCentury = <u64>2_939_745 * ((quarterDays - century * daysPerCycle) | 3);
  const dayOfYear = <u32>ofCentury / 2_939_745 / 4;
  const ofYear = 2141 * dayOfYear + 197_913;
  const isNextYear = <u32>(dayOfYear >= 306);
  const month = (ofYear >> 16) - 12 * isNextYear;
  const dayOfMonth = (ofYear & 0xffff) / 2141 + 1;
  const year = century * 100 + <u32>(ofCentury >> 32) + isNextYear;
  if (years === 0 && year > 0 && year < 10_000) return writeYearMonthDay(to, year, month, dayOfMonth);
  return writeRareYear(to, years + year, month, dayOfMonth);
}

function writeYearMonthDay(to: usize, year: u32, month: u32, day: u32): usize {
  const text = digitsOf(year * 10_000 + month * 100 + day) + asciiZeros;
  store<u32>(to, <u32>text);
  return writeMonthDay(to + 4, text);
}

function writeRareYear(to: usize, year: i64, month: u32, day: u32): usize {
  const isBeforeChrist = year <= 0;
  const shown = <u64>(isBeforeChrist ? 1 - year : year);
  let at: usize;
  if (shown < 10_000) at = writeYearMonthDay(to, <u32>shown, month, day);
  else at = writeMonthDay(writeUnsigned(to, shown), digitsOf(month * 100 + day) + asciiZeros);
  if (!isBeforeChrist) return at;
  store<u64>(at, 0x2943_4228_20);
  return at + 5;
}

/** Writes `-MM-dd` from the last four of eight digits. */
function writeMonthDay(to: usize, text: u64): usize {
  store<u8>(to, 0x2d);
  store<u16>(to, <u16>(text >> 32), 1);
  store<u8>(to, 0x2d, 3);
  store<u16>(to, <u16>(text >> 48), 4);
  return to + 6;
}
