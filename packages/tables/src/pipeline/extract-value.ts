import { Decimal, Float, isMap, Timestamp, type Value, WholeDouble } from '@quire/expressions';
import type { SourceValue } from '../row.ts';
import { expectedCapacity, hashMapOrder } from './java-map.ts';

/** A value of a source as the engine's extractors give it to the pipeline: Booleans are texts, maps have the order of Java's. */
export function extractValue(value: Value): Value {
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Value[]).map(extractValue);
  if (!isMap(value)) return value;
  const names = Object.keys(value);
  const members = Object.create(null) as Record<string, Value>;
  for (const name of hashMapOrder(names, expectedCapacity(names.length))) members[name] = extractValue(value[name] ?? null);
  return members;
}

/** A value of the pipeline as rows show it: numbers as numbers, decimals as text, timestamps in epoch milliseconds. */
export function plainValue(value: Value): SourceValue {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (value instanceof WholeDouble || value instanceof Float) return value.value;
  if (value instanceof Decimal) return value.toPlainString();
  if (value instanceof Timestamp) return value.epochMs;
  if (Array.isArray(value)) return (value as readonly Value[]).map(plainValue);
  return Object.fromEntries(Object.entries(value).map(([name, member]: [string, Value]) => [name, plainValue(member)]));
}
