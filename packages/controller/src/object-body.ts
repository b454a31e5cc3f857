import { QuireError } from '@quire/core';
import type { BodyReading } from '@quire/service';
import { parseDocument } from '@quire/tables';

/**
 * Returns how bodies about tables are parsed: as objects with any members, and with all digits of
 * their integers.
 */
export function objectBody(bytesMax: number, digitsMax: () => number | undefined): BodyReading {
  return {
    bytesMax,
    parse: (text) => parseDocument(text, { digitsMax: digitsMax() }),
    check: assertBody,
  };
}

/** Returns how a body is passed on unparsed. */
export function textBody(bytesMax: number): BodyReading {
  return { bytesMax, parse: (text) => text, check: assertBody };
}

/** Checks that a body is present; the parser checks its content. */
function assertBody(value: unknown): void {
  if (value === undefined) {
    throw new QuireError('INVALID_BODY', 'The request body is empty; expected a JSON object.');
  }
}
