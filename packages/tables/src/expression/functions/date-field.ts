import { dayOfYearOf, weekdayOf, weekOf } from '../datetime/calendar.ts';
import { instant } from '../datetime/date-range.ts';
import { utc, zone } from '../datetime/zone.ts';
import { toLocal } from '../datetime/zoned.ts';
import { type FunctionDefinition, scalar } from '../function-definition.ts';

/** A function that gives one number of what the clocks of a zone show. */
function field(name: string, aliases: readonly string[], does: string, numberOf: (local: Date) => number): FunctionDefinition {
  return scalar({
    name,
    aliases,
    takes: [instant],
    optionally: [zone],
    returns: 'integer',
    does: `${does} Of epoch milliseconds, in UTC or a zone.`,
    evaluate: (ms, where = utc) => numberOf(new Date(toLocal(ms, where))),
  });
}

/** The numbers that a date is made of. */
export const dateFieldFunctions: readonly FunctionDefinition[] = [
  field('year', [], 'The year.', (local) => local.getUTCFullYear()),
  field('yearOfWeek', ['yow'], 'The year that the week of ISO 8601 counts to.', (local) => weekOf(local.getTime()).year),
  field('quarter', [], 'The quarter, 1 to 4.', (local) => Math.floor(local.getUTCMonth() / 3) + 1),
  field('month', ['monthOfYear'], 'The month, 1 to 12.', (local) => local.getUTCMonth() + 1),
  field('week', ['weekOfYear'], 'The week of ISO 8601, 1 to 53.', (local) => weekOf(local.getTime()).week),
  field('dayOfYear', ['doy'], 'The day of the year, 1 to 366.', (local) => dayOfYearOf(local.getTime())),
  field('day', ['dayOfMonth'], 'The day of the month, 1 to 31.', (local) => local.getUTCDate()),
  field('dayOfWeek', ['dow'], 'The day of the week, 1 for Monday to 7.', (local) => weekdayOf(local.getTime())),
  field('hour', [], 'The hour, 0 to 23.', (local) => local.getUTCHours()),
  field('minute', [], 'The minute, 0 to 59.', (local) => local.getUTCMinutes()),
  field('second', [], 'The second, 0 to 59.', (local) => local.getUTCSeconds()),
  field('millisecond', [], 'The millisecond, 0 to 999.', (local) => local.getUTCMilliseconds()),
  scalar({
    name: 'timezoneHour',
    takes: [zone],
    optionally: [instant],
    returns: 'integer',
    does: 'Whole hours that a zone is ahead of UTC, in 1970 or at a time.',
    evaluate: (where, ms = 0) => Math.trunc(where.offsetMsAt(ms) / 3_600_000),
  }),
  scalar({
    name: 'timezoneMinute',
    takes: [zone],
    optionally: [instant],
    returns: 'integer',
    does: 'Minutes beyond whole hours that a zone is ahead of UTC, in 1970 or at a time.',
    evaluate: (where, ms = 0) => Math.trunc(where.offsetMsAt(ms) / 60_000) % 60,
  }),
];
