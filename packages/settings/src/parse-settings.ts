import { QuireError } from '@quire/core';
import type { SettingProblem } from './setting-problem.ts';
import type { SettingSource } from './setting-source.ts';
import type { Settings } from './setting-table.ts';

export interface SettingsInput {
  /** A properties file that was read; relative paths in it start from its own directory. */
  readonly file?: { readonly path: string; readonly text: string } | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `key=value` each, in the order given; the last one for a key counts. */
  readonly overrides: readonly string[];
  /** An absolute path: what relative paths in the environment and in overrides, and a relative file path, start from. */
  readonly workingDir: string;
}

/** A setting as text that is fit to be shown: secrets are `(secret)`, what is not set is empty. */
export interface SettingView {
  readonly key: string;
  readonly value: string;
  readonly source: SettingSource;
}

export type SettingsOutcome =
  | { readonly ok: true; readonly settings: Settings; readonly view: readonly SettingView[] }
  | { readonly ok: false; readonly problems: readonly SettingProblem[] };

export function parseSettings(_input: SettingsInput): SettingsOutcome {
  throw new QuireError('INTERNAL', 'parseSettings is not written yet.');
}
