import { availableParallelism } from 'node:os';
import { type StoreCall, systemClock, systemRandom } from '@quire/core';
import { DuckDbEngine, type DuckDbEngineOptions, type OpenTable } from '@quire/engine-duckdb';
import { DirectoryTables } from '@quire/table-server/queries';
import { createQueryWorker, type WorkerHost, type WorkRunner } from '@quire/workers';
import { isOpenedAnywhere, openStore } from './open-store.ts';
import {
  askForTables,
  type QueryWorkerSettings,
  type QueryWorkerSetup,
  storeCallName,
  storeRetryName,
  type StoreRetry,
} from './query-worker-setup.ts';

/** Opens engine and store of a process that runs queries (`@quire/workers`). */
export async function openWorker(setup: unknown, host: WorkerHost): Promise<WorkRunner> {
  const { settings, tables } = setup as QueryWorkerSetup;
  const engine = await openEngine(settings, tables);
  const store = isOpenedAnywhere(settings) ? (await openStore(settings, dependenciesOf(host))).store : undefined;
  const worker = createQueryWorker({
    engine,
    store,
    settled: () => engine.settled(),
    directories: [engine.spillDirectory],
    close: async () => {
      await engine[Symbol.asyncDispose]();
      await store?.[Symbol.asyncDispose]();
    },
  });
  return {
    ...worker,
    run: async (input, context) => (input === askForTables ? engine.tables : worker.run(input, context)),
  };
}

/** The tables of the table server whose directory this broker shares, wherever it runs. */
function openLiveTables({
  tableServer: { dataDir },
}: QueryWorkerSettings): Pick<DuckDbEngineOptions, 'liveTables' | 'liveDirectory'> {
  if (dataDir === undefined) return {};
  return { liveTables: new DirectoryTables(dataDir), liveDirectory: dataDir };
}

/** The limits of all queries together are shared equally by the processes that there may be. */
async function openEngine(settings: QueryWorkerSettings, opened: readonly OpenTable[] | undefined): Promise<DuckDbEngine> {
  const { tables, duckdb, query, store, statement } = settings;
  return DuckDbEngine.open({
    tables: opened ?? tables,
    memoryMaxBytes: Math.floor(duckdb.memoryBytesMax / query.concurrencyMax),
    threads: duckdb.threadCount || availableParallelism(),
    spillDirectory: store.tempDir,
    spillMaxBytes: Math.floor(duckdb.spillBytesMax / query.concurrencyMax),
    statementLimits: statement,
    clock: systemClock,
    ...openLiveTables(settings),
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
