import { asciiZeros, digitsOf, writeUnsigned } from './digits';

/**
 * Days of the 400 years after which the calendar repeats, and days from 0000-03-01 to the epoch.
 */
const daysPerCycle = 146_097;
const daysToEpoch = 719_468;
/** The days whose years have four digits: 0001-01-01 to 9999-12-31. */
const daysMin = -719_162;
const daysMax = 2_932_896;

/**
 * The cached texts of days, at the day's number modulo `recentDays`, each followed by its day: rows
 * of one result are mostly from a few years. Unset entries have day 0, whose year does not have
 * four digits.
 */
const recentDays = 2048;
const recentTexts = memory.data(recentDays * 16, 16);

/**
 * Writes the day `days` since the epoch, in the proleptic Gregorian calendar, as `yyyy-MM-dd`;
 * years before 1 are followed by ` (BC)`.
 */
export function writeDate(to: usize, days: i64): usize {
  if (days < daysMin || days > daysMax) return writeRareDate(to, days);
  return writeCommonDate(to, <u32>(<i32>days + daysToEpoch));
}

/**
 * Writes a date as `writeDate` does, but the ends of the 32-bit range as `infinity` and
 * `-infinity`, which engines represent by them.
 */
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

/** Writes the date that is `days` after 0000-03-01, of a year of four digits. */
function writeCommonDate(to: usize, days: u32): usize {
  const text = recentTexts + ((days % recentDays) << 4);
  if (load<u32>(text, 12) !== days) setText(text, days);
  v128.store(to, v128.load(text));
  return to + 10;
}

/**
 * Finds the date that is `days` after 0000-03-01.
 *
 * Source: C. Neri, L. Schneider, Euclidean affine functions and their application to calendar
 * algorithms, https://doi.org/10.1002/spe.3172, figure 12
 */
function setText(text: usize, days: u32): void {
  const quarterDays = (days << 2) | 3;
  const century = quarterDays / daysPerCycle;
  const ofCentury = <u64>2_939_745 * ((quarterDays - century * daysPerCycle) | 3);
  const dayOfYear = <u32>ofCentury / 2_939_745 / 4;
  const ofYear = 2141 * dayOfYear + 197_913;
  const isNextYear = <u32>(dayOfYear >= 306);
  const year = century * 100 + <u32>(ofCentury >> 32) + isNextYear;
  const month = (ofYear >> 16) - 12 * isNextYear;
  const day = (ofYear & 0xffff) / 2141 + 1;
  const digits = digitsOf(year * 10_000 + month * 100 + day) + asciiZeros;
  store<u32>(text, <u32>digits);
  store<u8>(text, 0x2d, 4);
  store<u16>(text, <u16>(digits >> 32), 5);
  store<u8>(text, 0x2d, 7);
  store<u16>(text, <u16>(digits >> 48), 8);
  store<u32>(text, days, 12);
}

/**
 * Writes a date of any year: the date with the same month and day in the years 2000 to 2399, with
 * the year replaced.
 */
function writeRareDate(to: usize, days: i64): usize {
  const shifted = days + daysToEpoch;
  let cycle = shifted / daysPerCycle;
  let day = <i32>(shifted - cycle * daysPerCycle);
  if (day < 0) {
    day += daysPerCycle;
    cycle -= 1;
  }
  // Written further to the right than its final position, because a longer year moves the date
  // there.
  writeCommonDate(to + 16, day + 5 * daysPerCycle);
  const digits = load<u32>(to, 16) - <u32>asciiZeros;
  const yearOfCommon =
    (digits & 0xff) * 1000 +
    ((digits >> 8) & 0xff) * 100 +
    ((digits >> 16) & 0xff) * 10 +
    (digits >> 24);
  const year = <i64>yearOfCommon + (cycle - 5) * 400;
  const monthAndDay = load<u64>(to, 20);
  const isBeforeChrist = year <= 0;
  const shown = <u64>(isBeforeChrist ? 1 - year : year);
  let at = to + 4;
  if (shown < 10_000) store<u32>(to, <u32>((digitsOf(<u32>shown) + asciiZeros) >> 32));
  else at = writeUnsigned(to, shown);
  store<u64>(at, monthAndDay);
  if (!isBeforeChrist) return at + 6;
  store<u64>(at, 0x2943_4228_20, 6);
  return at + 11;
}
