import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openBody } from '../src/body-stream.ts';

async function* chunksOf(sizes: readonly number[], log: string[] = []): AsyncGenerator<Uint8Array> {
  try {
    for (const [index, size] of sizes.entries()) yield new Uint8Array(size).fill(index);
    log.push('end');
  } finally {
    log.push('closed');
  }
}

const joined = (sizes: readonly number[]) =>
  Buffer.concat(sizes.map((size, index) => new Uint8Array(size).fill(index)));
const large = 300_000;

describe('openBody', () => {
  it('openBody gives every byte once and in order, however they come', async () => {
    const sizes = fc.array(
      fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 100_000, max: 200_000 })),
      {
        maxLength: 8,
      },
    );
    await fc.assert(
      fc.asyncProperty(sizes, async (chunkSizes) => {
        const body = await openBody(chunksOf(chunkSizes));
        const bytes =
          body.kind === 'whole' ? body.bytes : Buffer.concat(await Array.fromAsync(body.chunks));
        expect(joined(chunkSizes).equals(bytes)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('openBody gives a small body whole, and a large one as a stream', async () => {
    expect((await openBody(chunksOf([10, 20, 30]))).kind).toBe('whole');
    expect((await openBody(chunksOf([]))).kind).toBe('whole');
    expect((await openBody(chunksOf([large, large]))).kind).toBe('stream');
  });

  it('openBody throws what goes wrong before the response has begun', async () => {
    const failing = (async function* () {
      yield new Uint8Array(10);
      throw new Error('torn');
    })();
    await expect(openBody(failing)).rejects.toThrow('torn');
  });

  it('openBody does not need a chunk once it has asked for the next one', async () => {
    const memory = new Uint8Array(100);
    const reusing = (async function* () {
      for (let index = 1; index <= 3; index += 1) yield memory.fill(index);
    })();
    const body = await openBody(reusing);
    const expected = [1, 2, 3].map((index) => new Uint8Array(100).fill(index));
    expect(body.kind === 'whole' && Buffer.concat(expected).equals(body.bytes)).toBe(true);
  });

  it('openBody throws from the chunks when something goes wrong later', async () => {
    const failing = (async function* () {
      yield new Uint8Array(large);
      throw new Error('torn');
    })();
    const body = await openBody(failing);
    await expect(body.kind === 'stream' && Array.fromAsync(body.chunks)).rejects.toThrow('torn');
  });

  it.each([0, 1, 2, 4])(
    'openBody closes what it reads from when its reader leaves after %i chunks',
    async (count) => {
      const log: string[] = [];
      const body = await openBody(chunksOf([large, large, large, large, large], log));
      const chunks = (body.kind === 'stream' ? body.chunks : Readable.from([]))[
        Symbol.asyncIterator
      ]();
      for (let read = 0; read < count; read += 1) await chunks.next();
      await chunks.return?.();
      expect(log).toEqual(['closed']);
    },
  );
});
