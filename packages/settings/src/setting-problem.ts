import { QuireError } from '@quire/core';
import type { SettingSource } from './setting-source.ts';

/** One thing that is wrong with the settings as given. No secret is in any member. */
export interface SettingProblem {
  /** The setting; undefined when the problem is with a line or a file as such. */
  readonly key: string | undefined;
  /** The value as it is shown; undefined when it must not be or there is none. */
  readonly value: string | undefined;
  /** What would have been allowed, in words. */
  readonly allowed: string | undefined;
  readonly source: SettingSource | undefined;
  /** One sentence with all of the above. */
  readonly message: string;
}

/** One INVALID_SETTING error that tells of all problems, one per line. */
export function settingsError(problems: readonly SettingProblem[]): QuireError {
  return new QuireError('INVALID_SETTING', problems.map((problem) => problem.message).join('\n'));
}
