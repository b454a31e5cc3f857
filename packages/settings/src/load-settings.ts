import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseSettings, type SettingsOutcome } from './parse-settings.ts';
import type { SettingProblem } from './setting-problem.ts';
import type { SettingsInput } from './settings-input.ts';

/** The input of `parseSettings`, with a file that is still to be read. */
export interface SettingsRequest extends Omit<SettingsInput, 'file'> {
  readonly path?: string | undefined;
}

/**
 * Reads the properties file at `path`, if one is given, as UTF-8 and parses everything; a file that
 * cannot be read, or is empty, is a problem.
 */
export async function loadSettings(request: SettingsRequest): Promise<SettingsOutcome> {
  const { path, ...input } = request;
  return path === undefined
    ? parseSettings(input)
    : parseReading(await readSettingsFile(path, input.workingDir), { ...input, path });
}

/** The content of a settings file at one time. */
export type FileReading = { readonly text: string } | { readonly problem: SettingProblem };

/** Reads a settings file; never rejects. */
export async function readSettingsFile(path: string, workingDir: string): Promise<FileReading> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(resolve(workingDir, path));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { problem: unreadable(path, `cannot be read (${code})`) };
  }
  const text = decodeUtf8(bytes);
  return text === undefined ? { problem: unreadable(path, 'is not UTF-8 text') } : { text };
}

/** Parses all settings with a file that was read. */
export function parseReading(
  reading: FileReading,
  { path, ...input }: SettingsRequest & { readonly path: string },
): SettingsOutcome {
  if ('problem' in reading) return { ok: false, problems: [reading.problem] };
  // Editors may truncate a file before they write it, so an empty settings file counts as
  // unfinished, not as "all defaults".
  if (reading.text.trim() === '') return { ok: false, problems: [unreadable(path, 'is empty')] };
  return parseSettings({ ...input, file: { path, text: reading.text } });
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
