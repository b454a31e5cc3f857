import { QuireError } from '@quire/core/portable';
import type { JsonValue } from './lossless-json.ts';

/** A JSON object. */
export type JsonObject = { readonly [name: string]: JsonValue };

/** Returns `value` as an object. @throws UNEXPECTED_RESPONSE when it is not one */
export function expectObject(value: JsonValue | undefined, what: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw unexpected(what, 'an object', value);
  }
  return value as JsonObject;
}

/** Returns `value` as an array. @throws UNEXPECTED_RESPONSE when it is not one */
export function expectArray(value: JsonValue | undefined, what: string): readonly JsonValue[] {
  if (!Array.isArray(value)) throw unexpected(what, 'an array', value);
  return value as readonly JsonValue[];
}

/** Returns `value` as a string. @throws UNEXPECTED_RESPONSE when it is not one */
export function expectString(value: JsonValue | undefined, what: string): string {
  if (typeof value !== 'string') throw unexpected(what, 'a string', value);
  return value;
}

/** Returns `value` as a safe integer. @throws UNEXPECTED_RESPONSE when it is not one */
export function expectInteger(value: JsonValue | undefined, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw unexpected(what, 'an integer', value);
  }
  return value;
}

function unexpected(what: string, expected: string, value: JsonValue | undefined): QuireError {
  const found =
    value === undefined
      ? 'nothing'
      : Array.isArray(value)
        ? 'an array'
        : value === null
          ? 'null'
          : typeof value;
  return new QuireError(
    'UNEXPECTED_RESPONSE',
    `The answer's ${what} is ${found}, not ${expected}: is this a Quire server?`,
  );
}
