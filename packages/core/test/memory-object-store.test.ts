import { readObject } from '@quire/core';
import { collect, ManualClock } from '@quire/core/testing';
import { MemoryObjectStore } from '@quire/core/memory';
import { describe, expect, test } from 'vitest';

const mebibyte = 1024 * 1024;
const full = {
  code: 'STORE_FULL',
  message: expect.stringContaining('k does not fit in memory') as string,
};

async function* chunks(count: number, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index += 1) yield new Uint8Array(chunkBytes).fill(index);
}

describe('the bound of a memory store', () => {
  test('the bound of a memory store is exact, and objects that go make room', async () => {
    const store = new MemoryObjectStore({ sizeMaxBytes: 10 });
    await store.put('a', new Uint8Array(4));
    await store.put('b', new Uint8Array(6));
    await expect(store.put('k', new Uint8Array(1))).rejects.toMatchObject(full);
    await store.put('empty', new Uint8Array(0));
    await store.delete('a');
    await expect(store.put('k', new Uint8Array(5))).rejects.toMatchObject(full);
    await store.put('k', new Uint8Array(4));
    expect(store.usedBytes).toBe(10);
  });

  test('the bound of a memory store counts what is being written, as it comes', async () => {
    const store = new MemoryObjectStore({ sizeMaxBytes: 10 });
    const used: number[] = [];
    async function* watched(): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks(3, 3)) {
        yield chunk;
        used.push(store.usedBytes);
      }
      await expect(store.put('k', new Uint8Array(2))).rejects.toMatchObject(full);
      await store.put('other', new Uint8Array(1));
    }
    await store.put('watched', watched());
    expect(used).toEqual([3, 6, 9]);
    expect(store.usedBytes).toBe(10);
  });

  test('an object and its successor need room for both until the successor stands', async () => {
    const store = new MemoryObjectStore({ sizeMaxBytes: 10 });
    await store.put('k', new Uint8Array(6));
    await expect(store.put('k', new Uint8Array(5))).rejects.toMatchObject(full);
    await store.put('k', new Uint8Array(4));
    expect(store.usedBytes).toBe(4);
  });

  test('the bound of a memory store holds nothing once the store is disposed', async () => {
    const store = new MemoryObjectStore({ sizeMaxBytes: 10 });
    await store.put('k', new Uint8Array(6));
    await store[Symbol.asyncDispose]();
    expect(store.usedBytes).toBe(0);
  });

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'the bound of a memory store: %d is not a bound',
    (sizeMaxBytes) => {
      expect(() => new MemoryObjectStore({ sizeMaxBytes })).toThrow(
        expect.objectContaining({ code: 'INVALID_PARAMETER' }),
      );
    },
  );
});

describe('reading from a memory store', () => {
  test('reading from a memory store copies nothing: two reads give the same memory, one chunk within a block of 4 MiB', async () => {
    const store = new MemoryObjectStore({ sizeMaxBytes: 32 * mebibyte });
    await store.put('k', chunks(9, mebibyte));
    const range = { start: 5 * mebibyte + 8, end: 7 * mebibyte };
    const [first, second] = [
      await readObject(store, 'k', { range }),
      await readObject(store, 'k', { range }),
    ];
    expect(second.buffer).toBe(first.buffer);
    expect(second.byteOffset).toBe(first.byteOffset);
    expect([first[0], first.at(-1)]).toEqual([5, 6]);
  });

  test('bytes keep the alignment that they have in the object, whatever chunks they came in', async () => {
    const store = new MemoryObjectStore({ sizeMaxBytes: 32 * mebibyte });
    await store.put('k', chunks(5000, 1777));
    for (const start of [0, 8, 4 * mebibyte - 16, 4 * mebibyte, 8 * mebibyte + 24, 800]) {
      const [chunk] = await collect(
        (await store.get('k', { range: { start, end: start + 8 } })).body,
      );
      expect((chunk?.byteOffset ?? 1) % 8).toBe(0);
    }
  });

  test('a small object does not hold a whole block', async () => {
    const store = new MemoryObjectStore({ sizeMaxBytes: mebibyte });
    await store.put('k', chunks(3, 1000));
    expect((await readObject(store, 'k')).buffer.byteLength).toBe(3000);
  });
});

describe('listing a memory store', () => {
  test('listing a memory store lets others have a turn now and then', async () => {
    const store = new MemoryObjectStore({ sizeMaxBytes: mebibyte });
    for (let index = 0; index < 2500; index += 1) await store.put(`k/${index}`, new Uint8Array(1));
    let turnCount = 0;
    let isOver = false;
    const others = (async () => {
      while (!isOver) {
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        turnCount += 1;
      }
    })();
    const entries = await collect(store.list(''));
    isOver = true;
    expect(entries).toHaveLength(2500);
    expect(turnCount).toBeGreaterThanOrEqual(2);
    await others;
  });

  test('objects are dated by the clock', async () => {
    const clock = new ManualClock({ nowMs: 1000 });
    const store = new MemoryObjectStore({ sizeMaxBytes: mebibyte, clock });
    async function* slow(): AsyncGenerator<Uint8Array> {
      await clock.advance(500);
      yield new Uint8Array(1);
    }
    const entry = await store.put('k', slow());
    expect(entry).toEqual({ key: 'k', sizeBytes: 1, lastModifiedMs: 1500 });
    expect(await store.head('k')).toEqual(entry);
    expect(store.location).toBe('memory:');
  });
});
