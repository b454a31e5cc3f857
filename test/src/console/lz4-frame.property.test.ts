import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decompressLz4 } from '../../../packages/console/app/query/lz4-frame.ts';
import { compressBuffer } from '../../../packages/results/src/arrow/buffer-codec.ts';

/** Bytes that repeat themselves near and far, as columns do. */
const columnBytes = fc
  .tuple(
    fc.uint8Array({ minLength: 1, maxLength: 300 }),
    fc.integer({ min: 1, max: 2000 }),
    fc.nat(7),
  )
  .map(([piece, count, step]) =>
    Uint8Array.from({ length: piece.length * count }, (_none, index) => {
      const byte = piece[index % piece.length] ?? 0;
      return step === 0 ? byte : byte + Math.floor(index / 5000) * step;
    }),
  );

/**
 * The frame as a result's file holds it, without the length before it; undefined where compression
 * does not pay.
 */
function frameOf(bytes: Uint8Array): Uint8Array | undefined {
  const buffer = compressBuffer(bytes, 'lz4');
  return new DataView(buffer.buffer).getBigInt64(0, true) === -1n ? undefined : buffer.subarray(8);
}

test('the console unpacks what results hold compressed by LZ4, of several blocks too', () => {
  fc.assert(
    fc.property(columnBytes, (bytes) => {
      const frame = frameOf(bytes);
      if (frame !== undefined) {
        expect(Buffer.from(decompressLz4(frame, bytes.length)).equals(bytes)).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});

test('of a frame that is cut, changed or shorter than it says it gives bytes or a RangeError, never more', () => {
  const frame = frameOf(new Uint8Array(5000).map((_byte, index) => index % 97)) ?? new Uint8Array();
  fc.assert(
    fc.property(fc.nat(frame.length - 1), fc.nat(255), fc.boolean(), (index, byte, isCut) => {
      const broken = isCut
        ? frame.slice(0, index)
        : Uint8Array.from(frame).fill(byte, index, index + 1);
      try {
        expect(decompressLz4(broken, 5000).length).toBe(5000);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
  );
});
