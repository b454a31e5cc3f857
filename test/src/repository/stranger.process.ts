/**
 * A third-party program that uses the packages from npm: compiled against their types, run on their
 * JavaScript.
 */
import { createRequestId, systemClock, systemRandom } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { DuckDbEngine } from '@quire/engine-duckdb';
import { ResultStore } from '@quire/results';
import { MemoryObjectStore } from '@quire/core/memory';

// @ts-expect-error: if the declarations were not found, this would be `any`, and no error.
const notANumber: number = createRequestId(systemClock, systemRandom);
if (typeof notANumber !== 'string') throw new Error('a request id is a string');

await using engine = await DuckDbEngine.open({
  tables: [],
  memoryMaxBytes: 100_000_000,
  threads: 1,
  spillDirectory: '.',
  spillMaxBytes: 0,
  clock: systemClock,
});
await using results = new ResultStore({
  store: new MemoryObjectStore({ sizeMaxBytes: 1_000_000 }),
  brokerId: 'stranger',
  expirationMs: 60_000,
  expirationMaxMs: 60_000,
  clock: new ManualClock(),
});

await using execution = await engine.execute(
  { sql: 'SELECT * FROM (VALUES (1), (2), (3))' },
  { limits: { timeoutMs: 60_000 } },
);
const { entry } = await results.create(execution, { owner: 'stranger' });
const result = await results.open(entry.requestId);
for await (const chunk of result.page({ offset: 1, rowCount: 2 }).encode('json')) {
  process.stdout.write(chunk);
}
process.stdout.write('\n');
