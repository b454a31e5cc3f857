import { parseLosslessJson, QuireError, TooManyDigitsError } from '@quire/core';
import type { BodyReading } from '@quire/service';
import { isDeeperThan, nestingMax, previewLimits } from '@quire/tables';

/** Deepest nesting of a body: what lies above the deepest value of a row counts as well. */
const bodyNestingMax = nestingMax + 4;

/** How bodies about tables are read: with all digits of their integers, whatever their members, as long as they are objects. */
export function objectBody(bytesMax: number, digitsMax: () => number | undefined): BodyReading {
  return {
    bytesMax,
    parse(text) {
      try {
        return parseLosslessJson(text, { digitsMax: digitsMax() ?? previewLimits.digitsMax });
      } catch (error) {
        if (error instanceof TooManyDigitsError) throw new QuireError('INVALID_BODY', error.message, { cause: error });
        throw error;
      }
    },
    check(value) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw new QuireError('INVALID_BODY', 'The request body is not a JSON object.');
      }
      // Of rows, which are many, the preview looks at each by itself.
      const { sourceRows: _rows, ...rest } = value as Readonly<Record<string, unknown>>;
      if (isDeeperThan(rest, bodyNestingMax)) {
        throw new QuireError('INVALID_BODY', `The request body is nested more than ${bodyNestingMax} deep.`);
      }
    },
  };
}
