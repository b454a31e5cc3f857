import { QuireError } from '@quire/core';
import { formatSettingSource, type SettingSource } from './setting-source.ts';

/** One problem of the given settings. No member contains a secret. */
export interface SettingProblem {
  /** The setting; undefined if the problem concerns a line, a variable or a file. */
  readonly key: string | undefined;
  /** The value for display; undefined if it must not be shown, or there is none. */
  readonly value: string | undefined;
  /** The allowed values, in words; undefined if there are none. */
  readonly allowed: string | undefined;
  readonly source: SettingSource | undefined;
  /** A sentence with all of the above. */
  readonly message: string;
}

/** The text shown instead of a secret. */
export const secretMark = '(secret)';

/** Returns the problem of a setting whose value is not allowed. */
export function badValue(
  key: string,
  value: string,
  allowed: string,
  source: SettingSource,
): SettingProblem {
  const shown = value === secretMark ? value : showable(value);
  const message = `${key} ${value === '' ? 'is empty' : `= ${shown}`} (${formatSettingSource(source)}): expected ${allowed}.`;
  return { key, value: shown, allowed, source, message };
}

/** Returns any other problem of a setting or, without a key, of a source of settings. */
export function faultAt(
  key: string | undefined,
  source: SettingSource,
  what: string,
): SettingProblem {
  const origin = formatSettingSource(source);
  return {
    key,
    value: undefined,
    allowed: undefined,
    source,
    message: `${key === undefined ? origin : `${showable(key)} (${origin})`}: ${what}.`,
  };
}

/** Returns one INVALID_SETTING error with all problems, one on each line. */
export function settingsError(problems: readonly SettingProblem[]): QuireError {
  return new QuireError('INVALID_SETTING', problems.map((problem) => problem.message).join('\n'));
}

const shownLengthMax = 100;

/** Returns a text on one line with limited length. */
export function showable(text: string): string {
  const cut = text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
  return /\p{Cc}/u.test(cut) ? JSON.stringify(cut) : cut;
}
