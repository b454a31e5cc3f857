import { QuireError } from '@quire/core';
import type { BodyReading } from '@quire/service';
import { parseDocument } from '@quire/tables';

/**
 * Returns the options for bodies about tables: objects with any members, whose integers keep all
 * their digits.
 */
export function objectBody(bytesMax: number, digitsMax: () => number | undefined): BodyReading {
  return {
    bytesMax,
    parse: (text) => parseDocument(text, { digitsMax: digitsMax() }),
    check: assertBody,
  };
}

/** Returns the options for bodies that are passed on unparsed. */
export function textBody(bytesMax: number): BodyReading {
  return { bytesMax, parse: (text) => text, check: assertBody };
}

/** Checks that a body is present; the parser checks its content. */
function assertBody(value: unknown): void {
  if (value === undefined) {
    throw new QuireError('INVALID_BODY', 'The request body is empty; expected a JSON object.');
  }
}
