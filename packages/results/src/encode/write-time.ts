import { writeAscii, writeDigits, writeInteger, writeTwoDigits } from './write-number.ts';

// As in write-number.ts: text goes into `bytes` from `position` on, and the position behind it comes back.

const dash = 45;
const colon = 58;
const space = 32;
const dot = 46;
const secondsPerDay = 86_400;
const daysInfinite = 2 ** 31 - 1;

/** Room that any date, time or timestamp needs. */
export const timeWidthMax = 48;

/**
 * Writes the day `daysSinceEpoch` of the proleptic Gregorian calendar as `yyyy-MM-dd`; years before 1 get ` (BC)` behind. The ends
 * of the 32-bit range, which engines use for it, are `infinity` and `-infinity`: no calendar reaches there.
 */
export function writeDate(bytes: Uint8Array, position: number, daysSinceEpoch: number): number {
  if (Math.abs(daysSinceEpoch) >= daysInfinite) return writeAscii(bytes, position, daysSinceEpoch > 0 ? 'infinity' : '-infinity');
  return writeDay(bytes, position, daysSinceEpoch);
}

/** As `writeDate`, of every day: timestamps reach beyond the range of dates. */
function writeDay(bytes: Uint8Array, position: number, daysSinceEpoch: number): number {
  const civil = civilDateOf(daysSinceEpoch);
  const end = writeCivilDate(bytes, position, civil);
  return civil.isBeforeChrist ? writeAscii(bytes, end, ' (BC)') : end;
}

interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly isBeforeChrist: boolean;
}

/** Source: http://howardhinnant.github.io/date_algorithms.html#civil_from_days */
function civilDateOf(daysSinceEpoch: number): CivilDate {
  const shifted = daysSinceEpoch + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const leapDays = ((dayOfEra / 1460) | 0) - ((dayOfEra / 36_524) | 0) + ((dayOfEra / 146_096) | 0);
  const yearOfEra = ((dayOfEra - leapDays) / 365) | 0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + ((yearOfEra / 4) | 0) - ((yearOfEra / 100) | 0));
  const monthFromMarch = ((5 * dayOfYear + 2) / 153) | 0;
  const day = dayOfYear - (((153 * monthFromMarch + 2) / 5) | 0) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return { year: year <= 0 ? 1 - year : year, month, day, isBeforeChrist: year <= 0 };
}

function writeCivilDate(bytes: Uint8Array, position: number, { year, month, day }: CivilDate): number {
  let end = year < 10_000 ? writeDigits(bytes, position, year, 4) : writeInteger(bytes, position, year);
  bytes[end] = dash;
  end = writeTwoDigits(bytes, end + 1, month);
  bytes[end] = dash;
  return writeTwoDigits(bytes, end + 1, day);
}

/** Writes `HH:mm:ss`. */
function writeTimeOfDay(bytes: Uint8Array, position: number, secondOfDay: number): number {
  const minuteOfDay = (secondOfDay / 60) | 0;
  const hour = (minuteOfDay / 60) | 0;
  writeTwoDigits(bytes, position, hour);
  bytes[position + 2] = colon;
  writeTwoDigits(bytes, position + 3, minuteOfDay - hour * 60);
  bytes[position + 5] = colon;
  return writeTwoDigits(bytes, position + 6, secondOfDay - minuteOfDay * 60);
}

/** Writes a dot and the fraction without its trailing zeros, but at least `digitsMin` digits; nothing at all for none. */
function writeFraction(bytes: Uint8Array, position: number, fraction: number, fractionDigits: number, digitsMin: number): number {
  if (fraction === 0) return digitsMin === 0 ? position : writeAscii(bytes, position, '.0');
  let digits = fractionDigits;
  let rest = fraction;
  while (rest % 10 === 0) {
    rest = (rest / 10) | 0;
    digits -= 1;
  }
  bytes[position] = dot;
  return writeDigits(bytes, position + 1, rest, digits);
}

/** Writes a time of day counted in units of 10^-fractionDigits seconds: `HH:mm:ss`, then a fraction if there is one. */
export function writeTime(bytes: Uint8Array, position: number, value: bigint, fractionDigits: 0 | 3 | 6 | 9): number {
  const unitsPerSecond = BigInt(10 ** fractionDigits);
  const end = writeTimeOfDay(bytes, position, Number(value / unitsPerSecond));
  return writeFraction(bytes, end, Number(value % unitsPerSecond), fractionDigits, 0);
}

const infinityHigh = 0x7fffffff;

/**
 * Writes timestamps counted in units of 10^-fractionDigits seconds since the epoch as `yyyy-MM-dd HH:mm:ss.f` with 1 to 9 fraction
 * digits (CONTRACT.md section 2); the ends of the 64-bit range, which engines use for it, as `infinity` and `-infinity`.
 *
 * Remembers the date that it wrote last: neighbouring rows are mostly of one day.
 */
export class TimestampWriter {
  readonly #fractionDigits: 0 | 3 | 6 | 9;
  readonly #unitsPerSecond: number;
  readonly #date = new Uint8Array(timeWidthMax);
  #dateLength = 0;
  #dateDays = Number.NaN;

  constructor(fractionDigits: 0 | 3 | 6 | 9) {
    this.#fractionDigits = fractionDigits;
    this.#unitsPerSecond = 10 ** fractionDigits;
  }

  /** @param low, high the halves of the 64-bit integer, both signed */
  write(bytes: Uint8Array, position: number, low: number, high: number): number {
    if (high === infinityHigh && low === -1) return writeAscii(bytes, position, 'infinity');
    if (high === ~infinityHigh && low >>> 0 <= 1) return writeAscii(bytes, position, '-infinity');
    // The sum is inexact beyond 2^53, so the seconds may be off by one or two; the fraction is exact in 32 bits and sets that right.
    if (this.#unitsPerSecond <= 1000 && Math.abs(high) >= 0x20_0000) return this.#writeFar(bytes, position, low, high);
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
    return this.#writeParts(bytes, position, days, seconds - days * secondsPerDay, fraction);
  }

  /** Writes a timestamp whose seconds alone may be too many for a number. */
  #writeFar(bytes: Uint8Array, position: number, low: number, high: number): number {
    const value = (BigInt(high) << 32n) | BigInt(low >>> 0);
    const unitsPerDay = BigInt(secondsPerDay * this.#unitsPerSecond);
    const ofDay = ((value % unitsPerDay) + unitsPerDay) % unitsPerDay;
    const secondOfDay = Math.floor(Number(ofDay) / this.#unitsPerSecond);
    const fraction = Number(ofDay) - secondOfDay * this.#unitsPerSecond;
    return this.#writeParts(bytes, position, Number((value - ofDay) / unitsPerDay), secondOfDay, fraction);
  }

  #writeParts(bytes: Uint8Array, position: number, days: number, secondOfDay: number, fraction: number): number {
    if (days !== this.#dateDays) this.#setDate(days);
    const length = this.#dateLength;
    for (let index = 0; index < length; index += 1) bytes[position + index] = this.#date[index] ?? 0;
    bytes[position + length] = space;
    const end = writeTimeOfDay(bytes, position + length + 1, secondOfDay);
    return writeFraction(bytes, end, fraction, this.#fractionDigits, 1);
  }

  #setDate(days: number): void {
    this.#dateLength = writeDay(this.#date, 0, days);
    this.#dateDays = days;
  }
}
