import { expressionFailed } from './expression-error.ts';

/**
 * A value of an expression or of a row in the pipeline, with exactly one of Apache Pinot's types.
 *
 * Whole numbers of 32 bits are integers, other whole ones up to 2^53 and bigints are longs, and the
 * rest are doubles. Values that JavaScript cannot distinguish have classes: whole doubles, floats,
 * decimals, timestamps.
 */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | WholeDouble
  | Float
  | Decimal
  | Timestamp
  | readonly Value[]
  | { readonly [name: string]: Value };

/** A value that is not null. */
export type PresentValue = Exclude<Value, null>;

/** The fields of a row by name. A missing field is null. */
export type Fields = Readonly<Record<string, Value>>;

/** A double that is whole, such as 2.0. */
export class WholeDouble {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A 32-bit floating-point number. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = Math.fround(value);
  }
}

/** An instant of type TIMESTAMP. */
export class Timestamp {
  readonly epochMs: number;

  constructor(epochMs: number) {
    this.epochMs = epochMs;
  }
}

/** Wraps a double as a value. */
export function doubleValue(value: number): number | WholeDouble {
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? new WholeDouble(value) : value;
}

/** Converts a long to a value. */
export function longValue(value: number | bigint): bigint {
  return typeof value === 'bigint' ? value : BigInt(value);
}

/** Returns whether a value is a MAP. */
export function isMap(value: Value): value is { readonly [name: string]: Value } {
  return typeOf(value) === 'MAP';
}

/** The types of values. */
export type ValueType =
  | 'NULL'
  | 'BOOLEAN'
  | 'INTEGER'
  | 'LONG'
  | 'FLOAT'
  | 'DOUBLE'
  | 'BIG_DECIMAL'
  | 'TIMESTAMP'
  | 'STRING'
  | 'BYTES'
  | 'MAP'
  | 'ARRAY';

/** Returns the type of a value. */
export function typeOf(value: Value): ValueType {
  switch (typeof value) {
    case 'string':
      return 'STRING';
    case 'boolean':
      return 'BOOLEAN';
    case 'bigint':
      return 'LONG';
    case 'number':
      if (!Number.isSafeInteger(value) || Object.is(value, -0)) return 'DOUBLE';
      return (value | 0) === value ? 'INTEGER' : 'LONG';
    default:
  }
  if (value === null) return 'NULL';
  if (Array.isArray(value)) return 'ARRAY';
  if (value instanceof Uint8Array) return 'BYTES';
  if (value instanceof WholeDouble) return 'DOUBLE';
  if (value instanceof Float) return 'FLOAT';
  if (value instanceof Timestamp) return 'TIMESTAMP';
  return value instanceof Decimal ? 'BIG_DECIMAL' : 'MAP';
}

const decimalPattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,10}))?$/;
/**
 * The maximum scale of a decimal, and the maximum number of its digits: more would take too much
 * time and memory to format.
 */
const scaleMax = 65_535;
const digitsMax = 10_000;

/**
 * A decimal number with all its digits: `unscaled` / 10^`scale`. Trailing zeros are significant, as
 * in java.math.BigDecimal.
 */
export class Decimal {
  readonly unscaled: bigint;
  readonly scale: number;

  constructor(unscaled: bigint, scale: number) {
    if (Math.abs(scale) > scaleMax) {
      throw expressionFailed(
        `A decimal number has at most ${scaleMax} digits, not ${Math.abs(scale)}.`,
      );
    }
    this.unscaled = unscaled;
    this.scale = scale;
  }

  /** @throws EXPRESSION_FAILED when the text is not a decimal number */
  static parse(text: string): Decimal {
    const [, sign = '', whole = '', fraction = '', exponent = '0'] =
      decimalPattern.exec(text) ?? [];
    const digits = whole + fraction;
    if (digits === '') throw expressionFailed(`‘${text.slice(0, 40)}’ is not a decimal number.`);
    if (digits.length > digitsMax) {
      throw expressionFailed(
        `A decimal number has at most ${digitsMax} digits, not ${digits.length}.`,
      );
    }
    const unscaled = BigInt(digits);
    return new Decimal(sign === '-' ? -unscaled : unscaled, fraction.length - Number(exponent));
  }

