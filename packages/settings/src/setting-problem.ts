import { QuireError } from '@quire/core';
import { formatSettingSource, type SettingSource } from './setting-source.ts';

/** One thing that is wrong with the settings as given. No secret is in any member. */
export interface SettingProblem {
  /** The setting; undefined when the problem is with a line, a variable or a file as such. */
  readonly key: string | undefined;
  /** The value as it may be shown; undefined when it may not, or there is none. */
  readonly value: string | undefined;
  /** What is allowed, in words; undefined when nothing is. */
  readonly allowed: string | undefined;
  readonly source: SettingSource | undefined;
  /** One sentence with all of the above. */
  readonly message: string;
}

/** What stands for a secret wherever settings are shown. */
export const secretMark = '(secret)';

/** A setting has a value that is not allowed. */
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

/**
 * Anything else that is wrong with a setting or, without a key, with an origin that settings come
 * from.
 */
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

/** One INVALID_SETTING error that tells of all problems, one per line. */
export function settingsError(problems: readonly SettingProblem[]): QuireError {
  return new QuireError('INVALID_SETTING', problems.map((problem) => problem.message).join('\n'));
}

const shownLengthMax = 100;

/** A text on one line of bounded length, whatever is in it. */
export function showable(text: string): string {
  const cut = text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
  return /\p{Cc}/u.test(cut) ? JSON.stringify(cut) : cut;
}
