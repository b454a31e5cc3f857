import duckdb from '@duckdb/node-bindings';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock, throwIfAborted } from '@quire/core';
import { expect, onTestFinished, test } from 'vitest';
import { TestEngine } from './test-engine.ts';

/** A clock on which every sleep takes one iteration of the event loop. */
const hastyClock: Clock = {
  nowMs: () => systemClock.nowMs(),
  monotonicMs: () => systemClock.monotonicMs(),
  sleep: async (_delayMs, signal) => {
    await new Promise((resolve) => setImmediate(resolve));
    throwIfAborted(signal);
  },
};

/** Opens an engine with a table of a million rows: DuckDB counts some 100,000 at a time. */
async function openEngine(): Promise<TestEngine> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-progress-'));
  const path = join(directory, 'readings.parquet');
  const writer = await duckdb.connect(await duckdb.open(':memory:'));
  const copied = `(SELECT n::INTEGER AS n FROM range(1000000) AS t(n)) TO '${path}'`;
  await duckdb.query(writer, `COPY ${copied} (FORMAT parquet)`);
  duckdb.disconnect_sync(writer);
  const db = await TestEngine.open({
    clock: hastyClock,
    tables: [{ name: 'readings', path, format: 'auto' }],
  });
  onTestFinished(async () => {
    await db[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });
  return db;
}

const slowAggregate =
  'SELECT sum(list_sum(list_transform(range(50), x -> x * n))) AS total FROM readings';

test('a query reports the share of its rows that it has processed, before its first row as well', async () => {
  const db = await openEngine();
  const shares: number[] = [];
  await using execution = await db.engine.execute(
    { sql: slowAggregate },
    { limits: { timeoutMs: 240_000 }, onProgress: (share) => shares.push(share) },
  );
  // On a busy machine, several steps may pass between two iterations of the event loop.
  expect(shares.length).toBeGreaterThan(0);
  expect(shares).toEqual(shares.toSorted((one, other) => one - other));
  expect(shares[0]).toBeGreaterThan(0);
  expect(shares.at(-1)).toBeLessThanOrEqual(1);
  const countAtEnd = shares.length;
  await execution[Symbol.asyncDispose]();
  await new Promise((resolve) => setImmediate(resolve));
  expect(shares).toHaveLength(countAtEnd);
});

test('a query that scans no table reports no share, since the engine does not know it', async () => {
  const db = await openEngine();
  const shares: number[] = [];
  await using _execution = await db.engine.execute(
    { sql: 'SELECT count(DISTINCT hash(i)) FROM range(300000) AS t(i)' },
    { limits: { timeoutMs: 240_000 }, onProgress: (share) => shares.push(share) },
  );
  expect(shares).toEqual([]);
});
