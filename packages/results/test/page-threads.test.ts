import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type ByteRange, MiB, type QuireError, readObject } from '@quire/core';
import { MemoryObjectStore } from '@quire/core/memory';
import { collect, ManualClock } from '@quire/core/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { countingRows } from '../../../test/src/testkit/builders/counting-rows.ts';
import { until } from '../../../test/src/testkit/until.ts';
import {
  type EncodeOptions,
  type PageFormatName,
  PageThreads,
  type Result,
  ResultStore,
  type ResultStoreOptions,
} from '../src/index.ts';
import { poolOf } from '../src/threads/page-threads.ts';

/** Stored, 4 MB: 16 batches of 256 KiB. */
const rowCount = 1 << 20;
const gated = new URL('./gated-page-worker.ts', import.meta.url);
const decompressed = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };

let clock: ManualClock;
let threads: PageThreads;
let store: MemoryObjectStore;
let deaths: QuireError[];

beforeEach(() => {
  clock = new ManualClock();
  store = new MemoryObjectStore({ sizeMaxBytes: 1e8 });
  deaths = [];
});

afterEach(async () => {
  await threads[Symbol.asyncDispose]();
});

async function createResult(
  countMax: number,
  options: Partial<ResultStoreOptions> = {},
): Promise<Result> {
  threads = new PageThreads({
    countMax,
    idleMs: 60_000,
    clock,
    script: gated,
    onDied: (error) => deaths.push(error),
  });
  const results = new ResultStore({
    store,
    brokerId: 'b',
    expirationMs: 1e9,
    expirationMaxMs: 1e9,
    pageThreads: threads,
    clock,
    ...options,
  });
  return results.create(countingRows(rowCount), { owner: 'o' });
}

/** Opens the same result without threads. */
async function plainOf({ entry }: Result): Promise<Result> {
  const results = new ResultStore({
    store,
    brokerId: 'b',
    expirationMs: 1e9,
    expirationMaxMs: 1e9,
    clock,
  });
  return results.open(entry.requestId);
}

/** Waits for a thread that accepts work. */
async function started(): Promise<void> {
  await until(() => poolOf(threads).hasCapacity(), 'a thread has started');
}

async function bytesOf(
  result: Result,
  offset: number,
  count: number,
  format: PageFormatName,
  options: EncodeOptions = {},
): Promise<Buffer> {
  return Buffer.concat(
    await collect(result.page({ offset, rowCount: count }).encode(format, options)),
  );
}

/**
 * Memory at whose first word a thread waits: 0 waits, 1 continues, 2 ends the thread, 3 damages the
 * batches of its part.
 */
