import { QuireError } from '@quire/core';
import type { BodyReading } from '@quire/service';
import { parseDocument } from '@quire/tables';

/**
 * How bodies about tables are read: with all digits of their integers, whatever their members, as
 * long as they are objects.
 */
export function objectBody(bytesMax: number, digitsMax: () => number | undefined): BodyReading {
  return {
    bytesMax,
    parse: (text) => parseDocument(text, { digitsMax: digitsMax() }),
    check: assertBody,
  };
}

/** How a body is handed on as it came, for others to read. */
export function textBody(bytesMax: number): BodyReading {
  return { bytesMax, parse: (text) => text, check: assertBody };
}

/** What there is has been read, or will be. */
function assertBody(value: unknown): void {
  if (value === undefined) {
    throw new QuireError('INVALID_BODY', 'The request body is empty; expected a JSON object.');
  }
}
