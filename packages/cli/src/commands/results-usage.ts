import type { Command } from '@commander-js/extra-typings';
import { cleanerSettingsOf } from '../cleaner/cleaner-settings.ts';
import { describeUsage } from '../cleaner/describe-usage.ts';
import type { Environment } from '../environment.ts';
import { readSettings, settingsRequestOf, withSettingsOptions } from '../settings-options.ts';
import { stylesFor } from '../styles.ts';

/** Adds `quire results usage`. */
export function addResultsUsageCommand(results: Command, environment: Environment): void {
  withSettingsOptions(results.command('usage'))
    .summary('show usage against the quota, by owner and age, and what a sweep would delete')
    .description(
      'Look into the store that the settings name, not at a server: show what each broker in it uses of its quota, whose results ' +
        'these are and how old, and what a sweep would delete now. Deletes nothing.',
    )
    .option('--json', 'all of it as one line of JSON')
    .action(async (options) => {
      const { createLogger } = await import('../start/create-logger.ts');
      const { LiveSettings } = await import('../start/live-settings.ts');
      const { openSharedStore } = await import('../cleaner/run-cleaner.ts');
      const { measureUsage } = await import('../cleaner/measure-usage.ts');
      const { stdout, clock, variables } = environment;
      const { settings } = await readSettings(options, environment);
      const logger = createLogger(settings.observability, environment);
      const request = { ...settingsRequestOf(options, environment), path: undefined };
      await using live = await LiveSettings.open({ request, settings, clock, logger });
      const { store: opened } = await openSharedStore(live, environment, logger);
      await using store = opened;
      const usage = await measureUsage(store, cleanerSettingsOf(settings), clock);
      const widthMax = stdout.isTerminal ? stdout.size.columns : Number.POSITIVE_INFINITY;
      const isJson = options.json === true;
      await stdout.write(isJson ? `${JSON.stringify(usage)}\n` : describeUsage(usage, stylesFor(stdout, variables), widthMax));
    });
}
