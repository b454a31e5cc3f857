export { loadSettings, type SettingsRequest } from './load-settings.ts';
export { parseSettings, type SettingsOutcome } from './parse-settings.ts';
export type { StoreLocation } from './path-kind.ts';
export type { SettingView } from './read-values.ts';
export { renderReference } from './reference.ts';
export { settingsError, type SettingProblem } from './setting-problem.ts';
export { formatSettingSource, type SettingSource } from './setting-source.ts';
export type { PrincipalSettings, Settings, TableSettings } from './setting-table.ts';
export type { SettingsInput } from './settings-input.ts';
