const pattern = /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?$/;

/**
 * Returns the epoch milliseconds of a TIMESTAMP in the format of brokers, `2026-01-01
 * 00:00:00.123`; undefined when the text is not one. Brokers write the time in their own zone,
 * without naming it; it is interpreted as UTC.
 */
export function parseTimestamp(text: string): number | undefined {
  const [, year, month, day, hour, minute, second, fraction = ''] = pattern.exec(text) ?? [];
  if (year === undefined) return undefined;
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const time = new Date(0);
  time.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  time.setUTCHours(Number(hour), Number(minute), Number(second), milliseconds);
  return Number.isNaN(time.getTime()) ? undefined : time.getTime();
}
