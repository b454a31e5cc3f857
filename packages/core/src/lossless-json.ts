/** JSON as it parses here: integers that a number cannot hold exactly are bigints. */
export type JsonValue = null | boolean | number | bigint | string | readonly JsonValue[] | { readonly [name: string]: JsonValue };

/** TypeScript's library does not know this parameter yet: https://tc39.es/proposal-json-parse-with-source. */
interface ReviverContext {
  readonly source?: string;
}

/** An integer of sixteen digits or more. Fractions have as many often, and texts now and then: the latter cost time, no more. */
const longIntegerPattern = /(?:^|[:[,\s])-?\d{16,}(?![\d.eE])/;
const integerPattern = /^-?\d+$/;

/**
 * Parses JSON without losing a digit of an integer: one beyond ±(2^53 - 1) becomes a bigint.
 *
 * @throws SyntaxError when the text is not JSON
 * @throws RangeError when it is nested too deep for the stack; texts with long numbers only
 */
export function parseLosslessJson(text: string): JsonValue {
  // A reviver is called for every value and costs several times the parse: most texts do not need it.
  return JSON.parse(text, longIntegerPattern.test(text) ? reviveInteger : undefined) as JsonValue;
}

function reviveInteger(_name: string, value: unknown, ...rest: unknown[]): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = (rest[0] as ReviverContext | undefined)?.source;
  if (source === undefined) {
    throw new SyntaxError('This runtime cannot parse 64-bit integers: JSON.parse gives no source text.');
  }
  return integerPattern.test(source) ? BigInt(source) : value;
}
