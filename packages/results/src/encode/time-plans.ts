import { blockRows } from './column-kernel.ts';
import { blockNumbers, type CellPlan } from './planned-kernel.ts';
import { writeDigits } from './write-number.ts';
import { timeWidthMax, writeDate, writeTimeOfDay } from './write-time.ts';

const space = 32;
const dot = 46;
const zero = 48;
const secondsPerDay = 86_400;
/** The days whose dates are ten characters long: those of the years 1 to 9999. */
const daysMin = -719_162;
const daysMax = 2_932_896;
const dateWidth = 10;

/** Writes dates of ten characters; remembers the last one, because neighbouring rows are often of one day. */
class DateText {
  readonly #text = new Uint8Array(timeWidthMax);
  #days = Number.NaN;

  write(bytes: Uint8Array, position: number, days: number): number {
    if (days !== this.#days) {
      writeDate(this.#text, 0, days);
      this.#days = days;
    }
    for (let index = 0; index < dateWidth; index += 1) bytes[position + index] = this.#text[index] ?? 0;
    return position + dateWidth;
  }
}

/** Dates of four-digit years, counted in days. */
export function datePlan(values: Int32Array): CellPlan {
  const text = new DateText();
  const days = new Int32Array(blockRows);
  return {
    plan(row, index) {
      const day = values[row] ?? 0;
      days[index] = day;
      return day >= daysMin && day <= daysMax ? dateWidth : -1;
    },
    emit: (bytes, position, index) => text.write(bytes, position, days[index] ?? 0),
  };
}

/** Timestamps of four-digit years whose count of units is exact in a double, from their 32-bit halves, the lower first. */
export function timestampPlan(halves: Int32Array, fractionDigits: 0 | 3 | 6 | 9): CellPlan {
  const text = new DateText();
  const unitsPerSecond = 10 ** fractionDigits;
  const seconds = blockNumbers();
  const fractions = new Int32Array(blockRows);
  const digits = new Uint8Array(blockRows);
  return {
    plan(row, index) {
      const low = halves[row * 2] ?? 0;
      // Beyond 2^53 the sum is rounded, and the second may be off by one; the fraction is exact in 32 bits and sets that right.
      let second = Math.floor(((halves[row * 2 + 1] ?? 0) * 4_294_967_296 + (low >>> 0)) / unitsPerSecond);
      let fraction = (low - Math.imul(second | 0, unitsPerSecond)) | 0;
      if (fraction < 0) {
        fraction += unitsPerSecond;
        second -= 1;
      } else if (fraction >= unitsPerSecond) {
        fraction -= unitsPerSecond;
        second += 1;
      }
      if (second < daysMin * secondsPerDay || second >= (daysMax + 1) * secondsPerDay) return -1;
      let shownDigits = fractionDigits === 0 ? 1 : fractionDigits;
      if (fraction === 0) shownDigits = 1;
      else {
        while (fraction % 10 === 0) {
          fraction = (fraction / 10) | 0;
          shownDigits -= 1;
        }
      }
      seconds[index] = second;
      fractions[index] = fraction;
      digits[index] = shownDigits;
      return dateWidth + 10 + shownDigits;
    },
    emit(bytes, position, index) {
      const second = seconds[index] ?? 0;
      const days = Math.floor(second / secondsPerDay);
      let end = text.write(bytes, position, days);
      bytes[end] = space;
      end = writeTimeOfDay(bytes, end + 1, second - days * secondsPerDay);
      bytes[end] = dot;
      const fraction = fractions[index] ?? 0;
      if (fraction !== 0) return writeDigits(bytes, end + 1, fraction, digits[index] ?? 1);
      bytes[end + 1] = zero;
      return end + 2;
    },
  };
}
