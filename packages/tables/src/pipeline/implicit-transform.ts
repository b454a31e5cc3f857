import { type Fields, isMap, type Value } from '@quire/expressions';
import type { ColumnSpec } from './column-spec.ts';

const parts: readonly (readonly [string, (name: string, value: Value) => Value])[] = [
  ['__KEYS', (name) => name],
  ['__VALUES', (_name, value) => value],
];

/** What makes a column that is named for the keys or values of a map, and the column that has the map. */
export interface ImplicitTransform {
  readonly source: string;
  readonly evaluate: (fields: Fields) => Value;
}

/** `tags__KEYS` are the keys of the map `tags`, `tags__VALUES` its values, in the order of the keys; undefined for any other column. */
export function implicitTransform({ name }: ColumnSpec): ImplicitTransform | undefined {
  for (const [suffix, take] of parts) {
    if (!name.endsWith(suffix) || name.length === suffix.length) continue;
    const source = name.slice(0, -suffix.length);
    return {
      source,
      evaluate: (fields) => {
        const map = fields[source] ?? null;
        if (!isMap(map)) return null;
        return Object.keys(map)
          .toSorted()
          .map((key) => take(key, map[key] ?? null));
      },
    };
  }
  return undefined;
}
