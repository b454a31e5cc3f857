const dayMs = 86_400_000;
const yearRange = { min: -8_640_000_000_000_000n, max: 8_640_000_000_000_000n };

/** A day since 1970 as `yyyy-MM-dd`. */
export function textOfDate(days: number): string {
  const epochMs = days * dayMs;
  return Math.abs(epochMs) > Number(yearRange.max) ? String(days) : new Date(epochMs).toISOString().slice(0, -14);
}

/** Units since 1970, `10^digits` of them in a second, as `yyyy-MM-dd HH:mm:ss.f` in UTC; zeros at the end are cut to milliseconds. */
export function textOfTimestamp(value: bigint | number, digits: 0 | 3 | 6 | 9): string {
  const perSecond = 10n ** BigInt(digits);
  const units = BigInt(value);
  const fraction = ((units % perSecond) + perSecond) % perSecond;
  const epochMs = ((units - fraction) / perSecond) * 1000n;
  if (epochMs < yearRange.min || epochMs > yearRange.max) return String(value);
  const seconds = new Date(Number(epochMs)).toISOString().slice(0, -5).replace('T', ' ');
  const shown = digits === 0 ? '' : String(fraction).padStart(digits, '0');
  return `${seconds}.${shown.padEnd(3, '0').replace(/^(\d{3}\d*?)0+$/, '$1')}`;
}
