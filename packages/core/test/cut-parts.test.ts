import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutParts } from '../src/bucket/cut-parts.ts';

async function* chunksIn(
  memory: Uint8Array,
  chunks: readonly Uint8Array[],
): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    memory.set(chunk);
    yield memory.subarray(0, chunk.byteLength);
    memory.fill(0xee);
  }
}

test('parts are full but the last, hold the bytes in their order, and nothing of the memory that the chunks came in', async () => {
  const chunk = fc.uint8Array({ maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(chunk),
      fc.integer({ min: 1, max: 30 }),
      async (chunks, partBytes) => {
        const parts = await Array.fromAsync(
          cutParts(chunksIn(new Uint8Array(40), chunks), partBytes),
        );
        expect(Buffer.concat(parts.map(({ bytes }) => bytes))).toEqual(Buffer.concat(chunks));
        const isFull = parts.map(({ bytes, isLast }) => isLast || bytes.byteLength === partBytes);
        expect(isFull).toEqual(parts.map(() => true));
        expect(parts.map(({ isLast }) => isLast)).toEqual(
          parts.map((_, index) => index === parts.length - 1),
        );
        expect(parts.length).toBe(
          Math.max(1, Math.ceil(Buffer.concat(chunks).byteLength / partBytes)),
        );
      },
    ),
  );
});
