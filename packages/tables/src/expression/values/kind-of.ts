import type { SourceValue } from '../../row.ts';

/** What a value is, as a message calls it. */
export function kindOf(value: SourceValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Uint8Array) return 'bytes';
  if (typeof value === 'object') return 'a map';
  if (typeof value === 'string') return `the text ‘${value.length > 40 ? `${value.slice(0, 40)}…` : value}’`;
  return `${typeof value === 'boolean' ? 'the boolean' : 'the number'} ${value}`;
}
