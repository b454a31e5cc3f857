import { distance } from 'fastest-levenshtein';
import type { SettingRow, SettingRows } from '@quire/core/settings';
import { memberGroups, namedTable, settingTable } from './setting-table.ts';

export type NamedGroup = keyof typeof namedTable;

/** A row of the table and the path to its value in `Settings`. */
export interface KnownSetting {
  readonly path: readonly [string, ...string[]];
  readonly row: SettingRow<unknown>;
}

/** A row whose key has a name between `prefix` and `suffix`. */
export interface NamedSetting {
  readonly group: NamedGroup;
  readonly property: string;
  readonly row: SettingRow<unknown>;
  readonly prefix: string;
  readonly suffix: string;
}

/** Every row with a fixed key; those of backends and engines follow the group that selects one. */
export const fixedSettings: readonly KnownSetting[] = Object.entries(settingTable).flatMap(
  ([group, rows]) => [
    ...knownSettings([group], rows),
    ...(memberGroups[group] ?? []).flatMap((member) => knownSettings(member.path, member.rows)),
  ],
);

function knownSettings(
  [first, ...rest]: KnownSetting['path'],
  rows: SettingRows,
): readonly KnownSetting[] {
  return Object.entries(rows).map(([name, row]) => ({ path: [first, ...rest, name], row }));
}

export const namedGroups = Object.keys(namedTable) as readonly NamedGroup[];

export const namedSettings: readonly NamedSetting[] = namedGroups.flatMap((group) =>
  Object.entries<SettingRow<unknown>>(namedTable[group]).map(([property, row]) => {
    const [prefix = '', suffix = ''] = row.key.split(/<\w+>/);
    return { group, property, row, prefix, suffix };
  }),
);

const fixedByKey = new Map(fixedSettings.map((known) => [known.row.key, known]));

/** Returns the setting with exactly this key, if it has no name part. */
export function findFixed(key: string): KnownSetting | undefined {
  return fixedByKey.get(key);
}

/**
 * Returns the setting with this key and the name in it, which contains no dot but is otherwise
 * unchecked.
 */
export function findNamed(
  key: string,
): { readonly known: NamedSetting; readonly name: string } | undefined {
  for (const known of namedSettings) {
    const name = key.slice(known.prefix.length, key.length - known.suffix.length);
    if (name !== '' && !name.includes('.') && key === known.prefix + name + known.suffix) {
      return { known, name };
    }
  }
  return undefined;
}

/**
 * Returns the known key with the fewest edits, if possible one that differs only by missing or
 * additional words; if it has a name part, the name is copied from the given key.
 */
export function nearestKey(key: string): string {
  const segments = key.split('.');
  const named = namedSettings.map(({ row }) => {
    const name = segments[row.key.split('.').findIndex((segment) => segment.startsWith('<'))];
    return name === undefined || name === '' ? row.key : row.key.replace(/<\w+>/, name);
  });
  const candidates = [...fixedByKey.keys(), ...named];
  const related = candidates.filter((candidate) => {
    const words = candidate.split('.');
    return hasWords(words, segments) || hasWords(segments, words);
  });
  return nearest(key, related.length > 0 ? related : candidates);
}

/** Reports whether a key has all words of another one, in their order. */
function hasWords(words: readonly string[], others: readonly string[]): boolean {
  let found = 0;
  for (const word of words) if (word === others[found]) found += 1;
  return found === others.length;
}

/** Returns the candidate with the fewest edits; the first one in case of a tie. */
export function nearest(text: string, candidates: readonly string[]): string {
  let best = { candidate: '', edits: Number.POSITIVE_INFINITY };
  for (const candidate of candidates) {
    const edits = distance(text, candidate);
    if (edits < best.edits) best = { candidate, edits };
  }
  return best.candidate;
}
