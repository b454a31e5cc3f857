import { availableParallelism } from 'node:os';
import { type RetryEvent, type StoreCall, systemClock, systemRandom } from '@quire/core';
import { DuckDbEngine, type OpenTable } from '@quire/engine-duckdb';
import type { Settings } from '@quire/settings';
import { createQueryWorker, type WorkerHost, type WorkRunner } from '@quire/workers';
import { isOpenedAnywhere, openStore } from './open-store.ts';

/** What a process for queries is set up with. */
export interface QueryWorkerSetup {
  readonly settings: QueryWorkerSettings;
  /** The tables as the first process has opened them; undefined for that one. */
  readonly tables: readonly OpenTable[] | undefined;
}

/** No secrets but those of the store. */
export type QueryWorkerSettings = Pick<Settings, 'store' | 's3' | 'gcs' | 'storageClasses' | 'tables' | 'duckdb' | 'query'>;

/** Asks a process for the tables as it has opened them. */
export const askForTables = 'tables';

/** What a process for queries calls beside what its queries do. */
export const storeCallName = 'store call';
export const storeRetryName = 'store retry';

/** A retry as it passes between processes. */
export type StoreRetry = Omit<RetryEvent, 'error'> & { readonly reason: string };

/** Opens engine and store of a process that runs queries (`@quire/workers`). */
export async function openWorker(setup: unknown, host: WorkerHost): Promise<WorkRunner> {
  const { settings, tables } = setup as QueryWorkerSetup;
  const engine = await openEngine(settings, tables);
  const store = isOpenedAnywhere(settings) ? (await openStore(settings, surroundingsOf(host))).store : undefined;
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

/** The limits of all queries together are shared equally by the processes that there may be. */
async function openEngine(
  { tables, duckdb, query, store }: QueryWorkerSettings,
  opened: readonly OpenTable[] | undefined,
): Promise<DuckDbEngine> {
  return DuckDbEngine.open({
    tables: opened ?? tables,
    memoryMaxBytes: Math.floor(duckdb.memoryBytesMax / query.concurrencyMax),
    threads: duckdb.threadCount || availableParallelism(),
    spillDirectory: store.tempDir,
    spillMaxBytes: Math.floor(duckdb.spillBytesMax / query.concurrencyMax),
    clock: systemClock,
  });
}

/** Calls to the store are counted and logged by the process that this one works for. */
function surroundingsOf({ call }: WorkerHost): Parameters<typeof openStore>[1] {
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
