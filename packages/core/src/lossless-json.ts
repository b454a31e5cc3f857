/** A parsed JSON value; integers that a number cannot hold exactly are bigints. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/**
 * The third parameter of a reviver, which TypeScript's library does not declare yet:
 * https://tc39.es/proposal-json-parse-with-source.
 */
interface ReviverContext {
  readonly source?: string;
}

/**
 * Matches a number with sixteen digits or more before its fraction. Some texts match as well, which
 * only costs time. To match all digits of millions may exceed the memory of regular expressions.
 */
const longIntegerPattern = /(?:^|[:[,\s])-?\d{16}/;
/**
 * Matches sixteen digits in a row. Most texts have none, and this test is faster than the other
 * one.
 */
const longDigitsPattern = /\d{16}/;
/** Matches a fraction or an exponent in the source of a number. */
const fractionPattern = /[.eE]/;

/** The default maximum of digits of an integer, many times that of any database type. */
const digitsMaxDefault = 1_000;

/**
 * An integer with more digits than the limit. The time to parse it grows with the square of its
 * length.
 */
export class TooManyDigitsError extends RangeError {
  constructor(digitCount: number, digitsMax: number) {
    super(`An integer has ${digitCount} digits; the limit is ${digitsMax}.`);
    this.name = 'TooManyDigitsError';
  }
}

/**
 * Parses JSON without losing digits of integers: one beyond ±(2^53 - 1) becomes a bigint.
 *
 * @param options.digitsMax the maximum number of digits of an integer; 1,000 by default
 * @throws SyntaxError when the text is not JSON
 * @throws TooManyDigitsError when an integer is longer than that
 * @throws RangeError when it is nested too deeply for the stack; only for texts with long numbers
 */
export function parseLosslessJson(text: string, { digitsMax = digitsMaxDefault } = {}): JsonValue {
  // A reviver is called for every value and costs several times as much as the parse; most texts do
  // not need it.
  if (!longDigitsPattern.test(text) || !longIntegerPattern.test(text)) {
    return JSON.parse(text) as JsonValue;
  }
  const revive = (_name: string, value: unknown, ...rest: unknown[]): unknown =>
    reviveInteger(value, rest, digitsMax);
  return JSON.parse(text, revive) as JsonValue;
}

function reviveInteger(value: unknown, rest: readonly unknown[], digitsMax: number): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = (rest[0] as ReviverContext | undefined)?.source;
  if (source === undefined) {
    throw new SyntaxError(
      'This runtime cannot parse 64-bit integers: JSON.parse does not provide the source text.',
    );
  }
  if (fractionPattern.test(source)) return value;
  const digitCount = source.length - (source.startsWith('-') ? 1 : 0);
  if (digitCount > digitsMax) throw new TooManyDigitsError(digitCount, digitsMax);
  return BigInt(source);
}

/**
 * Writes a value as JSON without losing digits of a bigint. `NaN` and `Infinity` become text, bytes
 * become hexadecimal digits, and undefined members are omitted.
 */
export function writeLosslessJson(value: unknown): string {
  // The runtime writes most values identically, several times as fast.
  return isPlainJson(value, plainDepthMax) ? JSON.stringify(value) : write(value);
}

/**
 * The depth down to which a value is checked for values that JSON lacks; deeper values are written
 * member by member.
 */
const plainDepthMax = 100;

function isPlainJson(value: unknown, depth: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth === 0 || value instanceof Uint8Array) return false;
  if ('toJSON' in value && typeof value.toJSON === 'function') return false;
  if (Array.isArray(value)) return value.every((element) => isPlainJson(element, depth - 1));
  // The runtime reads the members of an object in a for-in loop without looking them up. Inherited
  // members may have any value.
  for (const name in value) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (typeof member === 'string' || member === undefined) continue;
    if (!isPlainJson(member, depth - 1)) return false;
  }
  return true;
}

function write(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return `"${value}"`;
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('hex')}"`;
  if (value === undefined || value === null || typeof value !== 'object') {
    return JSON.stringify(value ?? null);
  }
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]: [string, unknown]) => `${JSON.stringify(name)}:${write(member)}`).join(',')}}`;
}
