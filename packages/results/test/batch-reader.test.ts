import { crc32 } from 'node:zlib';
import {
  type ByteRange,
  type GetOptions,
  type ObjectBody,
  QuireError,
  SingleUseBody,
  withObserver,
} from '@quire/core';
import { MemoryObjectStore } from '@quire/core/memory';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { BatchCache } from '../src/batch-cache.ts';
import { BatchReader } from '../src/batch-reader.ts';
import { BufferPool } from '../src/buffer-pool.ts';
import type { PagePlan } from '../src/plan-page.ts';

/**
 * Creates consecutive messages as in a data file, each with its own pattern and a length that is a
 * multiple of 8.
 */
function fileOf(lengths: readonly number[]): {
  readonly bytes: Uint8Array;
  plan(first: number, end: number): PagePlan;
} {
  const messages = lengths.map((length, index) => new Uint8Array(length * 8).fill(index + 1));
  const bytes = Buffer.concat([new Uint8Array(8), ...messages]);
  let start = 8;
  const batches = messages.map((message, index) => {
    const range = { start, end: (start += message.byteLength) };
    const rows = { start: 0, end: 1 };
    return { index, bytes: range, checksum: crc32(message), rows, rowCountMax: 1 };
  });
  return {
    bytes,
    plan: (first, end) => {
      const chosen = batches.slice(first, end);
      return {
        rows: { start: 0, end: 0 },
        bytes: { start: chosen[0]?.bytes.start ?? 8, end: chosen.at(-1)?.bytes.end ?? 8 },
        batches: chosen,
      };
    },
  };
}

/**
 * Reads as a file store does, into lent memory, or returns chunks of its own; each chunk waits
 * until the test releases it.
 */
class ChunkStore extends MemoryObjectStore {
  readonly ranges: ByteRange[] = [];
  readonly bytes: Uint8Array;
  readonly chunkBytesMax: number;
  readonly takesMemory: boolean;
  gate: Promise<void> = Promise.resolve();
  failure: QuireError | undefined;
  /** The position of the first chunk that fails with `failure`. */
  failsFrom = 0;

  constructor(bytes: Uint8Array, chunkBytesMax: number, takesMemory: boolean) {
    super({ sizeMaxBytes: 1 });
    this.bytes = bytes;
    this.chunkBytesMax = chunkBytesMax;
    this.takesMemory = takesMemory;
  }

  override async get(key: string, { range, memory, signal }: GetOptions = {}): Promise<ObjectBody> {
    const { start, end } = range ?? { start: 0, end: this.bytes.byteLength };
    this.ranges.push({ start, end });
    const chunks = async function* (this: ChunkStore): AsyncGenerator<Uint8Array> {
      for (let position = start; position < end;) {
        await this.gate;
        signal?.throwIfAborted();
        const lengthMax = Math.min(this.chunkBytesMax, end - position);
        const lent = this.takesMemory ? memory?.lend(lengthMax) : undefined;
        if (this.failure !== undefined && position >= this.failsFrom) throw this.failure;
        const chunk = lent ?? new Uint8Array(lengthMax);
        chunk.set(this.bytes.subarray(position, position + chunk.byteLength));
        position += chunk.byteLength;
        yield chunk;
      }
    };
    return new SingleUseBody({
      key,
      sizeBytes: this.bytes.byteLength,
      chunks: () => chunks.call(this),
      release: () => undefined,
    });
  }
}

let pool: BufferPool;
let cache: BatchCache;

beforeEach(() => {
  pool = new BufferPool();
  cache = new BatchCache(0);
});

function readerOf(store: ChunkStore): BatchReader {
  return new BatchReader({ store, cache, pool });
}

/** Copies each message, which becomes invalid when the next one is requested. */
async function readAll(
  reader: BatchReader,
  plan: PagePlan,
  signal?: AbortSignal,
): Promise<number[][]> {
  const messages: number[][] = [];
  for await (const { message, planned } of reader.read('k', plan, { signal })) {
    expect(message.byteOffset % 8).toBe(0);
    messages.push([planned.index, message.byteLength, ...new Set(message)]);
  }
  return messages;
}

const expected = (lengths: readonly number[], first: number, end: number): number[][] =>
  lengths.map((length, index) => [index, length * 8, index + 1]).slice(first, end);

