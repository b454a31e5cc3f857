import type { Command } from '@commander-js/extra-typings';
import type { Removal, SweepReport } from '@quire/cleaner';
import { QuireError } from '@quire/core';
import type { LiveSettings } from '@quire/server';
import type { runCleaner } from '@quire/server/cleaner';
import { describeSweep, removalLine } from '../cleaner/describe-sweep.ts';
import type { Environment } from '../environment.ts';
import { readSettings, settingsRequestOf, withSettingsOptions } from '../settings-options.ts';
import { StopRequests } from '../stop-requests.ts';

const help = `
It takes the settings of the brokers whose store it cleans: their store, quota and sweep period. Each broker in the store has the
quota for itself; results of brokers that no longer exist are deleted as well. Two cleaners on one store take turns.

Exit code: 0 when all was done, 1 when something failed, or a quota could not be met, 2 for wrong usage. Health and metrics: engine.cleaner.port.

Examples:
  $ quire cleaner --config production.properties
  $ quire cleaner --config production.properties --dry-run
  $ quire cleaner --config production.properties --once --json`;

/** Adds `quire cleaner`. */
export function addCleanerCommand(program: Command, environment: Environment): void {
  withSettingsOptions(program.command('cleaner'))
    .summary('delete expired results, keep each broker within its quota')
    .description(
      'Sweep a store by schedule until Ctrl-C or SIGTERM, which let the deletions under way finish.',
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
      const { createLogger } = await import('../create-logger.ts');
      // Loaded here, so that the other commands start without a server.
      const { LiveSettings } = await import('@quire/server');
      const { settings } = await readSettings(options, environment);
      const logger = createLogger(settings.observability, environment);
      const request = settingsRequestOf(options, environment);
      using stop = new StopRequests(environment);
      const liveRequest = isOnce ? { ...request, path: undefined } : request;
      await using live = await LiveSettings.open({
        request: liveRequest,
        settings,
        clock: environment.clock,
        logger,
      });
      if (!isOnce) {
        const { runCleaner } = await import('@quire/server/cleaner');
        await stop.orSecond(runCleaner(live, { environment, logger, untilStop: stop.first }));
        return;
      }
      logger.level = 'warn'; // every deletion is printed
      await stop.orSecond(
        sweepOnce(
          { live, environment, logger, untilStop: stop.first },
          { isDryRun, asJson: options.json === true },
        ),
      );
    });
}

type CleanerRun = Parameters<typeof runCleaner>[1] & {
  readonly live: LiveSettings;
  readonly environment: Environment;
};

async function sweepOnce(
  run: CleanerRun,
  { isDryRun, asJson }: { isDryRun: boolean; asJson: boolean },
): Promise<void> {
  const { ownerNamesOf, withStandaloneCleaner } = await import('@quire/server/cleaner');
  const { stdout } = run.environment;
  const report = await withStandaloneCleaner(run.live, run, async ({ cleaner }) => {
    void run.untilStop.then(() => cleaner.stop());
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
  });
  if (report === undefined) {
    await stdout.write(
      asJson
        ? `${JSON.stringify({ sweep: null })}\n`
        : 'Another cleaner is sweeping this store. Nothing was swept here.\n',
    );
    return;
  }
  await stdout.write(
    asJson
      ? `${JSON.stringify({ sweep: report })}\n`
      : describeSweep(report, ownerNamesOf(run.live.current)),
  );
  if (!report.isGood && !isDryRun) throw failureOf(report);
}

function failureOf(report: SweepReport): QuireError {
  if (report.isStopped) return new QuireError('ABORTED', 'Stopped before the end of the sweep.');
  return new QuireError(
    'STORE_UNAVAILABLE',
    'The sweep failed to delete or to free something: see above.',
  );
}
