import { join } from 'node:path';
import type { ControllerMetrics } from '@quire/controller';
import type { TableEngine } from '@quire/core/table-engine';
import { Restreams } from '@quire/controller';
import { FileObjectStore } from '@quire/store-file';
import type { Logger } from 'pino';
import type { Environment } from '../environment.ts';
import type { LiveSettings } from '../live-settings.ts';

/** The tables of this process, and the restream jobs that rebuild them. */
export interface OpenRestreams extends AsyncDisposable {
  readonly engine: TableEngine;
  readonly restreams: Restreams;
}

/**
 * Opens the restream jobs of a table server in this process, with records in a directory next to
 * its tables.
 */
export async function openRestreams(
  live: LiveSettings,
  engine: TableEngine,
  dependencies: {
    readonly environment: Environment;
    readonly logger: Logger;
    readonly metrics: ControllerMetrics;
  },
): Promise<OpenRestreams> {
  const { logger, metrics } = dependencies;
  const { clock, random } = dependencies.environment;
  const root = join(live.current.tableServer.dataDir ?? '', 'restreams');
  const store = await FileObjectStore.open({ root, clock, random });
  const restreams = new Restreams({
    engine,
    store,
    clock,
    random,
    leaseMs: live.current.restream.leaseMs,
    settings: () => live.current.restream,
    log: logger,
    onWritten: (job) => metrics.observeRestream(job),
  });
  for (const job of await restreams.list()) metrics.observeRestream(job);
  return {
    engine,
    restreams,
    async [Symbol.asyncDispose](): Promise<void> {
      await restreams[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
