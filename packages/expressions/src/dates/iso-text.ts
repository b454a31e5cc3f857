import { expressionFailed } from '../language/expression-error.ts';
import { dayMs } from './calendar.ts';
import { parseDateTimePattern } from './date-time-pattern.ts';
import { parseDateTime } from './parse-date-time.ts';
import { utc } from './zone.ts';

const isoPattern = /^([+-]?\d{4,9})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{0,9}))?)?(Z|[+-]\d\d:\d\d(?::\d\d)?)$/i;

/** The instant of a time of ISO 8601 with an offset. @throws EXPRESSION_FAILED when it is not one */
export function parseIso(given: string): number {
  const [whole, year, month = '', day = '', hour = '', minute = '', second = '00', fraction = '', offset = ''] =
    isoPattern.exec(given) ?? [];
  if (whole === undefined || year === undefined) {
    throw expressionFailed(`‘${given.slice(0, 60)}’ is not a time of ISO 8601 with an offset.`);
  }
  const zone = offset.toUpperCase() === 'Z' ? '+0000' : offset;
  return parseDateTime(
    `${year} ${month} ${day} ${hour} ${minute} ${second} ${fraction.padEnd(3, '0').slice(0, 3)} ${zone}`,
    parseDateTimePattern('y M d H m s SSS Z'),
    utc,
    2000,
  );
}

const durationPattern =
  /^([+-])?P(?:([+-]?\d{1,12})D)?(?:T(?:([+-]?\d{1,12})H)?(?:([+-]?\d{1,12})M)?(?:([+-]?\d{1,12})(?:[.,](\d{0,9}))?S)?)?$/i;

/** A duration of ISO 8601 without months and years, in milliseconds. @throws EXPRESSION_FAILED when it is not one */
export function parseDuration(given: string): number {
  const match = durationPattern.exec(given);
  if (match === null || /[PT]$/i.test(given)) {
    throw expressionFailed(`‘${given.slice(0, 40)}’ is not a duration: expected PT1H or P7D.`);
  }
  const [, sign, days = '0', hours = '0', minutes = '0', seconds = '0', fraction = ''] = match;
  const wholeMs = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000;
  const partMs = Number(fraction.padEnd(3, '0').slice(0, 3));
  const ms = wholeMs + (seconds.startsWith('-') ? -partMs : partMs);
  return sign === '-' ? -ms : ms;
}

/** A period such as `1d`, `2h30m`, in milliseconds. @throws EXPRESSION_FAILED when it is not one */
export function parsePeriod(given: string): number {
  const match = /^(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/i.exec(given);
  if (match === null || given === '') throw expressionFailed(`‘${given.slice(0, 40)}’ is not a period: expected 1d or 2h30m.`);
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((each: string | undefined) => Number(each ?? 0));
  return days * dayMs + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}
