import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { CompressionType } from 'apache-arrow';
import { QuireError } from '@quire/core';
import { compressFrameSync, decompressFrameSync } from 'lz4-napi';

/** How the buffers of a data file are compressed. */
export type Compression = 'none' | 'zstd' | 'lz4';

export const compressionTypes = { zstd: CompressionType.ZSTD, lz4: CompressionType.LZ4_FRAME } as const;

const prefixBytes = 8;
const storedAsIs = -1n;

/**
 * Compresses one buffer: its length as int64, then the compressed bytes; -1 and the bytes as they are when that is shorter.
 * Source: https://arrow.apache.org/docs/format/Columnar.html#compression
 */
export function compressBuffer(buffer: Uint8Array, compression: 'zstd' | 'lz4'): Uint8Array {
  if (buffer.length === 0) return buffer;
  const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  const compressed = compression === 'zstd' ? zstdCompressSync(bytes) : compressFrameSync(bytes);
  const isShorter = compressed.length < buffer.length;
  const payload = isShorter ? compressed : buffer;
  const target = new Uint8Array(prefixBytes + payload.length);
  new DataView(target.buffer).setBigInt64(0, isShorter ? BigInt(buffer.length) : storedAsIs, true);
  target.set(payload, prefixBytes);
  return target;
}

/**
 * Undoes `compressBuffer`.
 *
 * @throws RESULT_CORRUPT when the bytes are not such a buffer
 */
export function decompressBuffer(buffer: Uint8Array, type: CompressionType): Uint8Array {
  if (buffer.length === 0) return buffer;
  if (buffer.length < prefixBytes) {
    throw new QuireError('RESULT_CORRUPT', `A compressed buffer of ${buffer.length} bytes lacks its length.`);
  }
  const length = new DataView(buffer.buffer, buffer.byteOffset).getBigInt64(0, true);
  const payload = buffer.subarray(prefixBytes);
  if (length === storedAsIs) return payload;
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  const plain = type === CompressionType.ZSTD ? zstdDecompressSync(bytes) : decompressFrameSync(bytes);
  if (BigInt(plain.length) !== length) {
    throw new QuireError('RESULT_CORRUPT', `A compressed buffer holds ${plain.length} bytes where ${length} were written.`);
  }
  // Typed arrays of up to 8 bytes an element are laid over the bytes, so they must start at a multiple of 8.
  return plain.byteOffset % 8 === 0 ? plain : new Uint8Array(plain);
}
