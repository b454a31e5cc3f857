export { type SettingsDiff } from './diff-settings.ts';
export { loadSettings, type SettingsRequest } from './load-settings.ts';
export { parseSettings, type SettingsOutcome } from './parse-settings.ts';
export type { StoreLocation } from './path-kind.ts';
export type { SettingView } from './read-values.ts';
export { type ReloadEvent, type ReloadOptions, SettingsReloader } from './reload.ts';
export { renderReference } from './reference.ts';
export { settingsError, type SettingProblem } from './setting-problem.ts';
export { formatSettingSource, type SettingSource } from './setting-source.ts';
export type {
  Settings,
  TableSettings,
  NamedValuesOf,
  ValuesOf,
  Rows,
  ValueOf,
} from './setting-table.ts';
export type { SettingsInput } from './settings-input.ts';
export type { SettingRow } from './setting-row.ts';
export type { SettingKind } from './setting-kind.ts';
