import { parseLosslessJson, QuireError, TooManyDigitsError } from '@quire/core';
import type { actsByPresence, anyCase, anyScalar } from './member.ts';

/** The default limit of the digits of an integer. */
export const defaultDigitsMax = 1_000;

/**
 * The maximum nesting depth of a preview's values: far above that of any real value, and far below
 * the limit of the stack.
 */
export const nestingMax = 100;

/** The maximum nesting depth of a document, which includes the levels above the values of a row. */
const documentNestingMax = nestingMax + 4;

/**
 * Parses the body of a request about tables: a JSON object with any members, and with all digits of
 * its integers.
 *
 * @param options.digitsMax maximum number of digits of an integer; 1,000 by default
 * @throws INVALID_BODY when it is not JSON or not an object, is nested too deep, or has an integer
 *   with more digits
 */
export function parseDocument(text: string, { digitsMax = defaultDigitsMax } = {}): object {
  const value = parse(text, digitsMax);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new QuireError('INVALID_BODY', 'The request body is not a JSON object.');
  }
  // The preview checks each of the rows itself, since there are many.
  const { sourceRows: _rows, ...rest } = value as Readonly<Record<string, unknown>>;
  if (isDeeperThan(rest, documentNestingMax)) {
    throw new QuireError(
      'INVALID_BODY',
      `The request body is nested more than ${documentNestingMax} levels deep.`,
    );
  }
  return value;
}

function parse(text: string, digitsMax: number): unknown {
  try {
    return parseLosslessJson(text, { digitsMax });
  } catch (error) {
    if (error instanceof TooManyDigitsError) {
      throw new QuireError('INVALID_BODY', error.message, { cause: error });
    }
    // The runtime overflows its stack on deeply nested values.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw new QuireError('INVALID_BODY', 'The request body is not JSON.', { cause: error });
  }
}

/**
 * Reports whether lists and objects are nested more than `depthMax` levels deep, without recursing
 * deeper than that.
 */
export function isDeeperThan(value: unknown, depthMax: number): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false;
  if (depthMax === 0) return true;
  if (Array.isArray(value)) return value.some((element) => isDeeperThan(element, depthMax - 1));
  for (const name in value) {
    if (isDeeperThan((value as Readonly<Record<string, unknown>>)[name], depthMax - 1)) return true;
  }
  return false;
}

/** The schemas that the builders of `member.ts` create: a small subset of JSON Schema. */
export interface ModelSchema {
  readonly type?: 'object' | 'array' | 'string' | 'boolean' | 'integer' | 'number';
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, ModelSchema>>;
  readonly additionalProperties?: ModelSchema | boolean;
  readonly items?: ModelSchema;
  readonly [actsByPresence]?: boolean;
  readonly [anyCase]?: boolean;
  readonly [anyScalar]?: boolean;
}

/** Reports whether a value is an object, and neither a list nor null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
