import { promisify } from 'node:util';
import { zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';
import { CompressionType } from 'apache-arrow';
import { isQuireError, QuireError } from '@quire/core';
import { compressFrameSync, decompressFrame, decompressFrameSync } from 'lz4-napi';
import type { ZSTDDecoder } from 'zstddec';

/** The compression codecs that Arrow defines for buffers. */
export type BufferCodec = 'zstd' | 'lz4';

/** The compression of a data file's buffers. */
export type Compression = 'none' | BufferCodec;

export const compressionTypes = {
  zstd: CompressionType.ZSTD,
  lz4: CompressionType.LZ4_FRAME,
} as const;

const prefixBytes = 8;
const storedAsIs = -1n;
/** The maximum length of a plain buffer; no platform of Node has longer byte arrays. */
const plainBytesMax = 2 ** 32;
/**
 * The minimum saving. A buffer that compression shortens by less than an eighth is stored
 * uncompressed: decompressing it would take longer than transferring the saved bytes over a link of
 * 80 MB/s.
 */
const savingMin = 1 / 8;
/**
 * The minimum size for decompression on another thread, which costs at least 50 µs. Batches of
 * usual size have only smaller buffers; those with long texts are decompressed without blocking
 * other work.
 */
const threadBytesMin = 256 * 1024;

/**
 * Compresses one buffer: its length as int64, then the compressed bytes, or -1 and the original
 * bytes if that saves too little. Source:
 * https://arrow.apache.org/docs/format/Columnar.html#compression
 */
export function compressBuffer(buffer: Uint8Array, codec: BufferCodec): Uint8Array {
  if (buffer.length === 0) return buffer;
  const bytes = bufferOver(buffer);
  const compressed = codec === 'zstd' ? zstdCompressSync(bytes) : compressFrameSync(bytes);
  const isWorthIt = compressed.length <= buffer.length * (1 - savingMin);
  const payload = isWorthIt ? compressed : buffer;
  const target = new Uint8Array(prefixBytes + payload.length);
  new DataView(target.buffer).setBigInt64(0, isWorthIt ? BigInt(buffer.length) : storedAsIs, true);
  target.set(payload, prefixBytes);
  return target;
}

/**
 * Decompresses one buffer from `compressBuffer` on this thread. @throws RESULT_CORRUPT when the
 * bytes are not such a buffer
 */
export function decompressBufferSync(buffer: Uint8Array, codec: BufferCodec): Uint8Array {
  const stored = openStored(buffer);
  return stored.plainBytes === undefined ? stored.payload : decompressHere(stored, codec);
}

/**
 * Decompresses the buffers of a batch: large ones concurrently on libuv's thread pool, small ones
 * on this thread. The buffers must not change until the promise is settled.
 *
 * @throws RESULT_CORRUPT when one is damaged
 */
export async function decompressBuffers(
  buffers: readonly Uint8Array[],
  codec: BufferCodec,
): Promise<readonly Uint8Array[]> {
  const stored = buffers.map(openStored);
  if (codec === 'zstd') await loadSmallZstd();
  const onThreads = new Map<number, Promise<Uint8Array>>();
  for (const [index, buffer] of stored.entries()) {
    if (isForThread(buffer)) onThreads.set(index, decompressOnThread(buffer, codec));
  }
  // All are awaited even if one fails: they read memory that the caller will reuse.
  const settled = Promise.allSettled(onThreads.values());
  try {
    const plain = stored.map((buffer) =>
      isForThread(buffer) || buffer.plainBytes === undefined
        ? buffer.payload
        : decompressHere(buffer, codec),
    );
    for (const [index, buffer] of onThreads) plain[index] = await buffer;
    return plain;
  } catch (error) {
    await settled;
    throw error;
  }
}

/** A buffer as it is stored: plain bytes, or compressed bytes with the original length. */
interface StoredBuffer {
  readonly payload: Uint8Array;
  /** The original length; undefined if the payload is plain. */
  readonly plainBytes: number | undefined;
}

type CompressedBuffer = StoredBuffer & { readonly plainBytes: number };

function openStored(buffer: Uint8Array): StoredBuffer {
  if (buffer.length === 0) return { payload: buffer, plainBytes: undefined };
  if (buffer.length < prefixBytes) {
    throw new QuireError(
      'RESULT_CORRUPT',
      `A compressed buffer of ${buffer.length} bytes lacks its length.`,
    );
  }
  const length = new DataView(buffer.buffer, buffer.byteOffset).getBigInt64(0, true);
  const payload = buffer.subarray(prefixBytes);
  if (length === storedAsIs) return { payload, plainBytes: undefined };
  if (length >= 0n && length <= plainBytesMax) return { payload, plainBytes: Number(length) };
  throw new QuireError(
    'RESULT_CORRUPT',
    `A compressed buffer declares a length of ${length} bytes.`,
  );
}

function isForThread(buffer: StoredBuffer): buffer is CompressedBuffer {
  return buffer.plainBytes !== undefined && buffer.plainBytes >= threadBytesMin;
}

/**
 * Zstandard as WebAssembly, for small buffers, loaded on first use. Each call of zlib creates a
 * stream and a context, which takes 20 µs: half the time of a 16 KiB buffer, and a page of 10,000
 * rows has a hundred of those. The output is identical.
 */
let smallZstd: ZSTDDecoder | undefined;
let loadingSmallZstd: Promise<void> | undefined;

function loadSmallZstd(): Promise<void> {
  loadingSmallZstd ??= import('zstddec').then(async (zstd) => {
    const decoder = new zstd.ZSTDDecoder();
    await decoder.init();
    smallZstd = decoder;
  });
  // If WebAssembly is not allowed, zlib decompresses all buffers.
  return loadingSmallZstd.catch(() => undefined);
}

function decompressHere({ payload, plainBytes = 0 }: StoredBuffer, codec: BufferCodec): Uint8Array {
  try {
    const plain =
      codec === 'zstd'
        ? decompressZstdHere(payload, plainBytes)
        : decompressFrameSync(bufferOver(payload));
    return checkLength(plain, plainBytes);
  } catch (cause) {
    throw damageOf(cause);
  }
}

function decompressZstdHere(payload: Uint8Array, plainBytes: number): Uint8Array {
  if (smallZstd === undefined) void loadSmallZstd();
  // Its memory grows with the largest buffer and never shrinks.
  const isSmall = plainBytes < threadBytesMin && payload.length < threadBytesMin;
  return isSmall && smallZstd !== undefined
    ? smallZstd.decode(payload, plainBytes)
    : zstdDecompressSync(payload, zstdOptions(plainBytes));
}

const decompressZstd = promisify<Uint8Array, ReturnType<typeof zstdOptions>, Uint8Array>(
  zstdDecompress,
);

async function decompressOnThread(
  { payload, plainBytes }: CompressedBuffer,
  codec: BufferCodec,
): Promise<Uint8Array> {
  try {
    const plain =
      codec === 'zstd'
        ? decompressZstd(payload, zstdOptions(plainBytes))
        : decompressFrame(bufferOver(payload));
    return checkLength(await plain, plainBytes);
  } catch (cause) {
    throw damageOf(cause);
  }
}

function damageOf(cause: unknown): QuireError {
  return isQuireError(cause)
    ? cause
    : new QuireError('RESULT_CORRUPT', 'A compressed buffer cannot be decompressed.', { cause });
}

/**
 * Returns options with memory for all bytes in one piece, and one byte more, so that zlib allocates
 * no second piece. Zstd then writes into it directly; by default bytes pass through a window and
 * through pieces of 16 KiB that are concatenated.
 */
function zstdOptions(plainBytes: number) {
  return { chunkSize: Math.max(64, plainBytes + 1), maxOutputLength: Math.max(1, plainBytes) };
}

function checkLength(plain: Uint8Array, plainBytes: number): Uint8Array {
  if (plain.length !== plainBytes) {
    const message = `A compressed buffer contains ${plain.length} bytes; expected ${plainBytes}.`;
    throw new QuireError('RESULT_CORRUPT', message);
  }
  // Not a `Buffer`, whose slices are not copies. Typed arrays with elements of up to 8 bytes are
  // created over the bytes, so they must start at a multiple of 8.
  const { buffer, byteOffset } = plain;
  return byteOffset % 8 === 0
    ? new Uint8Array(buffer, byteOffset, plainBytes)
    : new Uint8Array(plain);
}

function bufferOver({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
