import { type JsonValue, parseLosslessJson as parseText, QuireError } from '@quire/core/portable';

export type { JsonValue };

/**
 * Parses JSON without losing digits of integers: one beyond ±(2^53 - 1) becomes a bigint.
 *
 * @throws UNEXPECTED_RESPONSE when the text is not JSON, or the runtime does not give a reviver the
 *   source text of a number
 */
export function parseLosslessJson(text: string): JsonValue {
  return parse(text, parseText);
}

/**
 * Parses JSON as JavaScript does: an integer beyond ±(2^53 - 1) becomes the nearest number. @throws
 * UNEXPECTED_RESPONSE when the text is not JSON
 */
export function parseRoundingJson(text: string): JsonValue {
  return parse(text, (json) => JSON.parse(json) as JsonValue);
}

function parse(text: string, read: (json: string) => JsonValue): JsonValue {
  try {
    return read(text);
  } catch (error) {
    throw new QuireError('UNEXPECTED_RESPONSE', `The answer is not JSON: ${text.slice(0, 80)}`, {
      cause: error,
    });
  }
}
