import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { Settings, SettingView } from '@quire/settings';
import type { Environment } from './environment.ts';

export interface SettingsOptions {
  readonly config?: string | undefined;
  readonly set?: readonly string[] | undefined;
}

/** Adds the options for the sources of settings. */
export function withSettingsOptions<
  Args extends unknown[],
  Options extends OptionValues,
  Globals extends OptionValues,
>(command: Command<Args, Options, Globals>) {
  return command
    .option('-c, --config <file>', 'properties file with settings')
    .option('-s, --set <key=value>', 'override one setting; may be given several times', collect);
}

/**
 * Reads all settings, from defaults, file, environment and overrides. @throws INVALID_SETTING with
 * all problems
 */
export async function readSettings(
  options: SettingsOptions,
  environment: Environment,
): Promise<{ readonly settings: Settings; readonly view: readonly SettingView[] }> {
  // Commands that only call a server need no table of settings.
  const { loadSettings, settingsError } = await import('@quire/settings');
  const outcome = await loadSettings({
    path: options.config,
    environment: environment.variables,
    overrides: options.set ?? [],
    workingDir: environment.directory,
  });
  if (!outcome.ok) throw settingsError(outcome.problems);
  return outcome;
}

function collect(assignment: string, others: readonly string[] = []): readonly string[] {
  return [...others, assignment];
}
