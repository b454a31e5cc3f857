import type { ColumnSpec } from './column-spec.ts';

const functions = [
  ['__KEYS', 'mapKeys'],
  ['__VALUES', 'mapValues'],
] as const;

/**
 * The transform of a column that is named for the keys or values of a map: `tags__KEYS` is `mapKeys("tags")`, `tags__VALUES` is
 * `mapValues("tags")`, in the order of the keys; undefined for any other column.
 */
export function implicitTransform({ name }: ColumnSpec): string | undefined {
  for (const [suffix, call] of functions) {
    if (name.endsWith(suffix) && name.length > suffix.length) {
      return `${call}("${name.slice(0, -suffix.length).replaceAll('"', '""')}")`;
    }
  }
  return undefined;
}
