export { brokerPatterns, choices, httpUrls, names, networks } from './list-kind.ts';
export { httpUrl, moduleOrClass, type ModuleOrClass, modulePath } from './module-kind.ts';
export { fileOrUri, path } from './path-kind.ts';
export {
  boolean,
  choice,
  countOrUnlimited,
  duration,
  durationOrRandom,
  host,
  integer,
  name,
  port,
  type SettingKind,
  size,
  sizeOrUnlimited,
  text,
} from './setting-kind.ts';
export {
  optionalSetting,
  requiredSetting,
  setting,
  type SettingRow,
  type SettingRowParts,
  type SettingRows,
  type SettingValue,
  type SettingValues,
} from './setting-row.ts';
export { textLocation, type TextLocation } from './text-location-kind.ts';
