import type { BrokerMetrics, BrokerOptions } from '@quire/broker';
import type { Clock, ObjectStore, QueryEngine, Random } from '@quire/core';
import type { ResultStore } from '@quire/results';
import type { Settings } from '@quire/settings';
import { QueryWorkers } from './query-workers.ts';
import type { WorkerPoolStatus } from '../workers/worker-pool.ts';
import type { Logger } from 'pino';
import type { LiveSettings } from '../live-settings.ts';
import { loadPlugin } from '../load-plugin.ts';
import { engineKindOf } from '../engines/engine-kinds.ts';
import { openQueryPool, removeLeftovers } from './open-query-pool.ts';

/**
 * The settings that a plug-in receives, including those of the engine it replaces. None is secret.
 */
export type QueryEngineSettings = Pick<Settings, 'query' | 'tables' | 'tableServer'> &
  Pick<Settings['engines'], 'embedded'>;

/**
 * The function `openQueryEngine` that a module in `engine.class` must export. The broker closes the
 * engine when it stops.
 */
export type QueryEngineFactory = (
  settings: QueryEngineSettings,
  dependencies: {
    readonly clock: Clock;
    readonly random: Random;
    /** The directory for temporary files of queries. */
    readonly tempDirectory: string;
  },
) => Promise<QueryEngine>;

interface EngineDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: BrokerMetrics;
  readonly logger: Logger;
}

interface Stores {
  readonly results: ResultStore;
  readonly store: ObjectStore;
  /** The store without the wrappers that protect its callers. */
  readonly backend: ObjectStore;
}

/** The engine of queries: worker processes, or a plug-in in this process. */
export interface OpenedEngine extends AsyncDisposable {
  /** Returns the engine of a broker whose results are in these stores. */
  engineFor(stores: Stores): BrokerOptions['engine'];
  readonly status: WorkerPoolStatus;
  /** As `EngineKind.fileTables`. */
  readonly listFileTables?: BrokerOptions['listFileTables'];
  /** Ends everything immediately; a plug-in ends with the process. */
  killAll(): void;
}

/**
 * Opens the engine for the queries of a broker, according to `engine.class`.
 *
 * @throws INVALID_SETTING when the module cannot be loaded, or a table, a limit or the store cannot
 *   be used
 */
export async function openQueryEngine(
  live: LiveSettings,
  dependencies: EngineDependencies,
): Promise<OpenedEngine> {
  const { modulePath } = live.current.engine;
  return modulePath === undefined
    ? openWorkers(live, dependencies)
    : openPlugin(modulePath, { settings: live.current, dependencies });
}

async function openWorkers(
  live: LiveSettings,
  dependencies: EngineDependencies,
): Promise<OpenedEngine> {
  const { pool, findings } = await openQueryPool(live, dependencies);
  const kind = engineKindOf(live.current);
  const dataVersion = kind.dataVersions?.(live.current, findings);
  const { logger } = dependencies;
  return {
    engineFor: ({ results, store, backend }) =>
      new QueryWorkers({
        pool,
        results,
        store,
        dataVersion,
        readsResults: kind.readsResults,
        removeLeftovers: (order, { pid }) => removeLeftovers(backend, { order, pid, logger }),
      }),
    get status() {
      return pool.status;
    },
    listFileTables: kind.fileTables?.(findings),
    killAll: () => pool.killAll(),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

async function openPlugin(
  path: string,
  {
    settings,
    dependencies,
  }: { readonly settings: Settings; readonly dependencies: EngineDependencies },
): Promise<OpenedEngine> {
  const factory = (await loadPlugin({
    key: 'engine.class',
    path,
    exportName: 'openQueryEngine',
  })) as QueryEngineFactory;
  const { query, tables, tableServer, engines, store } = settings;
  const { clock, random, logger } = dependencies;
  const engine = await factory(
    { query, tables, tableServer, embedded: engines.embedded },
    { clock, random, tempDirectory: store.tempDir },
  );
  logger.info({ module: path }, 'queries run on the engine of a plug-in, in this process');
  return {
    engineFor: () => engine,
    status: { count: 0, busyCount: 0, killed: { time: 0, memory: 0, crash: 0 } },
    killAll: () => undefined,
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}
