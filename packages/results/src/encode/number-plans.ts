import { blockRows } from './column-kernel.ts';
import { blockNumbers, type CellPlan } from './planned-kernel.ts';
import { integerWidth, writeDigits, writeInteger } from './write-number.ts';

const minus = 45;
const dot = 46;
const powersOfTen = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/** A decimal number: sign, whole part, and a fraction of so many digits. */
class DecimalParts {
  readonly #wholes = blockNumbers();
  readonly #fractions = new Int32Array(blockRows);
  /** Fraction digits; 16 more for a minus sign. */
  readonly #shapes = new Uint8Array(blockRows);

  /** Remembers `scaled / 10^digits`; returns the bytes of its text. */
  set(index: number, scaled: number, digits: number, areZerosCut: boolean): number {
    const magnitude = Math.abs(scaled);
    const unit = powersOfTen[digits] ?? 1;
    const whole = Math.floor(magnitude / unit);
    // Below 10^9, so that it fits 32 bits, whose remainder is much cheaper than that of a double.
    let fraction = (magnitude - whole * unit) | 0;
    let fractionDigits = digits;
    if (areZerosCut) {
      if (fraction === 0) fractionDigits = 0;
      else {
        while (fraction % 10 === 0) {
          fraction = (fraction / 10) | 0;
          fractionDigits -= 1;
        }
      }
    }
    this.#wholes[index] = whole;
    this.#fractions[index] = fraction;
    this.#shapes[index] = scaled < 0 ? fractionDigits | 16 : fractionDigits;
    return integerWidth(whole) + (fractionDigits === 0 ? 0 : fractionDigits + 1) + (scaled < 0 ? 1 : 0);
  }

  emit(bytes: Uint8Array, position: number, index: number): number {
    const shape = this.#shapes[index] ?? 0;
    let end = position;
    if (shape >= 16) {
      bytes[end] = minus;
      end += 1;
    }
    end = writeInteger(bytes, end, this.#wholes[index] ?? 0);
    const fractionDigits = shape & 15;
    if (fractionDigits === 0) return end;
    bytes[end] = dot;
    return writeDigits(bytes, end + 1, this.#fractions[index] ?? 0, fractionDigits);
  }
}

/**
 * Doubles that are decimals of up to 6 fraction digits and 15 digits in all, as most doubles of tables are: an integer divided by a
 * power of ten rounds as the decimal's text would, so when the quotient is the double, the text is its shortest name.
 */
export function doublePlan(values: Float64Array): CellPlan {
  return shortDecimalPlan(values, 1e15, [3, 6], (value) => value);
}

/** The same for single-precision floats, of which every decimal of 6 digits names one. */
export function floatPlan(values: Float32Array): CellPlan {
  return shortDecimalPlan(values, 1e6, [1, 3], Math.fround);
}

function shortDecimalPlan(
  values: Float64Array | Float32Array,
  scaledMax: number,
  [fewDigits, manyDigits]: readonly [number, number],
  round: (value: number) => number,
): CellPlan {
  const parts = new DecimalParts();
  const fewUnit = powersOfTen[fewDigits] ?? 1;
  const manyUnit = powersOfTen[manyDigits] ?? 1;
  return {
    plan(row, index) {
      const value = values[row] ?? 0;
      const few = Math.round(value * fewUnit);
      // Zero is left out, because its sign would be lost.
      if (few !== 0 && few < scaledMax && few > -scaledMax && round(few / fewUnit) === value) {
        return parts.set(index, few, fewDigits, true);
      }
      const many = Math.round(value * manyUnit);
      if (many !== 0 && many < scaledMax && many > -scaledMax && round(many / manyUnit) === value) {
        return parts.set(index, many, manyDigits, true);
      }
      return -1;
    },
    emit: (bytes, position, index) => parts.emit(bytes, position, index),
  };
}

/** Decimals below 2^53 of 0 to 9 fraction digits, from their 32-bit words, the lowest first. */
export function decimalPlan(words: Int32Array, wordCount: number, scale: number): CellPlan {
  const parts = new DecimalParts();
  return {
    plan(row, index) {
      const start = row * wordCount;
      const high = words[start + 1] ?? 0;
      if (high >= 0x20_0000 || high < -0x20_0000) return -1;
      const sign = high >> 31;
      for (let word = 2; word < wordCount; word += 1) if (words[start + word] !== sign) return -1;
      return parts.set(index, high * 4_294_967_296 + ((words[start] ?? 0) >>> 0), scale, false);
    },
    emit: (bytes, position, index) => parts.emit(bytes, position, index),
  };
}

const trueText = [116, 114, 117, 101] as const;
const falseText = [102, 97, 108, 115, 101] as const;

/** Booleans, from their bits. */
export function booleanPlan(bits: Uint8Array, offset: number): CellPlan {
  const flags = new Uint8Array(blockRows);
  return {
    plan(row, index) {
      const flag = ((bits[(offset + row) >> 3] ?? 0) >> ((offset + row) & 7)) & 1;
      flags[index] = flag;
      return 5 - flag;
    },
    emit(bytes, position, index) {
      const text = flags[index] === 1 ? trueText : falseText;
      for (let at = 0; at < text.length; at += 1) bytes[position + at] = text[at] ?? 0;
      return position + text.length;
    },
  };
}
