import type { SourceValue } from '../row.ts';
import { expressionFailed } from './expression-error.ts';
import type { Parameter, PresentValue } from './parameter.ts';
import { bytesOfHex, hexOf } from './values/bytes.ts';
import { fitsLong, type Integer, isInteger, toInteger } from './values/integer.ts';
import { kindOf } from './values/kind-of.ts';

/** Any value, as it is. */
export const anything: Parameter<PresentValue> = { type: 'value', read: (value) => value };

/** Text; numbers and booleans as they are written, bytes as hex. */
export const text: Parameter<string> = {
  type: 'text',
  read(value, place) {
    if (typeof value === 'string') return value;
    if (typeof value !== 'object') return String(value);
    if (value instanceof Uint8Array) return hexOf(value);
    throw wrongType(place, 'text', value);
  },
};

/** A number, whole or not; text that is one; a boolean as 1 or 0. */
export const number: Parameter<number | bigint> = {
  type: 'number',
  read(value, place) {
    if (typeof value === 'number' || typeof value === 'bigint') return value;
    if (typeof value === 'boolean') return Number(value);
    const parsed = typeof value === 'string' ? parseNumber(value) : undefined;
    if (parsed === undefined) throw wrongType(place, 'a number', value);
    return parsed;
  },
};

/** A number as a double. */
export const double: Parameter<number> = { type: 'number', read: (value, place) => Number(number.read(value, place)) };

/** A whole number of up to 64 bits; a fraction is cut off towards zero. */
export const long: Parameter<Integer> = {
  type: 'integer',
  read(value, place) {
    const read = number.read(value, place);
    if (isInteger(read)) return read;
    const whole = Math.trunc(Number(read));
    if (!Number.isFinite(whole) || !fitsLong(BigInt(whole))) throw wrongType(place, 'an integer of 64 bits', value);
    return toInteger(BigInt(whole));
  },
};

/** A whole number that JavaScript counts with: positions, lengths, milliseconds. */
export const integer: Parameter<number> = {
  type: 'integer',
  read(value, place) {
    const read = long.read(value, place);
    if (typeof read === 'bigint') throw wrongType(place, 'an integer up to 2^53', value);
    return read;
  },
};

/** A boolean; `true` and `false` as text, and numbers, of which 0 is false. */
export const boolean: Parameter<boolean> = {
  type: 'boolean',
  read(value, place) {
    if (typeof value === 'boolean') return value;
    if (typeof value === 'number' || typeof value === 'bigint') return Number(value) !== 0;
    const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
    if (word === 'true' || word === '1') return true;
    if (word === 'false' || word === '0') return false;
    throw wrongType(place, 'a boolean', value);
  },
};

/** Bytes; text as pairs of hex digits. */
export const bytes: Parameter<Uint8Array> = {
  type: 'bytes',
  read(value, place) {
    if (value instanceof Uint8Array) return value;
    const decoded = typeof value === 'string' ? bytesOfHex(value) : undefined;
    if (decoded === undefined) throw wrongType(place, 'bytes, or hex digits', value);
    return decoded;
  },
};

/** Bytes; text in UTF-8. */
export const bytesOrText: Parameter<Uint8Array> = {
  type: 'bytes or text',
  read(value, place) {
    return value instanceof Uint8Array ? value : Buffer.from(text.read(value, place), 'utf8');
  },
};

/** An array; any other value as an array of one. */
export const array: Parameter<readonly SourceValue[]> = {
  type: 'array',
  read: (value) => (Array.isArray(value) ? (value as readonly SourceValue[]) : [value]),
};

/** One of a few words, in any case. */
export function oneOf<const Word extends string>(type: string, words: readonly Word[]): Parameter<Word> {
  return {
    type,
    read(value, place) {
      const given = text.read(value, place).toUpperCase();
      const word = words.find((known) => known === given);
      if (word === undefined) throw expressionFailed(`Expected ${words.join(', ')} as ${place}, found ${kindOf(value)}.`);
      return word;
    },
  };
}

function parseNumber(given: string): number | bigint | undefined {
  const trimmed = given.trim();
  if (/^[+-]?\d{1,20}$/.test(trimmed)) {
    const whole = BigInt(trimmed.replace(/^\+/, ''));
    return fitsLong(whole) ? toInteger(whole) : Number(trimmed);
  }
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed)) return Number(trimmed);
  return /^(?:NaN|[+-]?Infinity)$/.test(trimmed) ? Number(trimmed) : undefined;
}

function wrongType(place: string, expected: string, value: SourceValue): Error {
  return expressionFailed(`Expected ${expected} as ${place}, found ${kindOf(value)}.`);
}
