/** Room that any of these texts needs. */
export const clockTextWidthMax = 96;

/** An interval in words and a clock time, as DuckDB and PostgreSQL do: `1 year 2 months 3 days 04:05:06.5`. */
export function intervalText(months: number, days: number, nanoseconds: bigint): string {
  const parts: string[] = [];
  addCount(parts, Math.trunc(months / 12), 'year');
  addCount(parts, months % 12, 'month');
  addCount(parts, days, 'day');
  if (nanoseconds !== 0n || parts.length === 0) parts.push(clockText(nanoseconds));
  return parts.join(' ');
}

function addCount(parts: string[], count: number, unit: string): void {
  if (count !== 0) parts.push(`${count} ${unit}${Math.abs(count) === 1 ? '' : 's'}`);
}

/** A time of day, or a length of time: `HH:mm:ss`, then a fraction if there is one, without trailing zeros. */
export function clockText(nanoseconds: bigint): string {
  const magnitude = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const seconds = magnitude / 1_000_000_000n;
  const fraction = String(magnitude % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '');
  const clock = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n].map((part) => String(part).padStart(2, '0')).join(':');
  return `${nanoseconds < 0n ? '-' : ''}${clock}${fraction === '' ? '' : `.${fraction}`}`;
}