test('batches come whole and in order, however the store cuts its chunks and whosever memory they lie in', async () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      lengths,
      fc.nat(7),
      fc.nat(8),
      fc.integer({ min: 1, max: 400 }),
      fc.boolean(),
      fc.constantFrom(0, 10_000),
      async (all, first, count, chunkBytes, takesMemory, cacheBytes) => {
        cache = new BatchCache(cacheBytes);
        const file = fileOf(all);
        const store = new ChunkStore(file.bytes, chunkBytes, takesMemory);
        const reader = readerOf(store);
        for (let round = 0; round < 3; round += 1) {
          expect(await readAll(reader, file.plan(first, first + count))).toEqual(
            expected(all, first, first + count),
          );
        }
        expect(pool.leasedBytes).toBe(0);
        expect(store.ranges.length).toBeLessThanOrEqual(3);
      },
    ),
  );
});

test('only what the cache lacks is read, in one go', async () => {
  cache = new BatchCache(100_000);
  const lengths = [1, 2, 3, 4, 5, 6];
  const file = fileOf(lengths);
  const store = new ChunkStore(file.bytes, 1000, true);
  for (const index of [0, 2, 5]) {
    cache.set('k', index, new Uint8Array((lengths[index] ?? 0) * 8).fill(index + 1));
  }

  expect(await readAll(readerOf(store), file.plan(0, 6))).toEqual(expected(lengths, 0, 6));

  expect(store.ranges).toEqual([
    { start: file.plan(1, 2).bytes.start, end: file.plan(4, 5).bytes.end },
  ]);
});

test.each([true, false])(
  'a stream that is read completely ends its call to the store, and one that is left abandons it (lent memory: %s)',
  async (takesMemory) => {
    const file = fileOf([10, 20]);
    const ended: string[] = [];
    const store = withObserver(new ChunkStore(file.bytes, 64, takesMemory), ({ bytes, outcome }) =>
      ended.push(`${outcome} ${bytes}`),
    );
    const reader = new BatchReader({ store, cache, pool });

    expect(await readAll(reader, file.plan(0, 2))).toEqual(expected([10, 20], 0, 2));
    expect(pool.leasedBytes).toBe(0);
    const messages = reader.read('k', file.plan(0, 2));
    await messages.next();
    await messages.return(undefined);

    expect(ended).toEqual(['ok 240', 'abandoned 128']);
  },
);

describe('readers of the same page at the same time', () => {
  const lengths = [10, 20];
  const file = fileOf(lengths);
  let store: ChunkStore;
  let open: () => void;

  beforeEach(() => {
    cache = new BatchCache(100_000);
    store = new ChunkStore(file.bytes, 1000, true);
    const gate = Promise.withResolvers<void>();
    store.gate = gate.promise;
    open = gate.resolve;
  });

  test('readers of the same page at the same time share one read', async () => {
    const reader = readerOf(store);
    const reads = [1, 2, 3].map(() => readAll(reader, file.plan(0, 2)));
    open();
    expect(await Promise.all(reads)).toEqual([1, 2, 3].map(() => expected(lengths, 0, 2)));
    expect(store.ranges.length).toBe(1);
    expect(pool.leasedBytes).toBe(0);
  });

  test('readers of the same page at the same time get theirs when another one gives up', async () => {
    const reader = readerOf(store);
    const leaving = new AbortController();
    const left = readAll(reader, file.plan(0, 2), leaving.signal);
    const staying = readAll(reader, file.plan(0, 2));
    leaving.abort(new QuireError('ABORTED', 'gone'));
    await expect(left).rejects.toThrow('gone');
    open();
    expect(await staying).toEqual(expected(lengths, 0, 2));
    expect(store.ranges.length).toBe(1);
  });

  test('all readers of the same page are told of a failure, after which it is tried again', async () => {
    const reader = readerOf(store);
    store.failure = new QuireError('STORE_UNAVAILABLE', 'down');
    const reads = [1, 2].map(() => readAll(reader, file.plan(0, 2)));
    open();
    for (const read of reads) await expect(read).rejects.toThrow('down');
    store.failure = undefined;
    expect(await readAll(reader, file.plan(0, 2))).toEqual(expected(lengths, 0, 2));
    expect(store.ranges.length).toBe(2);
  });

  test('a read of a page that nobody waits for any more is aborted', async () => {
    const reader = readerOf(store);
    const leaving = new AbortController();
    const left = readAll(reader, file.plan(0, 2), leaving.signal);
    leaving.abort(new QuireError('ABORTED', 'gone'));
    await expect(left).rejects.toThrow('gone');
    open();
    expect(await readAll(reader, file.plan(0, 2))).toEqual(expected(lengths, 0, 2));
    expect(store.ranges.length).toBe(2);
  });
});

