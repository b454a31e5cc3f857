import { availableParallelism } from 'node:os';
import { type QueryEngine, type StoreCall, systemClock, systemRandom } from '@quire/core';
import type { DuckDbEngine, DuckDbEngineOptions, OpenTable } from '@quire/engine-duckdb';
import { DirectoryTables, type SharedVerification } from '@quire/table-server/queries';
import { createQueryWorker } from '../workers/query/query-worker.ts';
import type { WorkerHost, WorkRunner } from '../workers/worker-module.ts';
import { warmUp } from './warm-up.ts';
import { isOpenedAnywhere, openStore } from '../stores/open-store.ts';
import {
  askForTables,
  type QueryWorkerSettings,
  type QueryWorkerSetup,
  addVerifiedName,
  findVerifiedName,
  storeCallName,
  storeRetryName,
  type StoreRetry,
} from './query-worker-setup.ts';

/** What a process for queries needs of its engine. */
interface WorkerEngine {
  readonly engine: QueryEngine;
  /** Resolves once nothing runs any more for queries that have failed. */
  readonly settled: () => Promise<void>;
  readonly tables: readonly OpenTable[];
  readonly directories: readonly string[];
}

/** Opens engine and store of a process that runs queries (../workers). */
export async function openWorker(setup: unknown, host: WorkerHost): Promise<WorkRunner> {
  const { settings, tables: opened } = setup as QueryWorkerSetup;
  const { engine, settled, tables, directories } = await openEngine(settings, opened, host);
  const store = isOpenedAnywhere(settings)
    ? (await openStore(settings, dependenciesOf(host))).store
    : undefined;
  const worker = createQueryWorker({
    engine,
    store,
    settled,
    directories,
    close: async () => {
      await engine[Symbol.asyncDispose]();
      await store?.[Symbol.asyncDispose]();
    },
  });
  // The process that opens the tables is replaced soon. Any other one waits for work, and may as
  // well be quick when it comes.
  if (opened !== undefined && settings.engine.kind !== 'pinot') {
    void warmUp(engine).catch(() => undefined);
  }
  return {
    ...worker,
    run: async (input, context) => (input === askForTables ? tables : worker.run(input, context)),
  };
}

async function openEngine(
  settings: QueryWorkerSettings,
  opened: readonly OpenTable[] | undefined,
  host: WorkerHost,
): Promise<WorkerEngine> {
  if (settings.engine.kind === 'pinot') return openPinot(settings);
  const engine = await openDuckDb(settings, opened, host);
  return {
    engine,
    settled: () => engine.settled(),
    tables: engine.tables,
    directories: [engine.spillDirectory],
  };
}

async function openPinot(settings: QueryWorkerSettings): Promise<WorkerEngine> {
  const [{ PinotEngine }, { pinotOptionsOf }] = await Promise.all([
    import('@quire/engine-pinot'),
    import('./pinot-options.ts'),
  ]);
  const engine = new PinotEngine(
    await pinotOptionsOf(settings, { clock: systemClock, random: systemRandom }),
  );
  return { engine, settled: () => engine.settled(), tables: [], directories: [] };
}

/** The tables of the table server whose directory this broker shares, wherever it runs. */
function openLiveTables(
  { tableServer: { dataDir } }: QueryWorkerSettings,
  { call }: WorkerHost,
): Pick<DuckDbEngineOptions, 'liveTables' | 'liveDirectory'> {
  if (dataDir === undefined) return {};
  const shared: SharedVerification = {
    find: async (files) => (await call(findVerifiedName, files)) as readonly boolean[],
    add: async (files) => void (await call(addVerifiedName, files)),
  };
  return { liveTables: new DirectoryTables(dataDir, { shared }), liveDirectory: dataDir };
}

/** The limits of all queries together are shared equally by the processes that there may be. */
async function openDuckDb(
  settings: QueryWorkerSettings,
  opened: readonly OpenTable[] | undefined,
  host: WorkerHost,
): Promise<DuckDbEngine> {
  // Loaded here: a process that asks a cluster does without.
  const { DuckDbEngine } = await import('@quire/engine-duckdb');
  const { tables, duckdb, query, store, statement } = settings;
  return DuckDbEngine.open({
    tables: opened ?? tables,
    memoryMaxBytes: Math.floor(duckdb.memoryBytesMax / query.concurrencyMax),
    threads: duckdb.threadCount || availableParallelism(),
    spillDirectory: store.tempDir,
    spillMaxBytes: Math.floor(duckdb.spillBytesMax / query.concurrencyMax),
    statementLimits: statement,
    clock: systemClock,
    ...openLiveTables(settings, host),
  });
}

/** Calls to the store are counted and logged by the process that this one works for. */
function dependenciesOf({ call }: WorkerHost): Parameters<typeof openStore>[1] {
  const tell = (name: string, input: StoreCall | StoreRetry): void => {
    call(name, input).catch(() => undefined); // it is gone, and its log with it
  };
  return {
    clock: systemClock,
    random: systemRandom,
    onCall: (each) => tell(storeCallName, each),
    onRetry: ({ error, ...event }) => tell(storeRetryName, { ...event, reason: error.code }),
  };
}
