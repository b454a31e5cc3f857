import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { CompressionType, compressionRegistry } from 'apache-arrow';
import { compressFrameSync, decompressFrameSync } from 'lz4-napi';

/** Teaches apache-arrow's own reader, the independent one here, to read compressed batches: it brings no codecs. */
export function registerArrowCodecs(): void {
  compressionRegistry.set(CompressionType.ZSTD, {
    encode: (data) => zstdCompressSync(data),
    decode: (data) => zstdDecompressSync(data),
  });
  compressionRegistry.set(CompressionType.LZ4_FRAME, {
    encode: (data) => compressFrameSync(Buffer.from(data)),
    decode: (data) => decompressFrameSync(Buffer.from(data)),
  });
}
