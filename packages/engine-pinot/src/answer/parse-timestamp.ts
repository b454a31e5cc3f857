import { hybridToMs } from '@quire/core';

const pattern = /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?$/;

/**
 * Returns the epoch milliseconds of a TIMESTAMP in the format of brokers, `2026-01-01
 * 00:00:00.123`; undefined when the text is not one. Brokers write the time in their own zone,
 * without naming it; it is interpreted as UTC. They write it with java.sql.Timestamp, in the Julian
 * calendar before 1582-10-15.
 */
export function parseTimestamp(text: string): number | undefined {
  const [, year, month, day, hour, minute, second, fraction = ''] = pattern.exec(text) ?? [];
  if (year === undefined) return undefined;
  const midnightMs = hybridToMs({ year: Number(year), month: Number(month), day: Number(day) });
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const time = new Date(midnightMs);
  time.setUTCHours(Number(hour), Number(minute), Number(second), milliseconds);
  return Number.isNaN(time.getTime()) ? undefined : time.getTime();
}
