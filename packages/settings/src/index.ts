export { loadSettings } from './load-settings.ts';
export { parseSettings, type SettingsInput, type SettingsOutcome, type SettingView } from './parse-settings.ts';
export type { StoreLocation } from './path-kind.ts';
export { settingsError, type SettingProblem } from './setting-problem.ts';
export { formatSettingSource, type SettingSource } from './setting-source.ts';
export type { PrincipalSettings, Settings, TableSettings } from './setting-table.ts';