class Gate {
  readonly #bytes = new Uint8Array(new SharedArrayBuffer(8));
  readonly around = { before: this.#bytes, after: Buffer.from('') };

  open(word: 1 | 2 | 3): void {
    const words = new Int32Array(this.#bytes.buffer, 0, 1);
    Atomics.store(words, 0, word);
    Atomics.notify(words, 0);
  }
}

describe('pages in threads', () => {
  test('pages in threads have the bytes of those of the main thread, in every format and compression, wherever they are', async () => {
    const result = await createResult(2);
    const plain = await plainOf(result);
    await started();
    const before = threads.status.partCount;
    const cases = fc.record({
      offset: fc.nat(rowCount - 1),
      // Some parts: longer pages have more of them, and no other kind.
      count: fc.integer({ min: 40_000, max: rowCount / 4 }),
      format: fc.constantFrom<PageFormatName>('json', 'csv', 'ndjson', 'arrow', 'parquet'),
      contentEncoding: fc.constantFrom(undefined, 'zstd', 'br', 'gzip'),
      isDoneWithChunks: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ offset, count, format, contentEncoding, ...options }) => {
        const around = { before: Buffer.from('{"rows":'), after: Buffer.from('}') };
        const page = result.page({ offset, rowCount: count });
        let plainBytes = 0;
        const chunks: Buffer[] = [];
        const encoded = page.encode(format, {
          around,
          contentEncoding,
          onEncoded: (sizeBytes) => (plainBytes += sizeBytes),
          ...options,
        });
        for await (const chunk of encoded) chunks.push(Buffer.from(chunk));
        const body = Buffer.concat(chunks);
        const bytes = contentEncoding === undefined ? body : decompressed[contentEncoding](body);
        const expected = await bytesOf(plain, offset, count, format, { around });
        expect([bytes.equals(expected), plainBytes]).toEqual([true, expected.length]);
      }),
      { numRuns: 40 },
    );
    expect(threads.status.partCount).toBeGreaterThan(before + 20);
    expect(threads.status.leasedBytes).toBe(0);
  });

  test('pages in threads may be of results that are stored compressed', async () => {
    for (const compression of ['zstd', 'lz4'] as const) {
      const result = await createResult(1, { compression });
      const plain = await plainOf(result);
      await started();
      for (const format of ['json', 'arrow'] as const) {
        const bytes = await bytesOf(result, 1000, 900_000, format);
        expect(bytes.equals(await bytesOf(plain, 1000, 900_000, format))).toBe(true);
      }
      expect(threads.status.partCount).toBeGreaterThan(0);
      if (compression === 'zstd') await threads[Symbol.asyncDispose]();
    }
  });

  test('a small page, and every page without threads, is encoded in the main thread', async () => {
    const small = await createResult(1);
    await started();
    await bytesOf(small, 0, 10_000, 'json');
    expect(threads.status.partCount).toBe(0);
    await threads[Symbol.asyncDispose]();
    const result = await createResult(0);
    await bytesOf(result, 0, 500_000, 'json');
    expect(threads.status).toMatchObject({ count: 0, partCount: 0, refusedCount: 0 });
  });

  test('a page is encoded in the main thread while its thread starts, and while all are busy', async () => {
    const result = await createResult(1);
    const plain = await plainOf(result);
    const expected = await bytesOf(plain, 0, 100_000, 'json');
    expect(await bytesOf(result, 0, 100_000, 'json')).toEqual(expected);
    expect(threads.status).toMatchObject({ count: 1, partCount: 0, refusedCount: 1 });
    await started();
    const refused = threads.status.refusedCount;
    const gates = [new Gate(), new Gate()];
    // One part is running, and another one is waiting.
    const held = gates.map(({ around }) => bytesOf(result, 0, 100_000, 'json', { around }));
    await until(() => threads.status.partCount === 2, 'the thread is busy');
    expect(await bytesOf(result, 0, 100_000, 'json')).toEqual(expected);
    expect(threads.status).toMatchObject({ partCount: 2, refusedCount: refused + 1 });
    for (const gate of gates) gate.open(1);
    for (const bytes of await Promise.all(held)) expect(bytes.subarray(8)).toEqual(expected);
    expect(threads.status).toMatchObject({ busyCount: 0, leasedBytes: 0 });
  });

  test('a page of several parts is encoded by the main thread where no thread is free, and its parts stay in order', async () => {
    const result = await createResult(1);
    const plain = await plainOf(result);
    await started();
    const gate = new Gate();
    const held = bytesOf(result, 0, rowCount, 'csv');
    const other = bytesOf(result, 0, 100_000, 'json', { around: gate.around });
    gate.open(1);
    expect((await held).equals(await bytesOf(plain, 0, rowCount, 'csv'))).toBe(true);
    await other;
    expect(threads.status.leasedBytes).toBe(0);
  });

  test('a thread that dies fails the page that it encodes; the one behind it is encoded by the main thread', async () => {
    const result = await createResult(1);
    const plain = await plainOf(result);
    await started();
    const [dies, waits] = [new Gate(), new Gate()];
    const dead = bytesOf(result, 0, 100_000, 'json', { around: dies.around });
    // The page has several parts; the first one waits in the thread.
    const behind = bytesOf(result, 5, 600_000, 'json', { around: waits.around });
    await until(() => threads.status.partCount === 2, 'both pages are in the thread');
    waits.open(1);
    dies.open(2);
    await expect(dead).rejects.toMatchObject({ code: 'INTERNAL' });
    const expected = await bytesOf(plain, 5, 600_000, 'json');
    expect((await behind).subarray(8).equals(expected)).toBe(true);
    expect(deaths.map(({ code }) => code)).toEqual(['INTERNAL']);
    expect(threads.status).toMatchObject({ count: 1, diedCount: 1, leasedBytes: 0 });
  });

  test('a thread that does not finish a part within 30 seconds is ended with its page; the one behind it is encoded by the main thread', async () => {
    const result = await createResult(1);
    const plain = await plainOf(result);
    await started();
    await clock.advance(20_000);
    const [stalls, waits] = [new Gate(), new Gate()];
    const stalled = bytesOf(result, 0, 100_000, 'json', { around: stalls.around }).catch(
      (error: unknown) => error,
    );
    const behind = bytesOf(result, 5, 100_000, 'json', { around: waits.around });
    await until(() => threads.status.partCount === 2, 'both pages are in the thread');
    waits.open(1);
    await clock.advance(30_999);
    expect(threads.status).toMatchObject({ busyCount: 1, diedCount: 0 });
    await clock.advance(1);
    expect(await stalled).toMatchObject({
      code: 'INTERNAL',
      message:
        'The thread that encoded this page did not finish a part of it in 30 s and was terminated.',
    });
    expect((await behind).subarray(8)).toEqual(await bytesOf(plain, 5, 100_000, 'json'));
    expect(deaths.map(({ code }) => code)).toEqual(['INTERNAL']);
    expect(threads.status).toMatchObject({ count: 1, diedCount: 1, leasedBytes: 0 });
  });

  test('a thread that finishes its parts in time is not ended, however long it is busy', async () => {
    const result = await createResult(1);
    await started();
    let gate = new Gate();
    let held = bytesOf(result, 0, 100_000, 'json', { around: gate.around });
    for (let part = 1; part <= 4; part += 1) {
      await until(() => threads.status.partCount === part, 'the thread has the part');
      await clock.advance(20_000);
      const [before, encoded] = [gate, held];
      gate = new Gate();
      held = bytesOf(result, 0, 100_000, 'json', { around: gate.around });
      await until(() => threads.status.partCount === part + 1, 'the next part waits behind it');
      before.open(1);
      await encoded;
    }
    gate.open(1);
    await held;
    expect(threads.status).toMatchObject({ count: 1, diedCount: 0 });
  });

  test('a thread that does not start within 30 seconds is ended', async () => {
    await createResult(1);
    await threads[Symbol.asyncDispose]();
    threads = new PageThreads({
      countMax: 1,
      clock,
      script: new URL(
        'data:text/javascript,Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
      ),
      onDied: (error) => deaths.push(error),
    });
    expect(poolOf(threads).hasCapacity()).toBe(false);
    await clock.advance(31_000);
    await until(() => deaths.length === 1, 'the thread has ended');
    expect(threads.status).toMatchObject({ count: 0, diedCount: 1 });
  });

  test('a page whose call is cancelled stops waiting for its thread, and its memory is given up when that has finished', async () => {
    const result = await createResult(1);
    await started();
    const gate = new Gate();
    const controller = new AbortController();
    const { around } = gate;
    const held = bytesOf(result, 0, 100_000, 'json', { around, signal: controller.signal });
    await until(() => threads.status.partCount === 1, 'the thread has the page');
    controller.abort();
    await expect(held).rejects.toMatchObject({ code: 'ABORTED' });
    expect(threads.status.leasedBytes).toBeGreaterThan(MiB / 2);
    gate.open(1);
    await until(() => threads.status.busyCount === 0, 'the thread has finished');
    expect(threads.status.leasedBytes).toBe(0);
  });

  test('a reader that stops in the middle of its page holds no thread', async () => {
    const result = await createResult(1);
    const plain = await plainOf(result);
    await started();
    const slow = result
      .page({ offset: 0, rowCount })
      .encode('json', { isDoneWithChunks: true })
      [Symbol.asyncIterator]();
    const chunks = [Buffer.from((await slow.next()).value as Uint8Array)];
    await until(() => threads.status.busyCount === 0, 'the thread has encoded what it was given');
    const before = threads.status.partCount;
    const other = await bytesOf(result, 0, 100_000, 'json');
    expect(other).toEqual(await bytesOf(plain, 0, 100_000, 'json'));
    expect(threads.status.partCount).toBe(before + 1);
    for (let next = await slow.next(); next.done !== true; next = await slow.next()) {
      chunks.push(Buffer.from(next.value));
    }
    const whole = await bytesOf(plain, 0, rowCount, 'json');
    expect(Buffer.concat(chunks).equals(whole)).toBe(true);
    expect(threads.status.leasedBytes).toBe(0);
  });

  test('readers that leave in the middle of their pages leave no memory behind in the thread', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const result = await createResult(1);
    await started();
    const usedBytes = (): number => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers;
    };
    const before = usedBytes();
    for (let reader = 0; reader < 40; reader += 1) {
      const chunks = result
        .page({ offset: 0, rowCount: 250_000 })
        .encode('json', { isDoneWithChunks: true })
        [Symbol.asyncIterator]();
      await chunks.next();
      await chunks.return?.();
      await until(() => threads.status.busyCount === 0, 'the thread has finished');
    }
    expect(threads.status).toMatchObject({ partCount: 40, leasedBytes: 0 });
    // The pool may keep some buffers.
    expect(usedBytes() - before).toBeLessThan(32 * MiB);
  });

  test('threads use the memory of pages that the main thread has encoded', async () => {
    const result = await createResult(1);
    const { memory } = poolOf(threads);
    const chunks = result
      .page({ offset: 0, rowCount: 100_000 })
      .encode('json', { isDoneWithChunks: true })
      [Symbol.asyncIterator]();
    const first = (await chunks.next()).value as Uint8Array;
    while ((await chunks.next()).done !== true);
    // The thread that this page started is for the next one.
    expect(threads.status).toMatchObject({ partCount: 0, refusedCount: 1 });
    const lease = memory.lease(first.buffer.byteLength);
    expect(lease.buffer).toBe(first.buffer);
    memory.release(lease);
  });

  test('pages use the memory of those before them', async () => {
    const result = await createResult(1);
    await started();
    const read = async (batch: number): Promise<void> => {
      const page = result.page({ offset: batch * 65_536, rowCount: 65_536 });
      for await (const _ of page.encode('json', { isDoneWithChunks: true }));
    };
    // Numbers of equally many digits. Each page has a batch of its own, which no cache has.
    for (const batch of [2, 3, 4, 5]) await read(batch);
    using allocate = vi.spyOn(Buffer, 'allocUnsafeSlow');
    for (const batch of [6, 7, 8, 9, 10, 11, 12, 13]) await read(batch);
    // One more than before may be lent at a time.
    expect(allocate.mock.calls.length).toBeLessThan(3);
    expect(threads.status.partCount).toBe(12);
  });

  test('a page that its store has cached is read into the memory of its parts, without a copy; all of it with one read if a part is not cached', async () => {
    const result = await createResult(1);
    const plain = await plainOf(result);
    await started();
    // Two parts: five batches are 1.25 MiB and their headers.
    const expected = await bytesOf(plain, 0, 5 * 65_536, 'json');
    const data = await readObject(store, result.entry.dataKey);
    let cachedParts = 2;
    const ranges: ByteRange[] = [];
    const lender = vi.spyOn(poolOf(threads).memory, 'lease');
    Object.assign(store, {
      readCached: (_key: string, range: ByteRange, target: Uint8Array): boolean => {
        // Not that of a part: of a read in one piece.
        if (lender.mock.results.at(-1)?.value !== target) return false;
        ranges.push(range);
        if (ranges.length > cachedParts) return false;
        target.set(data.subarray(range.start, range.end));
        return true;
      },
    });
    // A store has its capabilities when it is opened.
    const cached = await new ResultStore({
      store,
      brokerId: 'b',
      expirationMs: 1e9,
      expirationMaxMs: 1e9,
      cacheBytesMax: 0,
      pageThreads: threads,
      clock,
    }).open(result.entry.requestId);
    const get = vi.spyOn(store, 'get');
    for (cachedParts of [2, 1, 0]) {
      ranges.length = 0;
      get.mockClear();
      expect((await bytesOf(cached, 0, 5 * 65_536, 'json')).equals(expected)).toBe(true);
      expect(ranges).toHaveLength(Math.min(2, cachedParts + 1));
      expect(get).toHaveBeenCalledTimes(cachedParts === 2 ? 0 : 1);
      expect(threads.status.leasedBytes).toBe(0);
    }
  });

  test('threads end when none was used for a while, and start again', async () => {
    const result = await createResult(1);
    await started();
    await clock.advance(59_000);
    await bytesOf(result, 0, 100_000, 'json');
    await clock.advance(59_000);
    expect(threads.status.count).toBe(1);
    await clock.advance(1000);
    await until(() => threads.status.count === 0, 'the thread has ended');
    expect(threads.status.diedCount).toBe(0);
    await started();
    expect(threads.status.count).toBe(1);
  });

  test('a damaged batch fails its page with the error of the main thread', async () => {
    const result = await createResult(1);
    await started();
    await store.put(result.entry.dataKey, new Uint8Array(result.entry.sizeBytes));
    await expect(bytesOf(result, 500_000, 100_000, 'json')).rejects.toMatchObject({
      code: 'RESULT_CORRUPT',
    });
    expect(threads.status).toMatchObject({ partCount: 0, leasedBytes: 0 });
  });

  test('a part that fails in its thread fails its page only, and its memory is given up', async () => {
    const result = await createResult(1);
    const plain = await plainOf(result);
    await started();
    for (const contentEncoding of [undefined, 'zstd'] as const) {
      const gate = new Gate();
      const { around } = gate;
      const failed = bytesOf(result, 0, 100_000, 'json', { around, contentEncoding });
      gate.open(3);
      await expect(failed).rejects.toMatchObject({ code: 'RESULT_CORRUPT' });
      expect(threads.status).toMatchObject({ busyCount: 0, diedCount: 0, leasedBytes: 0 });
    }
    const bytes = await bytesOf(result, 0, 100_000, 'json');
    expect(bytes.equals(await bytesOf(plain, 0, 100_000, 'json'))).toBe(true);
    expect(threads.status).toMatchObject({ partCount: 3, leasedBytes: 0 });
  });

  test('threads that cannot start leave all pages to the main thread', async () => {
    const result = await createResult(1);
    await threads[Symbol.asyncDispose]();
    threads = new PageThreads({
      countMax: 1,
      clock,
      script: new URL('./no-such-worker.ts', import.meta.url),
      onDied: (error) => deaths.push(error),
    });
    for (let start = 1; start <= 3; start += 1) {
      expect(poolOf(threads).hasCapacity()).toBe(false);
      await until(() => deaths.length === start, 'the thread has ended');
    }
    expect(poolOf(threads).hasCapacity()).toBe(false);
    expect([threads.status.count, result.entry.rowCount]).toEqual([0, rowCount]);
  });
});
