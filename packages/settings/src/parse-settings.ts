import { collectAssignments } from './assignment.ts';
import { checkTogether } from './cross-checks.ts';
import { readValues, type SettingView } from './read-values.ts';
import type { SettingProblem } from './setting-problem.ts';
import type { Settings } from './setting-table.ts';
import type { SettingsInput } from './settings-input.ts';

/** The valid settings, or all of their problems. */
export type SettingsOutcome =
  | { readonly ok: true; readonly settings: Settings; readonly view: readonly SettingView[] }
  | { readonly ok: false; readonly problems: readonly SettingProblem[] };

/**
 * Parses settings, all or none, and reports every problem at once. The environment overrides the
 * file, and overrides replace both. Pure: reads no file and no environment.
 */
export function parseSettings(input: SettingsInput): SettingsOutcome {
  const given = collectAssignments(input);
  const { settings, view, problems } = readValues(given.assignments);
  const all = [...given.problems, ...problems, ...checkTogether(settings, view, problems)];
  return all.length === 0 ? { ok: true, settings, view } : { ok: false, problems: all };
}
