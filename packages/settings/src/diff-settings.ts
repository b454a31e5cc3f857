import { fixedSettings, namedGroups } from './known-keys.ts';
import type { Settings } from './setting-table.ts';

/** What differs between two sets of settings, and what a running server is to go on with. */
export interface SettingsDiff {
  /**
   * The old settings with the new values of all live ones: frozen, and as one object, so that
   * nobody sees a mixture.
   */
  readonly settings: Settings;
  /** Keys of live settings with another value. */
  readonly changed: readonly string[];
  /** Keys, or groups of keys, whose new value counts only after a restart. */
  readonly awaitingRestart: readonly string[];
}

/** Pure: compares what runs with what was read. */
export function diffSettings(running: Settings, read: Settings): SettingsDiff {
  const changed: string[] = [];
  const awaitingRestart: string[] = [];
  const groups: Record<string, Record<string, unknown>> = {};
  for (const { group, property, row } of fixedSettings) {
    const oldValue = valueOf(running, group, property);
    const newValue = valueOf(read, group, property);
    const isSame = row.kind.format(oldValue) === row.kind.format(newValue);
    if (!isSame) (row.live ? changed : awaitingRestart).push(row.key);
    Object.assign((groups[group] ??= {}), { [property]: row.live ? newValue : oldValue });
  }
  for (const group of namedGroups) {
    if (JSON.stringify(running[group]) !== JSON.stringify(read[group])) awaitingRestart.push(group);
  }
  for (const values of Object.values(groups)) Object.freeze(values);
  // Every fixed group was rebuilt, property by property; the named ones stay.
  const settings = Object.freeze({ ...running, ...groups }) as Settings;
  return { settings, changed, awaitingRestart };
}

function valueOf(settings: Settings, group: string, property: string): unknown {
  const values = settings[group as keyof Settings] as Readonly<Record<string, unknown>>;
  return values[property];
}
