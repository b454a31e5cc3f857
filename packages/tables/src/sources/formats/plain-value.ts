import type { SourceValue } from '../../row.ts';

/** A value of a library as rows have them: lists, maps and typed arrays as lists and objects, times as text. */
export function plainValue(value: unknown): SourceValue {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') {
    return typeof value === 'symbol' || typeof value === 'function' ? null : (value as SourceValue);
  }
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : textOfTimestamp(value.getTime(), 3);
  if (value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(plainValue);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as Iterable<unknown>, plainValue);
  if (value instanceof Map) return Object.fromEntries(Array.from(value, ([name, member]) => [String(name), plainValue(member)]));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plainValue(member)]));
}

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
