import { readdir } from 'node:fs/promises';
import { isQuireError, QuireError, systemClock, systemRandom, createRequestId } from '@quire/core';
import {
  type Compression,
  type GrowingResult,
  type PageFormatName,
  type Result,
  ResultStore,
} from '@quire/results';
import { MemoryObjectStore } from '@quire/core/memory';
import type { RecordBatch } from 'apache-arrow';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchesOf, modelTables, schemaOf } from '../testkit/builders/model-table.ts';
import { temporaryDirectory } from '../testkit/cli-process.ts';

/**
 * A read in the middle: its first row, as a fraction of the existing rows, and its number of rows.
 */
interface Read {
  readonly at: number;
  readonly rowCount: number;
  readonly format: PageFormatName;
}

const read = fc.record<Read>({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  rowCount: fc.integer({ min: 1, max: 200 }),
  format: fc.constantFrom<PageFormatName>('json', 'arrow', 'csv', 'ndjson'),
});
const compression = fc.constantFrom<Compression>('none', 'zstd', 'lz4');

/** The content of a read while the result grew. */
interface Seen {
  readonly offset: number;
  readonly rowCount: number;
  readonly format: PageFormatName;
  readonly text: string;
}

async function textOf(page: ReturnType<Result['page']>, format: PageFormatName): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of page.encode(format)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

async function readGrowing(growth: GrowingResult, reads: readonly Read[]): Promise<Seen[]> {
  await using _ = growth.hold();
  return await Promise.all(
    reads.map(async ({ at, rowCount, format }) => {
      const page = growth.page({ offset: Math.floor(at * growth.rowCount), rowCount });
      if (page === undefined) throw new Error('There are no columns after the first batch.');
      return {
        offset: page.range.start,
        rowCount: page.rowCount,
        format,
        text: await textOf(page, format),
      };
    }),
  );
}

test('what is read of a result while it grows is what is read of it afterwards', async () => {
  await using directory = await temporaryDirectory();
  const tempDirectory = directory.path;
  let seenCount = 0;
  await fc.assert(
    fc.asyncProperty(
      modelTables,
      fc.array(read, { minLength: 1, maxLength: 6 }),
      fc.record({ compression, batchSizeBytes: fc.constantFrom(2, 64) }),
      fc.constantFrom('stands', 'fails', 'is cancelled'),
      async (table, reads, layout, fate) => {
        await using store = new MemoryObjectStore({ sizeMaxBytes: 1e9 });
        const settings = {
          store,
          brokerId: 'b',
          expirationMs: 1e9,
          expirationMaxMs: 1e9,
          ...layout,
        };
        const results = new ResultStore({ ...settings, tempDirectory });
        const growth = await results.grow(createRequestId(systemClock, systemRandom));
        const seen: Seen[] = [];
        const cancelling = new AbortController();
        const { signal } = cancelling;
        async function* batches(): AsyncGenerator<RecordBatch> {
          for await (const batch of batchesOf(table)) {
            yield batch;
            seen.push(...(await readGrowing(growth, reads)));
          }
          if (fate === 'fails') throw new QuireError('QUERY_FAILED', 'In the end it fails.');
          if (fate === 'is cancelled') {
            cancelling.abort(new QuireError('QUERY_CANCELLED', 'In the end it is cancelled.'));
          }
        }
        const created = await results
          .create(
            { schema: schemaOf(table), batches: batches() },
            { owner: 'o', requestId: growth.requestId, growth, signal },
          )
          .catch((error: unknown) => {
            if (!isQuireError(error, 'QUERY_FAILED', 'QUERY_CANCELLED')) throw error;
            return undefined;
          });
        // Readers that hold it continue, also when the query has failed.
        const late = await readGrowing(growth, reads);
        await growth.end();
        expect(await readdir(tempDirectory)).toEqual([]);
        expect(created !== undefined).toBe(fate === 'stands');
        // Nothing of a result that was not committed is left, and it cannot be opened.
        if (created === undefined) {
          expect(await Array.fromAsync(store.list(''))).toEqual([]);
          await expect(results.open(growth.requestId)).rejects.toMatchObject({
            code: 'RESULT_NOT_FOUND',
          });
        }
        const after =
          created ??
          (await results.create(
            { schema: schemaOf(table), batches: batchesOf(table) },
            { owner: 'o' },
          ));
        for (const { offset, rowCount, format, text } of [...seen, ...late]) {
          expect(await textOf(after.page({ offset, rowCount }), format)).toBe(text);
          seenCount += rowCount;
        }
      },
    ),
    { numRuns: 100 },
  );
  // It has read rows, not only empty pages.
  expect(seenCount).toBeGreaterThan(1000);
});

test('a result whose file cannot be written is stored all the same; its readers wait', async () => {
  await using directory = await temporaryDirectory();
  await using store = new MemoryObjectStore({ sizeMaxBytes: 1e9 });
  const results = new ResultStore({
    store,
    brokerId: 'b',
    expirationMs: 1e9,
    expirationMaxMs: 1e9,
    tempDirectory: directory.path,
  });
  const growth = await results.grow(createRequestId(systemClock, systemRandom));
  const [table] = fc.sample(modelTables, { numRuns: 1, seed: 18 });
  if (table === undefined) throw new Error('There is no table.');
  // Simulates a directory that was deleted, or a disk that is full before the first row.
  const nowhere = { path: `${growth.path}.gone`, notify: growth.notify };
  const result = await results.create(
    { schema: schemaOf(table), batches: batchesOf(table) },
    { owner: 'o', requestId: growth.requestId, growth: nowhere },
  );
  expect(growth.rowCount).toBe(0);
  expect(growth.schema?.fields.length).toBe(table.kinds.length);
  expect(result.entry.rowCount).toBe(table.rows.length);
  await growth.end();
});