describe('memory of a page that several share', () => {
  const file = fileOf([10, 20]);

  test('memory of a page that several share comes back where its reading ends although nobody waits for it any more', async () => {
    cache = new BatchCache(100_000);
    const store = new ChunkStore(file.bytes, 1000, true);
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const reader = readerOf(store);
    // A store that checks the signal before its last bytes, and not afterwards.
    const get = store.get.bind(store);
    store.get = async (key, options) => {
      const body = await get(key, { ...options, signal: undefined });
      return Object.assign(body, { [Symbol.asyncDispose]: () => gate });
    };
    const leaving = new AbortController();
    const left = readAll(reader, file.plan(0, 2), leaving.signal);
    await new Promise((resolve) => setImmediate(resolve));
    leaving.abort(new QuireError('ABORTED', 'gone'));
    await expect(left).rejects.toThrow('gone');
    open();
    await new Promise((resolve) => setImmediate(resolve));
    expect(pool.leasedBytes).toBe(0);
  });

  test('memory of a page that several share is lent to nobody else while somebody who left in the middle may look at it', async () => {
    cache = new BatchCache(100_000);
    const reader = readerOf(new ChunkStore(file.bytes, 1000, true));
    const messages = reader.read('k', file.plan(0, 2));
    const { value } = await messages.next();
    await messages.return(undefined);
    await readAll(reader, file.plan(1, 2));
    pool.lease(240).fill(99);
    expect([...new Set((value as { message: Uint8Array }).message)]).toEqual([1]);
    expect(pool.leasedBytes).toBe(65_536);
  });
});

test.each([0, 1_000_000])(
  'a batch that does not match its checksum is never handed out (cache of %i bytes)',
  async (cacheBytes) => {
    cache = new BatchCache(cacheBytes);
    const file = fileOf([3, 3]);
    file.bytes[8 + 24 + 5] = 99;
    const reader = readerOf(new ChunkStore(file.bytes, 1000, true));
    const seen: number[] = [];
    await expect(
      (async () => {
        for await (const { planned } of reader.read('k', file.plan(0, 2))) seen.push(planned.index);
      })(),
    ).rejects.toMatchObject({
      code: 'RESULT_CORRUPT',
      message: 'Batch 1 of k does not match its checksum.',
    });
    expect(seen).not.toContain(1);
  },
);

test('memory that a store may still read into after it failed is not lent to anybody else', async () => {
  const file = fileOf([100]);
  const store = new ChunkStore(file.bytes, 8, true);
  const lent: ArrayBufferLike[] = [];
  const lease = pool.lease.bind(pool);
  pool.lease = (sizeBytes) => {
    const bytes = lease(sizeBytes);
    lent.push(bytes.buffer);
    return bytes;
  };
  const givenUp: ArrayBufferLike[] = [];
  const abandon = pool.abandon.bind(pool);
  pool.abandon = (bytes) => {
    givenUp.push(bytes.buffer);
    abandon(bytes);
  };
  store.failure = new QuireError('STORE_TIMED_OUT', 'stuck');
  store.failsFrom = 50;
  const reader = readerOf(store);
  await expect(readAll(reader, file.plan(0, 1))).rejects.toThrow('stuck');
  store.failure = undefined;
  // The message, and the chunk that the store was asked for last.
  expect(givenUp).toHaveLength(2);
  expect(givenUp).toContain(lent.splice(0).at(-1));
  await readAll(reader, file.plan(0, 1));
  expect(lent.filter((buffer) => givenUp.includes(buffer))).toEqual([]);
  expect(pool.leasedBytes).toBe(0);
});

test('pages are read at once while little is lent for such pages, whatever streams with slow readers hold', () => {
  const file = fileOf([262_144]);
  const readCached = (_key: string, { start, end }: ByteRange, target: Uint8Array): boolean => {
    target.set(file.bytes.subarray(start, end));
    return true;
  };
  const store = Object.assign(new MemoryObjectStore({ sizeMaxBytes: 1 }), { readCached });
  const reader = new BatchReader({ store, cache: new BatchCache(0), pool });
  pool.lease(64 * 1024 * 1024);
  const pages = Array.from({ length: 9 }, () => reader.readCached('k', file.plan(0, 1)));
  // Two megabytes each; the limit is sixteen.
  expect(pages.map((page) => page?.batches.length)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, undefined]);
  pages[0]?.release();
  expect(reader.readCached('k', file.plan(0, 1))?.batches).toHaveLength(1);
});
