import { zstdCompressSync } from 'node:zlib';
import { compressionRegistry, CompressionType } from 'apache-arrow';
import fc from 'fast-check';
import { compressFrameSync } from 'lz4-napi';
import { expect, test } from 'vitest';
import { withCodecs } from '../../src/sources/formats/arrow-codecs.ts';
import { decompressLz4Frame } from '../../src/sources/formats/lz4.ts';
import { ByteBudget } from '../../src/sources/source-file.ts';

const zeros = Buffer.alloc(1_000_000);
const compressed = [
  [CompressionType.LZ4_FRAME, compressFrameSync(zeros)],
  [CompressionType.ZSTD, zstdCompressSync(zeros)],
] as const;

function decode(type: CompressionType, bytes: Uint8Array, budget: ByteBudget): Promise<Uint8Array> {
  return withCodecs(budget, async () => {
    // The library decompresses after it has waited for bytes.
    await Promise.resolve();
    return compressionRegistry.get(type)?.decode?.(bytes) ?? new Uint8Array(0);
  });
}

test.each(compressed)('a buffer is taken from the budget, codec %i', async (type, bytes) => {
  const budget = new ByteBudget(1_500_000);
  expect(zeros.equals(await decode(type, bytes, budget))).toBe(true);
  expect(budget.left).toBe(500_000);
  await expect(decode(type, bytes, budget)).rejects.toMatchObject({ code: 'BYTE_LIMIT' });
  expect(budget.left).toBe(0);
});

test.each([
  [CompressionType.LZ4_FRAME, compressFrameSync],
  [CompressionType.ZSTD, zstdCompressSync],
] as const)('a buffer of 300 MB is refused, codec %i', async (type, compress) => {
  const bytes = compress(Buffer.alloc(300_000_000));
  await expect(decode(type, bytes, new ByteBudget(Infinity))).rejects.toMatchObject({
    code: 'BUFFER_TOO_LONG',
    message: 'A buffer of the file has more than 256 MiB, which is the limit.',
  });
});

test('a codec that the program has registered remains', async () => {
  const known = compressionRegistry.get(CompressionType.ZSTD) ?? {};
  try {
    compressionRegistry.set(CompressionType.ZSTD, { decode: () => Uint8Array.of(7) });
    const bytes = await decode(CompressionType.ZSTD, zeros, new ByteBudget(10));
    expect(bytes).toEqual(Uint8Array.of(7));
  } finally {
    compressionRegistry.set(CompressionType.ZSTD, known);
  }
});

test('codecs are registered only while a file is read, by however many readers', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const registered = (): CompressionType[] =>
    compressed
      .map(([type]) => type)
      .filter((type) => 'decode' in (compressionRegistry.get(type) ?? {}));
  const slow = withCodecs(new ByteBudget(10), () => gate);
  await withCodecs(new ByteBudget(10), () => Promise.resolve());
  expect(registered()).toHaveLength(2);
  open();
  await slow;
  expect(registered()).toEqual([]);
});

test('no frame of LZ4 has more bytes than are asked for', () => {
  const options = fc.record({ contentChecksum: fc.boolean(), blockChecksums: fc.boolean() });
  const data = fc.tuple(fc.uint8Array({ maxLength: 200 }), fc.nat(3000), options);
  fc.assert(
    fc.property(data, ([part, count, flags]) => {
      const plain = Buffer.concat(Array.from({ length: count }, () => part));
      const frame = compressFrameSync(plain, flags);
      let taken = -1;
      const take = (sizeBytes: number): void => void (taken = sizeBytes);
      // Bytes after the frame are not a part of it.
      const decoded = decompressLz4Frame(Buffer.concat([frame, frame]), take);
      expect(plain.equals(decoded)).toBe(true);
      expect(taken).toBeGreaterThanOrEqual(plain.length);
    }),
    { numRuns: 50 },
  );
});

test('the size in the header of an LZ4 frame is not trusted', () => {
  const frame = compressFrameSync(Buffer.from('some text'));
  const taken: number[] = [];
  const take = (sizeBytes: number): void => void taken.push(sizeBytes);
  decompressLz4Frame(frame, take);
  const [flags = 0] = frame.subarray(4);
  const sized = Buffer.concat([frame.subarray(0, 6), Buffer.alloc(8, 255), frame.subarray(6)]);
  sized[4] = flags | 8;
  // The checksum of its header is now another one.
  expect(() => decompressLz4Frame(sized, take)).toThrow('HeaderChecksumError');
  expect(taken[1]).toBe(taken[0]);
});

test('a damaged frame of LZ4 is refused before there is memory for it', () => {
  const frame = compressFrameSync(Buffer.from('some text'));
  const refuse = (bytes: Uint8Array): string => {
    try {
      decompressLz4Frame(bytes, () => undefined);
      return 'accepted';
    } catch (error) {
      return String(error);
    }
  };
  for (let length = 0; length < frame.length; length += 1) {
    expect(refuse(frame.subarray(0, length))).toMatch('an LZ4 frame ends in the middle');
  }
  expect(refuse(Buffer.from(frame).fill(2, 0, 1))).toMatch('is not an LZ4 frame');
  // A block of 2 GB.
  expect(refuse(Buffer.from(frame).fill(255, 7, 11))).toMatch('an LZ4 frame ends in the middle');
});
