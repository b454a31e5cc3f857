import { type Compression, ResultStore, type PageFormatName } from '@quire/results';
import { MemoryObjectStore } from '@quire/core/memory';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countingRows } from '../testkit/builders/counting-rows.ts';

const rowCount = 60_000;
const formats: readonly PageFormatName[] = ['json', 'ndjson', 'csv', 'arrow'];

test.each<Compression>(['none', 'zstd'])(
  'readers that are done with each chunk when they ask for the next get the same pages, however they take turns, of a file with compression %s',
  async (compression) => {
    const store = new MemoryObjectStore({ sizeMaxBytes: 1e9 });
    const results = new ResultStore({
      store,
      brokerId: 'b',
      expirationMs: 1e9,
      expirationMaxMs: 1e9,
      batchSizeBytes: 32_768,
      compression,
      cacheBytesMax: 100_000,
    });
    const result = await results.create(countingRows(rowCount), { owner: 'o' });

    /** Copies each chunk at once, and leaves after some of them, like a client that disconnects. */
    async function read(
      page: { offset: number; count: number; format: PageFormatName },
      isLent: boolean,
      chunksMax = Infinity,
    ) {
      const chunks: Buffer[] = [];
      const { offset, count, format } = page;
      for await (const chunk of result
        .page({ offset, rowCount: count })
        .encode(format, { isDoneWithChunks: isLent })) {
        chunks.push(Buffer.from(new Uint8Array(chunk)));
        // A later read shows that it was released; batches of Arrow may be shared with other
        // readers.
        if (format !== 'arrow' && isLent) chunk.fill(0);
        if (chunks.length >= chunksMax) break;
        if (chunks.length % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      return Buffer.concat(chunks);
    }

    const pages = fc.record({
      offset: fc.nat(rowCount - 1),
      count: fc.integer({ min: 1, max: 50_000 }),
      format: fc.constantFrom(...formats),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(pages, { minLength: 1, maxLength: 5 }),
        fc.nat(3),
        async (asked, leavingAfter) => {
          const expected = await Promise.all(asked.map((page) => read(page, false)));
          const leaving = asked.map((page) => read(page, true, leavingAfter));
          const lent = await Promise.all([...asked.map((page) => read(page, true)), ...leaving]);
          for (const [index, bytes] of expected.entries()) {
            expect(lent[index]?.equals(bytes)).toBe(true);
          }
        },
      ),
      { numRuns: 30 },
    );
  },
);
