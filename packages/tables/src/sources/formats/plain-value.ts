import type { SourceValue } from '../../row.ts';
import { textOfTimestamp } from './time-text.ts';

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
