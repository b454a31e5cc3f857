import type { Query, QueryExecution } from '../query-engine.ts';
import { systemClock } from '../system-clock.ts';
import type { EngineFixture } from './query-engine-fixture.ts';

/** The number of rows of the query `numbers`. */
export const rowCount = 100_000;

const limits = { timeoutMs: 60_000 };

/** Starts a query with a time limit. */
export function run(
  { engine }: EngineFixture,
  query: Query | string,
  signal?: AbortSignal,
): Promise<QueryExecution> {
  return engine.execute(typeof query === 'string' ? { sql: query } : query, { signal, limits });
}

/**
 * Reads until the query fails. A query that continues for `patienceMs` fails the test, so that it
 * is not read forever.
 */
export async function readUntilFailure(
  opening: QueryExecution | Promise<QueryExecution>,
  patienceMs: number,
  onBatch?: () => void,
): Promise<void> {
  const startMs = systemClock.monotonicMs();
  await using execution = await opening;
  for await (const _ of execution.batches) {
    onBatch?.();
    const elapsedMs = systemClock.monotonicMs() - startMs;
    if (elapsedMs > patienceMs) {
      throw new Error(
        `The query still returns rows after ${Math.round(elapsedMs)} ms; it should have failed.`,
      );
    }
    // The code that stops a query may need an iteration of this process's event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Reads a query to its end and counts its rows. */
export async function countRows(execution: QueryExecution): Promise<number> {
  let count = 0;
  for await (const batch of execution.batches) count += batch.numRows;
  return count;
}
