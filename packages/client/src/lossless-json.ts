import { QuireError } from '@quire/core';

/** JSON as it parses here: integers that a number cannot hold exactly are bigints. */
export type JsonValue = null | boolean | number | bigint | string | readonly JsonValue[] | { readonly [name: string]: JsonValue };

/** TypeScript's library does not know this parameter yet: https://tc39.es/proposal-json-parse-with-source. */
interface ReviverContext {
  readonly source?: string;
}

const longDigitsPattern = /\d{16}/;
const integerPattern = /^-?\d+$/;

/**
 * Parses JSON without losing a digit of an integer: one beyond ±(2^53 - 1) becomes a bigint.
 *
 * @throws UNEXPECTED_RESPONSE when the text is not JSON, or the runtime cannot tell a reviver a number's source text
 */
export function parseLosslessJson(text: string): JsonValue {
  // A reviver is called for every value and costs several times the parse: most answers do not need it.
  return parse(text, longDigitsPattern.test(text) ? reviveInteger : undefined);
}

/** Parses JSON as JavaScript does: an integer beyond ±(2^53 - 1) becomes the nearest number. @throws UNEXPECTED_RESPONSE when it is none */
export function parseRoundingJson(text: string): JsonValue {
  return parse(text, undefined);
}

function parse(text: string, reviver: typeof reviveInteger | undefined): JsonValue {
  try {
    return JSON.parse(text, reviver) as JsonValue;
  } catch (error) {
    if (error instanceof QuireError) throw error;
    throw new QuireError('UNEXPECTED_RESPONSE', `The answer is not JSON: ${text.slice(0, 80)}`, { cause: error });
  }
}

function reviveInteger(_name: string, value: unknown, ...rest: unknown[]): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = (rest[0] as ReviverContext | undefined)?.source;
  if (source === undefined) {
    throw new QuireError('UNEXPECTED_RESPONSE', 'This runtime cannot parse 64-bit integers: JSON.parse gives no source text.');
  }
  return integerPattern.test(source) ? BigInt(source) : value;
}
