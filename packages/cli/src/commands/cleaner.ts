import type { Command } from '@commander-js/extra-typings';
import type { Removal, SweepReport } from '@quire/cleaner';
import { QuireError } from '@quire/core';
import type { Settings } from '@quire/settings';
import type { Logger } from 'pino';
import { describeSweep, removalLine } from '../cleaner/describe-sweep.ts';
import type { Environment } from '../environment.ts';
import { runServer } from '../run-server.ts';
import { readSettings, withSettingsOptions } from '../settings-options.ts';
import { StopRequests } from '../stop-requests.ts';

const help = `
It uses the settings of the brokers whose store it cleans: their store, quota and sweep period. The quota applies to each broker in the
store separately; results of brokers that no longer exist are deleted as well. Two cleaners on one store take turns.

Exit code: 0 on success, 1 on failure or when a quota could not be met, 2 for wrong usage. Health and metrics: engine.cleaner.port.

Examples:
  $ quire cleaner --config production.properties
  $ quire cleaner --config production.properties --dry-run
  $ quire cleaner --config production.properties --once --json`;

/** Adds `quire cleaner`. */
export function addCleanerCommand(program: Command, environment: Environment): void {
  withSettingsOptions(program.command('cleaner'))
    .summary('delete expired results, keep each broker within its quota')
    .description(
      'Sweep a store on a schedule until Ctrl-C or SIGTERM, which let running deletions finish.',
    )
    .option('--once', 'sweep once and exit; leftovers of crashes are then aged by the wall clock')
    .option('--dry-run', 'delete nothing: print what one sweep would delete, and why')
    .option(
      '--json',
      'with --once or --dry-run: one JSON object per deletion, then one for the sweep',
    )
    .addHelpText('after', help)
    .action(async (options, command) => {
      const isDryRun = options.dryRun === true;
      const isOnce = options.once === true || isDryRun;
      if (options.json === true && !isOnce) {
        command.error(
          'error: --json needs --once or --dry-run; the log of the daemon is JSON in a pipe',
        );
      }
      if (!isOnce) return await runServer(options, environment, { roles: ['cleaner'] });
      // Loaded on demand, so that the other commands start without a server.
      const { createLogger } = await import('../create-logger.ts');
      const { settings } = await readSettings(options, environment);
      // The command prints every deletion itself.
      const logger = createLogger({ ...settings.observability, logLevel: 'warn' }, environment);
      using stop = new StopRequests(environment);
      await stop.orSecond(
        sweepOnce(
          { settings, environment, logger, untilStop: stop.first },
          { isDryRun, asJson: options.json === true },
        ),
      );
    });
}

interface CleanerRun {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly logger: Logger;
  readonly untilStop: Promise<void>;
}

async function sweepOnce(
  { settings, untilStop, ...context }: CleanerRun,
  { isDryRun, asJson }: { isDryRun: boolean; asJson: boolean },
): Promise<void> {
  const { ownerNamesOf, withStandaloneCleaner } = await import('@quire/server/cleaner');
  const { stdout } = context.environment;
  const report = await withStandaloneCleaner(
    { current: settings },
    context,
    async ({ cleaner }) => {
      void untilStop.then(() => cleaner.stop());
      let printed: Promise<unknown> = Promise.resolve();
      const onRemoval = (removal: Removal): void => {
        const line = asJson
          ? `${JSON.stringify({ ...removal, isDryRun })}\n`
          : removalLine(removal, isDryRun);
        printed = Promise.all([printed, stdout.write(line)]);
        printed.catch(() => undefined); // awaited below
      };
      const swept = await cleaner.sweep('once', { isDryRun, usesWallClock: true, onRemoval });
      await printed;
      return swept;
    },
  );
  if (report === undefined) {
    await stdout.write(
      asJson
        ? `${JSON.stringify({ sweep: null })}\n`
        : 'Another cleaner is sweeping this store, so nothing was swept.\n',
    );
    return;
  }
  await stdout.write(
    asJson
      ? `${JSON.stringify({ sweep: report })}\n`
      : describeSweep(report, ownerNamesOf(settings)),
  );
  if (!report.isGood && !isDryRun) throw failureOf(report);
}

function failureOf(report: SweepReport): QuireError {
  if (report.isStopped) return new QuireError('ABORTED', 'Stopped before the end of the sweep.');
  return new QuireError(
    'STORE_UNAVAILABLE',
    'Some results could not be deleted; see the lines above.',
  );
}
