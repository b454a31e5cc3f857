import { addLocal, calendarUnit, countLocal, truncateLocal } from '../datetime/calendar-unit.ts';
import { checkedEpochMs, instant } from '../datetime/date-range.ts';
import { dateTimeFormat, readInFormat, writeInFormat } from '../datetime/date-time-format.ts';
import { granularity } from '../datetime/granularity.ts';
import { fromMs, timeUnit, toMs } from '../datetime/time-unit.ts';
import { fromLocal, toLocal } from '../datetime/zoned.ts';
import { utc, zone } from '../datetime/zone.ts';
import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { anything, integer } from '../parameters.ts';

/** Times cut down to units, moved, and told apart. */
export const dateTruncationFunctions: readonly FunctionDefinition[] = [
  scalar({
    name: 'dateTrunc',
    takes: [calendarUnit, integer],
    optionally: [timeUnit, zone, timeUnit],
    returns: 'integer',
    does: 'The start of the day, week, month … of a time; then the unit it is counted in, a zone, the unit of the result.',
    evaluate(unit, count, from = 'MILLISECONDS', where = utc, to = from) {
      const localMs = toLocal(checkedEpochMs(toMs(count, from)), where);
      return fromMs(checkedEpochMs(fromLocal(truncateLocal(localMs, unit), where)), to);
    },
  }),
  scalar({
    name: 'dateTimeConvert',
    takes: [anything, dateTimeFormat, dateTimeFormat, granularity],
    optionally: [zone],
    returns: 'value',
    does: 'A time in one format, such as `1:DAYS:EPOCH`, written in another, cut down to a granularity such as `1:HOURS`.',
    evaluate(value, from, to, sizeMs, where = utc) {
      const epochMs = readInFormat(value, from, 'argument 1 of dateTimeConvert');
      const offsetMs = where.offsetMsAt(epochMs);
      return writeInFormat(Math.floor((epochMs + offsetMs) / sizeMs) * sizeMs - offsetMs, to);
    },
  }),
  scalar({
    name: 'dateBin',
    takes: [granularity, instant],
    optionally: [instant],
    returns: 'millis',
    does: 'The start of the bin that a time lies in; bins are of one size, such as `15:MINUTES`, and counted from 1970 or an origin.',
    evaluate: (sizeMs, ms, originMs = 0) => checkedEpochMs(Math.floor((ms - originMs) / sizeMs) * sizeMs + originMs),
  }),
  scalar({
    name: 'timestampAdd',
    aliases: ['dateAdd'],
    takes: [calendarUnit, integer, instant],
    returns: 'millis',
    does: 'A time moved by so many units; the 31st becomes the last day of a shorter month.',
    evaluate: (unit, count, ms) => checkedEpochMs(addLocal(ms, count, unit)),
  }),
  scalar({
    name: 'timestampDiff',
    aliases: ['dateDiff'],
    takes: [calendarUnit, instant, instant],
    returns: 'integer',
    does: 'How many whole units pass from the first time to the second.',
    evaluate: (unit, fromTime, toTime) => countLocal(fromTime, toTime, unit),
  }),
];
