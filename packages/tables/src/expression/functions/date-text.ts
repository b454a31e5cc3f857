import { isQuireError } from '@quire/core';
import { type DateTimePattern, pattern } from '../datetime/date-time-pattern.ts';
import { instant } from '../datetime/date-range.ts';
import { formatDateTime } from '../datetime/format-date-time.ts';
import { parseDateTime } from '../datetime/parse-date-time.ts';
import { parseTimestamp } from '../datetime/timestamp.ts';
import { utc, zone } from '../datetime/zone.ts';
import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { nullable } from '../parameter.ts';
import { anything, long, text } from '../parameters.ts';

/** Dates and times from text and to text. */
export const dateTextFunctions: readonly FunctionDefinition[] = [
  scalar({
    name: 'toDateTime',
    takes: [instant, pattern],
    optionally: [zone],
    returns: 'text',
    does: 'Writes epoch milliseconds by a pattern such as `yyyy-MM-dd HH:mm:ss`, in UTC or a zone.',
    evaluate: (ms, shape: DateTimePattern, where = utc) => formatDateTime(ms, shape, where),
  }),
  scalar({
    name: 'fromDateTime',
    takes: [nullable(text), pattern],
    optionally: [zone, long],
    returns: 'millis',
    does: 'Reads a text by a pattern, in UTC or a zone, to epoch milliseconds; a default is taken where the text does not fit.',
    evaluate(given, shape, where = utc, otherwise) {
      if (given === null) return otherwise ?? null;
      try {
        return parseDateTime(given, shape, where);
      } catch (error) {
        if (otherwise !== undefined && isQuireError(error, 'EXPRESSION_FAILED')) return otherwise;
        throw error;
      }
    },
  }),
  scalar({
    name: 'toTimestamp',
    takes: [anything],
    returns: 'millis',
    does: 'Reads a timestamp (`2024-02-29 12:30:00.5`, ISO 8601, or epoch milliseconds) to epoch milliseconds.',
    evaluate: (value) => (typeof value === 'string' ? parseTimestamp(value) : instant.read(value, 'argument 1 of toTimestamp')),
  }),
  scalar({
    name: 'fromTimestamp',
    takes: [anything],
    returns: 'millis',
    does: 'The epoch milliseconds of a timestamp.',
    evaluate: (value) => (typeof value === 'string' ? parseTimestamp(value) : instant.read(value, 'argument 1 of fromTimestamp')),
  }),
];
