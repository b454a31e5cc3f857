import { promisify } from 'node:util';
import { zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';
import { CompressionType } from 'apache-arrow';
import { isQuireError, QuireError } from '@quire/core';
import { compressFrameSync, decompressFrame, decompressFrameSync } from 'lz4-napi';
import type { ZSTDDecoder } from 'zstddec';

/** The compressions that Arrow has for buffers. */
export type BufferCodec = 'zstd' | 'lz4';

/** How the buffers of a data file are compressed. */
export type Compression = 'none' | BufferCodec;

export const compressionTypes = {
  zstd: CompressionType.ZSTD,
  lz4: CompressionType.LZ4_FRAME,
} as const;

const prefixBytes = 8;
const storedAsIs = -1n;
/** The longest plain buffer: no array of bytes is longer on any platform that Node runs on. */
const plainBytesMax = 2 ** 32;
/**
 * A buffer that compression shortens by less than an eighth is stored as it is: to read it back
 * would take a processor longer than a link of 80 MB/s takes for the bytes that it saves.
 */
const savingMin = 1 / 8;
/**
 * Smaller buffers are decompressed on this thread: to hand one to another takes 50 µs and more.
 * Batches of usual size have none that is larger; where texts are long, their decompression keeps
 * nobody else waiting.
 */
const threadBytesMin = 256 * 1024;

/**
 * Compresses one buffer: its length as int64, then the compressed bytes; -1 and the bytes as they
 * are when that saves too little. Source:
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
 * Decompresses one buffer that `compressBuffer` gave, on this thread. @throws RESULT_CORRUPT when
 * the bytes are not such a buffer
 */
export function decompressBufferSync(buffer: Uint8Array, codec: BufferCodec): Uint8Array {
  const stored = openStored(buffer);
  return stored.plainBytes === undefined ? stored.payload : decompressHere(stored, codec);
}

/**
 * Decompresses the buffers of a batch: large ones on the threads of libuv's pool, all at once, and
 * small ones here meanwhile. The buffers must not change before the promise is settled.
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
  // Also when one fails, the others are awaited: they read from memory that the caller gives back.
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

/** A buffer as it is stored: plain bytes, or compressed ones and how many they were. */
interface StoredBuffer {
  readonly payload: Uint8Array;
  /** Undefined when the payload is plain. */
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
  throw new QuireError('RESULT_CORRUPT', `A compressed buffer says that it holds ${length} bytes.`);
}

function isForThread(buffer: StoredBuffer): buffer is CompressedBuffer {
  return buffer.plainBytes !== undefined && buffer.plainBytes >= threadBytesMin;
}

/**
 * Zstandard as WebAssembly, for small buffers, loaded with the first one. Each call of zlib makes a
 * stream and a context of its own, which takes 20 µs: half the time of a buffer of 16 KiB, and a
 * page of 10,000 rows has a hundred of those. It gives the same bytes.
 */
let smallZstd: ZSTDDecoder | undefined;
let loadingSmallZstd: Promise<void> | undefined;

function loadSmallZstd(): Promise<void> {
  loadingSmallZstd ??= import('zstddec').then(async (zstd) => {
    const decoder = new zstd.ZSTDDecoder();
    await decoder.init();
    smallZstd = decoder;
  });
  // Where WebAssembly is not allowed, zlib does it all.
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
  // Its memory grows with the largest buffer, and never shrinks.
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
 * Memory for all bytes in one piece, and one byte more, so that zlib does not go on to another
 * piece. Then zstd writes into it at once; by default bytes go through a window of its own, and
 * through pieces of 16 KiB that are copied together.
 */
function zstdOptions(plainBytes: number) {
  return { chunkSize: Math.max(64, plainBytes + 1), maxOutputLength: Math.max(1, plainBytes) };
}

function checkLength(plain: Uint8Array, plainBytes: number): Uint8Array {
  if (plain.length !== plainBytes) {
    const message = `A compressed buffer holds ${plain.length} bytes where ${plainBytes} were written.`;
    throw new QuireError('RESULT_CORRUPT', message);
  }
  // Not a `Buffer`, whose slices are not copies. Typed arrays of up to 8 bytes an element are laid
  // over the bytes, so they must start at a multiple of 8.
  const { buffer, byteOffset } = plain;
  return byteOffset % 8 === 0
    ? new Uint8Array(buffer, byteOffset, plainBytes)
    : new Uint8Array(plain);
}

function bufferOver({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
