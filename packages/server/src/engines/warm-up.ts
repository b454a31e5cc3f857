import { createRequestId, type QueryEngine, systemClock, systemRandom } from '@quire/core';
import { type ResultSink, writeOrdered } from '@quire/results';

/** A query for rows of a few types that reads no table. */
const sql =
  "SELECT i AS n, 'row ' || i AS text, i / 3 AS x, DATE '2024-01-01' + i::INTEGER AS day FROM range(100) t(i) ORDER BY n DESC";

/**
 * Runs a query once, from its SQL to a result that is not stored, so that the engine and the writer
 * of results have loaded, compiled and initialised everything before the first caller.
 */
export async function warmUp(engine: QueryEngine): Promise<void> {
  await using execution = await engine.execute(
    { sql, isPaginated: true },
    { limits: { timeoutMs: 10_000 } },
  );
  const requestId = createRequestId(systemClock, systemRandom);
  const order = {
    brokerId: 'warm',
    requestId,
    owner: '',
    sql: undefined,
    expirationMs: 1,
    firstBytesMax: 1,
    sizeBytesMax: 0,
  };
  const admission = {
    extend: async ({ neededBytes }: { readonly neededBytes: number }) => neededBytes,
    release: () => undefined,
  };
  await writeOrdered(
    execution,
    { ...order, compression: 'none', batchSizeBytes: undefined },
    { store: nowhere, clock: systemClock, admission },
  );
}

const nowhere: ResultSink = {
  put: async (key, body) => {
    let sizeBytes = 0;
    for await (const chunk of body instanceof Uint8Array ? [body] : body) {
      sizeBytes += chunk.byteLength;
    }
    return { key, sizeBytes, lastModifiedMs: 0 };
  },
  delete: async () => undefined,
};
