import { expressionFailed } from '../language/expression-error.ts';
import { parseWhole } from './java-text.ts';

const sqlPattern = /^(\d{4})-(\d{1,2})-(\d{1,2}) ([+-]?\d{1,9}):([+-]?\d{1,9}):([+-]?\d{1,9})(?:\.(\d{1,9}))?$/;
const isoPattern = /^(\d{4,9})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?$/;

/**
 * The instant of a text that a TIMESTAMP takes: epoch milliseconds, `2024-02-29 12:34:56.7` where hours and the like may run over, or
 * ISO 8601 with or without time and offset. What has no offset is UTC.
 *
 * @throws EXPRESSION_FAILED when it is not one of these
 */
export function parseTimestamp(text: string): number {
  const sql = sqlPattern.exec(text.trim());
  if (sql !== null) {
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = sql.slice(1, 7).map(Number);
    if (month >= 1 && month <= 12 && day >= 1 && day <= 31) {
      return utcMs(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds(sql[7]);
    }
  }
  if (/^[+-]?\d+$/.test(text)) return Number(parseWhole(text, 64));
  const iso = isoPattern.exec(text);
  if (iso === null) throw invalid(text);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = iso
    .slice(1, 7)
    .map((each: string | undefined) => Number(each ?? 0));
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59) throw invalid(text);
  // A day beyond the end of its month is the last one.
  const lastDay = new Date(utcMs(year, month + 1, 0)).getUTCDate();
  const localMs = utcMs(year, month, Math.min(day, lastDay)) + ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds(iso[7]);
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(iso[8] ?? '') ?? [];
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  if (offsetMs > 18 * 3_600_000 || Number(minutes) > 59) throw invalid(text);
  return localMs - (sign === '-' ? -offsetMs : offsetMs);
}

function utcMs(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

function milliseconds(fraction: string | undefined): number {
  return fraction === undefined ? 0 : Number(fraction.padEnd(3, '0').slice(0, 3));
}

function invalid(text: string): Error {
  return expressionFailed(`‘${text.slice(0, 60)}’ is not a timestamp: expected epoch milliseconds or 2024-02-29 12:34:56.`);
}
