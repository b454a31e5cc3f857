import { availableParallelism } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { join } from 'node:path';
import { systemClock } from '@quire/core';
import { DuckDbEngine } from '@quire/engine-duckdb';
import { ResultStore } from '@quire/results';
import { FileObjectStore } from '@quire/store-file';
import { argumentOfParent, serveParent } from '../process/serve-parent.ts';

export interface WriteOptions {
  readonly directory: string;
  /** Paths of Parquet files by the names of their tables. */
  readonly tables: Readonly<Record<string, string>>;
}

export interface WriteRequest {
  readonly table: string;
  /** `store` writes a result; `read` only reads the batches from the engine. */
  readonly what: 'store' | 'read';
}

export interface WriteAnswer {
  readonly elapsedMs: number;
  /** The delay of a timer by the event loop during the work, in milliseconds. */
  readonly loopDelayMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

const hourMs = 3_600_000;
const loopResolutionMs = 1;
const { directory, tables } = argumentOfParent() as WriteOptions;
const engine = await DuckDbEngine.open({
  tables: Object.entries(tables).map(([name, path]) => ({ name, path, format: 'auto' })),
  memoryMaxBytes: 1024 ** 3,
  threads: availableParallelism(),
  spillDirectory: join(directory, 'spill'),
  spillMaxBytes: 1024 ** 3,
  clock: systemClock,
});
const results = new ResultStore({
  store: await FileObjectStore.open({ root: join(directory, 'results') }),
  brokerId: 'bench',
  expirationMs: hourMs,
  expirationMaxMs: hourMs,
});

serveParent(
  (request) => write(request as WriteRequest),
  async () => {
    await engine[Symbol.asyncDispose]();
    await results[Symbol.asyncDispose]();
  },
);

async function write({ table, what }: WriteRequest): Promise<WriteAnswer> {
  const delay = monitorEventLoopDelay({ resolution: loopResolutionMs });
  delay.enable();
  const startMs = performance.now();
  const requestId = await (what === 'store' ? storeAll(table) : readAll(table));
  const elapsedMs = performance.now() - startMs;
  delay.disable();
  if (requestId !== undefined) await results.delete(requestId);
  // The histogram contains the time from one tick of its timer to the next.
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - loopResolutionMs);
  return {
    elapsedMs,
    loopDelayMs: {
      p50: late(delay.percentile(50)),
      p99: late(delay.percentile(99)),
      max: late(delay.max),
    },
  };
}

async function storeAll(table: string): Promise<string> {
  await using execution = await execute(table);
  const { entry } = await results.create(execution, { owner: 'bench' });
  return entry.requestId;
}

async function readAll(table: string): Promise<undefined> {
  await using execution = await execute(table);
  let rowCount = 0;
  for await (const batch of execution.batches) rowCount += batch.numRows;
  if (rowCount === 0) throw new Error(`${table} returned no rows.`);
}

function execute(table: string) {
  return engine.execute({ sql: `SELECT * FROM ${table}` }, { limits: { timeoutMs: hourMs } });
}
