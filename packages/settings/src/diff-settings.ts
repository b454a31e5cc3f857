import { fixedSettings, namedGroups } from './known-keys.ts';
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
    if (JSON.stringify(running[group]) !== JSON.stringify(read[group])) awaitingRestart.push(group);
  }
  // Every fixed group was rebuilt, property by property; the named ones stay.
  const settings = deepFreeze({ ...running, ...groups }) as Settings;
  return { settings, changed, awaitingRestart };
}
