import {
  createCleanerMetrics,
  type Cleaner,
  cleanerLease,
  serveCleaner,
  storeRemover,
} from '@quire/cleaner';
import { type ObjectStore, QuireError } from '@quire/core';
import { listenError } from '@quire/core/process';
import type { Logger } from 'pino';
import type { Environment } from '../environment.ts';
import type { Settings } from '@quire/settings';
import { storeBackends } from '@quire/settings/store-backends';
import type { LiveSettings } from '../live-settings.ts';
import {
  isRemoteStore,
  logRetry,
  type OpenedStore,
  openStore,
  storeInUse,
} from '../stores/open-store.ts';
import { ownerNamesOf } from './cleaner-settings.ts';
import { type ChangingSettings, openCleaner } from './open-cleaner.ts';
import { openLeftovers } from './open-leftovers.ts';

/** The duration of a lease, which expires this long after a cleaner is killed. */
const leaseMs = 15_000;

/** A running cleaner. */
export interface RunningCleaner {
  readonly storeLocation: string;
  /** The URL of its health and metrics, if it serves them. */
  readonly url: string | undefined;
}

/** A cleaner of a whole store and its dependencies, which are closed when `use` has ended. */
export interface StandaloneCleaner {
  readonly cleaner: Cleaner;
  readonly store: ObjectStore;
  readonly registry: ReturnType<typeof createCleanerMetrics>['registry'];
}

/**
 * Opens the store in the settings and a cleaner for all of its brokers, and calls `use`. When `use`
 * has ended, stops the cleaner between two deletions.
 *
 * @throws INVALID_SETTING when no other process can access the store, or it cannot be opened
 */
export async function withStandaloneCleaner<T>(
  live: ChangingSettings,
  { environment, logger }: { readonly environment: Environment; readonly logger: Logger },
  use: (standalone: StandaloneCleaner) => Promise<T>,
): Promise<T> {
  const { clock, random } = environment;
  const { store: opened, backend } = await openSharedStore(live.current, environment, logger);
  await using store = opened;
  const { registry, metrics } = createCleanerMetrics(ownerNamesOf(live.current));
  const settings = live.current.store;
  const leftovers = openLeftovers({
    backend,
    brokerId: undefined,
    settings,
    clock,
    random,
    logger,
  });
  await using cleaner = openCleaner(live, {
    target: { store, brokerId: undefined, remover: storeRemover(store), leftovers },
    clock,
    random,
    log: logger,
    metrics,
    // Two cleaners on a local disk do no harm, and a lease would only delay the successor of a
    // killed one.
    lease: isRemoteStore(live.current)
      ? cleanerLease({ store, clock, random, durationMs: leaseMs })
      : undefined,
  });
  return await use({ cleaner, store, registry });
}

/**
 * Opens the store in the settings.
 *
 * @throws INVALID_SETTING when it is the memory of another process, or a directory that does not
 *   exist
 */
export async function openSharedStore(
  settings: Settings,
  { clock, random }: Environment,
  logger: Logger,
): Promise<OpenedStore> {
  if (storeInUse(settings).location === undefined) {
    const names = storeBackends.flatMap(({ name, locations }) => (locations ? [name] : []));
    throw new QuireError(
      'INVALID_SETTING',
      `engine.broker.pagination.protocol = ${settings.store.protocol}: only a broker can access its own memory, which it cleans itself; expected ${names.join(', ')}.`,
    );
  }
  return openStore(settings, {
    mustExist: true,
    clock,
    random,
    onCall: () => undefined,
    onRetry: (event) => logRetry(logger, event),
  });
}

/** Sweeps by schedule until it is stopped; serves health and metrics if a port is set. */
export async function runCleaner(
  live: LiveSettings,
  run: {
    readonly environment: Environment;
    readonly logger: Logger;
    readonly untilStop: Promise<void>;
    readonly onListening: (running: RunningCleaner) => Promise<void>;
  },
): Promise<void> {
  await withStandaloneCleaner(live, run, async ({ cleaner, store, registry }) => {
    const { port } = live.current.cleaner;
    const { logger } = run;
    await using server =
      port === undefined
        ? undefined
        : await serveCleaner({
            host: live.current.server.bindHost,
            port,
            registry,
            status: () => cleaner.status,
            settingsProblems: () => live.problems,
          }).catch((error: unknown) => {
            const host = live.current.server.bindHost;
            throw listenError(error, {
              host,
              port,
              portKey: 'engine.cleaner.port',
              hostKey: 'engine.bind.host',
            });
          });
    cleaner.start();
    logger.info({ store: store.location, url: server?.url }, 'cleaner runs');
    await run.onListening({ storeLocation: store.location, url: server?.url });
    await run.untilStop;
    logger.info('cleaner is stopping: deletions in progress finish first');
    await cleaner.stop();
  });
}