  /** Formats the number without an exponent. */
  toPlainString(): string {
    const digits = String(this.unscaled < 0n ? -this.unscaled : this.unscaled);
    const sign = this.unscaled < 0n ? '-' : '';
    if (this.scale === 0) return sign + digits;
    if (this.scale < 0) return this.unscaled === 0n ? '0' : sign + digits + '0'.repeat(-this.scale);
    const padded = digits.padStart(this.scale + 1, '0');
    return `${sign}${padded.slice(0, -this.scale)}.${padded.slice(-this.scale)}`;
  }

  /** Formats the number like java.math.BigDecimal: with an exponent instead of many zeros. */
  toString(): string {
    const digits = String(this.unscaled < 0n ? -this.unscaled : this.unscaled);
    const exponent = digits.length - 1 - this.scale;
    if (this.scale === 0 || (this.scale > 0 && exponent >= -6)) return this.toPlainString();
    const mantissa = digits.length > 1 ? `${digits.slice(0, 1)}.${digits.slice(1)}` : digits;
    const power = exponent === 0 ? '' : `E${exponent > 0 ? '+' : ''}${exponent}`;
    return (this.unscaled < 0n ? '-' : '') + mantissa + power;
  }

  toNumber(): number {
    return Number(`${this.unscaled}e${-this.scale}`);
  }

  /** Truncates towards zero. */
  toBigInt(): bigint {
    return this.scale <= 0
      ? this.unscaled * 10n ** BigInt(-this.scale)
      : this.unscaled / 10n ** BigInt(this.scale);
  }

  /** Rounds to `scale` decimals: halves away from zero, or towards zero. */
  withScale(scale: number, rounding: 'half-up' | 'down'): Decimal {
    // The scale is checked before the power is computed, which would take too long.
    if (Math.abs(scale) > scaleMax) {
      throw expressionFailed(
        `A decimal number has at most ${scaleMax} digits, not ${Math.abs(scale)}.`,
      );
    }
    if (scale >= this.scale) {
      return new Decimal(this.unscaled * 10n ** BigInt(scale - this.scale), scale);
    }
    const divisor = 10n ** BigInt(this.scale - scale);
    const quotient = this.unscaled / divisor;
    const rest = this.unscaled % divisor;
    const isHalf = rounding === 'half-up' && (rest < 0n ? -rest : rest) * 2n >= divisor;
    return new Decimal(isHalf ? quotient + (this.unscaled < 0n ? -1n : 1n) : quotient, scale);
  }

  withoutTrailingZeros(): Decimal {
    if (this.unscaled === 0n) return new Decimal(0n, 0);
    let { unscaled, scale } = this;
    while (unscaled % 10n === 0n) [unscaled, scale] = [unscaled / 10n, scale - 1];
    return new Decimal(unscaled, scale);
  }

  /**
   * Encodes the scale in two bytes, then the digits in two's complement, as BYTES columns store
   * decimals.
   */
  toBytes(): Uint8Array {
    let length = 1;
    while (BigInt.asIntN(length * 8, this.unscaled) !== this.unscaled) length += 1;
    const hex = BigInt.asUintN(length * 8, this.unscaled)
      .toString(16)
      .padStart(length * 2, '0');
    return Buffer.concat([
      Buffer.from([(this.scale >> 8) & 0xff, this.scale & 0xff]),
      Buffer.from(hex, 'hex'),
    ]);
  }

  /** @throws EXPRESSION_FAILED when there are fewer than three bytes */
  static fromBytes(bytes: Uint8Array): Decimal {
    if (bytes.length < 3) {
      throw expressionFailed(`A decimal number has at least 3 bytes, not ${bytes.length}.`);
    }
    const [high = 0, low = 0] = bytes;
    const digits = Buffer.from(bytes.subarray(2)).toString('hex');
    return new Decimal(
      BigInt.asIntN((bytes.length - 2) * 8, BigInt(`0x${digits}`)),
      // The scale has a sign, as in 1E+5.
      (((high << 8) | low) << 16) >> 16,
    );
  }
}
