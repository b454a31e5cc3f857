import { parseLosslessJson, QuireError, TooManyDigitsError } from '@quire/core';
import type { actsByPresence, anyCase, anyScalar } from './member.ts';

/** Most digits of an integer, where nobody sets another limit. */
export const defaultDigitsMax = 1_000;

/**
 * Deepest nesting of what a preview takes: far more than anybody means, and far less than a stack
 * holds.
 */
export const nestingMax = 100;

/** Deepest nesting of a document: what lies above the deepest value of a row counts as well. */
const documentNestingMax = nestingMax + 4;

/**
 * Reads the body of a request about tables: a JSON object, with all digits of its integers,
 * whatever its members.
 *
 * @param options.digitsMax most digits of an integer; 1,000 by default
 * @throws INVALID_BODY when it is not JSON or not an object, is nested too deep, or has an integer
 * with more digits
 */
export function parseDocument(text: string, { digitsMax = defaultDigitsMax } = {}): object {
  const value = parse(text, digitsMax);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new QuireError('INVALID_BODY', 'The request body is not a JSON object.');
  }
  // Of rows, which are many, the preview looks at each by itself.
  const { sourceRows: _rows, ...rest } = value as Readonly<Record<string, unknown>>;
  if (isDeeperThan(rest, documentNestingMax)) {
    throw new QuireError(
      'INVALID_BODY',
      `The request body is nested more than ${documentNestingMax} deep.`,
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
    // The runtime's own stack ends where values are nested deep.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw new QuireError('INVALID_BODY', 'The request body is not JSON.', { cause: error });
  }
}

/**
 * Tells whether lists and objects lie more than `depthMax` deep in each other; never goes deeper
 * itself.
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

/**
 * What the builders of `member.ts` make, as the walkers of this directory read it: a small part of
 * JSON Schema.
 */
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

/** Tells whether a value is an object with members: no list, no null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
