import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createBroker } from '@quire/broker';
import { systemClock } from '@quire/core';
import { DuckDbEngine } from '@quire/engine-duckdb';
import { ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { argumentOfParent, serveParent } from '../process/serve-parent.ts';

export interface InProcessOptions {
  readonly directory: string;
  /** Paths of Parquet files by the names of their tables. */
  readonly tables: Readonly<Record<string, string>>;
}

/** A broker as `quire start` creates one, except that its queries run in its own process. */
const hourMs = 3_600_000;
const { directory, tables } = argumentOfParent() as InProcessOptions;
const engine = await DuckDbEngine.open({
  tables: Object.entries(tables).map(([name, path]) => ({ name, path, format: 'auto' })),
  memoryMaxBytes: 512 * 1024 ** 2,
  threads: availableParallelism(),
  spillDirectory: join(directory, 'spill'),
  spillMaxBytes: 1024 ** 3,
  clock: systemClock,
});
const store = await FileObjectStore.open({ root: join(directory, 'results') });
const results = new ResultStore({
  store,
  brokerId: 'bench',
  expirationMs: hourMs,
  expirationMaxMs: hourMs,
});
const broker = createBroker({
  engine,
  results,
  authenticate: async () => ({ name: 'bench', role: 'admin' }),
  host: '127.0.0.1',
  port: 0,
  storeLocation: store.location,
  storeType: 'fs',
  version: 'bench',
  pageRowCount: 1000,
  queryTimeoutMs: hourMs,
  queriesRunningMax: 4,
  queriesQueuedMax: 64,
  bodyBytesMax: 1024 ** 2,
  headerBytesMax: 16_384,
  requestTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
  shutdownGraceMs: 1000,
});
const { url } = await broker.listen();

serveParent(
  async () => url,
  async () => {
    await broker.close();
    await engine[Symbol.asyncDispose]();
    await results[Symbol.asyncDispose]();
  },
);
