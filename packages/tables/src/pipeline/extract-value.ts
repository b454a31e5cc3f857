import { Decimal, Float, isMap, Timestamp, type Value, WholeDouble } from '@quire/expressions';
import type { SourceValue } from '../row.ts';

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

/** Names in the order in which a HashMap of Java has them: maps of rows are written so, and columns are renamed so. */
export function hashMapOrder(names: readonly string[], capacity: number): readonly string[] {
  if (names.length < 2) return names;
  return names
    .map((name, index) => ({ name, index, bucket: (capacity - 1) & spreadHash(name) }))
    .toSorted((a, b) => a.bucket - b.bucket || a.index - b.index)
    .map(({ name }) => name);
}

/** How many buckets a map has that was made for `count` entries (Guava's newHashMapWithExpectedSize). */
function expectedCapacity(count: number): number {
  return powerOfTwo(count < 3 ? count + 1 : Math.trunc(count / 0.75 + 1));
}

/** How many buckets a map has that has grown to `count` entries. */
export function grownCapacity(count: number): number {
  return Math.max(16, powerOfTwo(Math.ceil(count / 0.75)));
}

function powerOfTwo(wanted: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, wanted)));
}

function spreadHash(name: string): number {
  let hash = 0;
  for (let index = 0; index < name.length; index += 1) hash = (Math.imul(hash, 31) + name.charCodeAt(index)) | 0;
  return hash ^ (hash >>> 16);
}
