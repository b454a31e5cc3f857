/** JSON as it parses here: integers that a number cannot hold exactly are bigints. */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/**
 * TypeScript's library does not know this parameter yet:
 * https://tc39.es/proposal-json-parse-with-source.
 */
interface ReviverContext {
  readonly source?: string;
}

/**
 * An integer of sixteen digits or more. Fractions have as many often, and texts now and then: the
 * latter cost time, no more.
 */
const longIntegerPattern = /(?:^|[:[,\s])-?\d{16,}(?![\d.eE])/;
/** Most texts have none, which is seen sooner than that none is an integer. */
const longDigitsPattern = /\d{16}/;
const integerPattern = /^-?\d+$/;

/**
 * Most digits of an integer by default: many times what any type of a database
 * has.
 */
const digitsMaxDefault = 1_000;

/** An integer of more digits than may be read: the time that it takes grows with their square. */
export class TooManyDigitsError extends RangeError {
  constructor(digitCount: number, digitsMax: number) {
    super(`An integer has ${digitCount} digits; at most ${digitsMax} are read.`);
    this.name = 'TooManyDigitsError';
  }
}

/**
 * Parses JSON without losing a digit of an integer: one beyond ±(2^53 - 1) becomes a bigint.
 *
 * @param options.digitsMax most digits of an integer; 1,000 by default
 * @throws SyntaxError when the text is not JSON
 * @throws TooManyDigitsError when an integer is longer than that
 * @throws RangeError when it is nested too deep for the stack; texts with long numbers only
 */
export function parseLosslessJson(text: string, { digitsMax = digitsMaxDefault } = {}): JsonValue {
  // A reviver is called for every value and costs several times the parse: most texts do not need
  // it.
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
      'This runtime cannot parse 64-bit integers: JSON.parse gives no source text.',
    );
  }
  if (!integerPattern.test(source)) return value;
  const digitCount = source.length - (source.startsWith('-') ? 1 : 0);
  if (digitCount > digitsMax) throw new TooManyDigitsError(digitCount, digitsMax);
  return BigInt(source);
}

/**
 * Writes a value as JSON without losing a digit of a bigint. Numbers that JSON does not have
 * (`NaN`, `Infinity`) become text, bytes become hexadecimal digits, and members that are undefined
 * are left out.
 */
export function writeLosslessJson(value: unknown): string {
  // Most values are written alike by the runtime, several times as fast.
  return isPlainJson(value, plainDepthMax) ? JSON.stringify(value) : write(value);
}

/** How deep is looked for what JSON does not have; what lies deeper is written member by member. */
const plainDepthMax = 100;

function isPlainJson(value: unknown, depth: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth === 0 || value instanceof Uint8Array) return false;
  if ('toJSON' in value && typeof value.toJSON === 'function') return false;
  if (Array.isArray(value)) return value.every((element) => isPlainJson(element, depth - 1));
  // Of an object that is gone through so, the runtime reads members without looking for them; what
  // it inherits may be anything.
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
