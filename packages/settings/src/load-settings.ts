import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseSettings, type SettingsOutcome } from './parse-settings.ts';
import type { SettingProblem } from './setting-problem.ts';
import type { SettingsInput } from './settings-input.ts';

/** What `parseSettings` takes, with the file still to be read. */
export interface SettingsRequest extends Omit<SettingsInput, 'file'> {
  readonly path?: string | undefined;
}

/** Reads the properties file at `path`, if one is given, as UTF-8 and parses everything; a file that cannot be read is a problem. */
export async function loadSettings({ path, ...input }: SettingsRequest): Promise<SettingsOutcome> {
  if (path === undefined) return parseSettings(input);
  let bytes: Uint8Array;
  try {
    bytes = await readFile(resolve(input.workingDir, path));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { ok: false, problems: [unreadable(path, `cannot be read (${code})`)] };
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) return { ok: false, problems: [unreadable(path, 'is not UTF-8 text')] };
  return parseSettings({ ...input, file: { path, text } });
}

function unreadable(path: string, what: string): SettingProblem {
  return {
    key: undefined,
    value: undefined,
    allowed: undefined,
    source: undefined,
    message: `The settings file ${path} ${what}.`,
  };
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
