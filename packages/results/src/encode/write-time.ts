import { ByteSink } from './byte-sink.ts';
import { writeDigits, writeInteger } from './write-number.ts';

const dash = 45;
const colon = 58;
const space = 32;
const dot = 46;
const secondsPerDay = 86_400;

/**
 * Writes the day `daysSinceEpoch` of the proleptic Gregorian calendar as `yyyy-MM-dd`; years before 1 get ` (BC)` behind.
 * Source: http://howardhinnant.github.io/date_algorithms.html#civil_from_days
 */
export function writeDate(sink: ByteSink, daysSinceEpoch: number): void {
  if (writeCivilDate(sink, daysSinceEpoch)) sink.writeAscii(' (BC)');
}

/** Writes the date alone and tells whether it lies before year 1. */
function writeCivilDate(sink: ByteSink, daysSinceEpoch: number): boolean {
  const shifted = daysSinceEpoch + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const isBeforeChrist = year <= 0;
  const shownYear = isBeforeChrist ? 1 - year : year;
  if (shownYear < 10_000) writeDigits(sink, shownYear, 4);
  else writeInteger(sink, shownYear);
  sink.writeByte(dash);
  writeDigits(sink, month, 2);
  sink.writeByte(dash);
  writeDigits(sink, day, 2);
  return isBeforeChrist;
}

/** Writes `HH:mm:ss`. */
function writeTimeOfDay(sink: ByteSink, secondOfDay: number): void {
  const minuteOfDay = (secondOfDay / 60) | 0;
  const hour = (minuteOfDay / 60) | 0;
  writeDigits(sink, hour, 2);
  sink.writeByte(colon);
  writeDigits(sink, minuteOfDay - hour * 60, 2);
  sink.writeByte(colon);
  writeDigits(sink, secondOfDay - minuteOfDay * 60, 2);
}

/** Writes a dot and the fraction without its trailing zeros, but at least `digitsMin` digits; nothing at all for none. */
function writeFraction(sink: ByteSink, fraction: number, fractionDigits: number, digitsMin: number): void {
  let digits = fractionDigits;
  let rest = fraction;
  while (digits > digitsMin && rest % 10 === 0) {
    rest = rest / 10;
    digits -= 1;
  }
  if (digits === 0) {
    if (digitsMin === 0) return;
    digits = digitsMin;
  }
  sink.writeByte(dot);
  writeDigits(sink, rest, digits);
}

/** Writes a time of day counted in units of 10^-fractionDigits seconds: `HH:mm:ss`, then a fraction if there is one. */
export function writeTime(sink: ByteSink, value: bigint, fractionDigits: 0 | 3 | 6 | 9): void {
  const unitsPerSecond = BigInt(10 ** fractionDigits);
  writeTimeOfDay(sink, Number(value / unitsPerSecond));
  writeFraction(sink, Number(value % unitsPerSecond), fractionDigits, 0);
}

const infinityHigh = 0x7fffffff;

/**
 * Writes timestamps counted in units of 10^-fractionDigits seconds since the epoch as `yyyy-MM-dd HH:mm:ss.f` with 1 to 9 fraction
 * digits (contract section 2); the ends of the 64-bit range, which engines use for it, as `infinity` and `-infinity`.
 *
 * Remembers the date that it wrote last: neighbouring rows are mostly of one day. Exact to the last digit but for counts of
 * milliseconds beyond 9·10^18, some 285 million years away.
 */
export class TimestampWriter {
  readonly #fractionDigits: 0 | 3 | 6 | 9;
  readonly #unitsPerSecond: number;
  readonly #date = new ByteSink(32);
  #dateDays = Number.NaN;
  #isBeforeChrist = false;

  constructor(fractionDigits: 0 | 3 | 6 | 9) {
    this.#fractionDigits = fractionDigits;
    this.#unitsPerSecond = 10 ** fractionDigits;
  }

  /** @param low, high the halves of the 64-bit integer, both signed */
  write(sink: ByteSink, low: number, high: number): void {
    if (high === infinityHigh && low === -1) return sink.writeAscii('infinity');
    if (high === ~infinityHigh && low >>> 0 <= 1) return sink.writeAscii('-infinity');
    // The sum is inexact beyond 2^53, so the seconds may be off by one or two; the fraction is exact in 32 bits and sets that right.
    let seconds = Math.floor((high * 4_294_967_296 + (low >>> 0)) / this.#unitsPerSecond);
    let fraction = (low - Math.imul(seconds | 0, this.#unitsPerSecond)) | 0;
    while (fraction < 0) {
      fraction += this.#unitsPerSecond;
      seconds -= 1;
    }
    while (fraction >= this.#unitsPerSecond) {
      fraction -= this.#unitsPerSecond;
      seconds += 1;
    }
    const days = Math.floor(seconds / secondsPerDay);
    if (days !== this.#dateDays) {
      this.#date.clear();
      this.#isBeforeChrist = writeCivilDate(this.#date, days);
      this.#dateDays = days;
    }
    sink.writeBytes(this.#date.bytes, 0, this.#date.length);
    sink.writeByte(space);
    writeTimeOfDay(sink, seconds - days * secondsPerDay);
    writeFraction(sink, fraction, this.#fractionDigits, 1);
    if (this.#isBeforeChrist) sink.writeAscii(' (BC)');
  }
}
