import { fixedSettings, type NamedGroup, namedGroups, namedSettings } from './known-keys.ts';
import type { Settings } from './setting-table.ts';
import { deepFreeze, setValue, valueAt, type ValueTree } from './value-tree.ts';

/**
 * The difference between two sets of settings, and the settings with which a running server
 * continues.
 */
export interface SettingsDiff {
  /**
   * The old settings with the new values of all live ones, frozen and as one object, so that no
   * reader sees a mixture.
   */
  readonly settings: Settings;
  /** The keys of live settings with a new value. */
  readonly changed: readonly string[];
  /** The keys, or groups of keys, whose new value takes effect after a restart. */
  readonly awaitingRestart: readonly string[];
}

/** Compares the running settings with the settings that were read. Pure. */
export function diffSettings(running: Settings, read: Settings): SettingsDiff {
  const changed: string[] = [];
  const awaitingRestart: string[] = [];
  const groups: ValueTree = {};
  for (const { path, row } of fixedSettings) {
    const oldValue = valueAt(running, path);
    const newValue = valueAt(read, path);
    const isSame = row.kind.format(oldValue) === row.kind.format(newValue);
    if (!isSame) (row.live ? changed : awaitingRestart).push(row.key);
    setValue(groups, path, row.live ? newValue : oldValue);
  }
  for (const group of namedGroups) {
    const entries = withLiveValues(group, running[group], read[group], changed);
    if (JSON.stringify(entries) !== JSON.stringify(read[group])) awaitingRestart.push(group);
    groups[group] = entries;
  }
  const settings = deepFreeze({ ...running, ...groups }) as Settings;
  return { settings, changed, awaitingRestart };
}

type NamedEntry = Readonly<Record<string, unknown>> & { readonly name: string };

/**
 * Returns the old entries of a named group with the new values of live settings, and adds the keys
 * of those that changed.
 */
function withLiveValues(
  group: NamedGroup,
  running: readonly NamedEntry[],
  read: readonly NamedEntry[],
  changed: string[],
): readonly NamedEntry[] {
  const live = namedSettings.filter((setting) => setting.group === group && setting.row.live);
  return running.map((old) => {
    const next = read.find(({ name }) => name === old.name);
    if (next === undefined) return old;
    const entry: Record<string, unknown> & { name: string } = { ...old };
    for (const { property, prefix, suffix } of live) {
      if (old[property] !== next[property]) changed.push(`${prefix}${old.name}${suffix}`);
      entry[property] = next[property];
    }
    return entry;
  });
}
