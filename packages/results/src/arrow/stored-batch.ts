import { FieldNode } from 'apache-arrow/ipc/metadata/message';
import { isQuireError, QuireError } from '@quire/core';
import type { Lender } from '../buffer-pool.ts';
import { BatchHeader } from './batch-header.ts';
import { type BufferCodec, compressionTypes, decompressBuffers } from './buffer-codec.ts';
import { frameBatch } from './encode-message.ts';

const prefixBytes = 8;

/** A record batch message as it is stored. */
export interface StoredBatch {
  readonly header: BatchHeader;
  readonly body: Uint8Array;
  /** The codec of its buffers; undefined if they are plain. */
  readonly codec: BufferCodec | undefined;
}

/**
 * Reads the header of a record batch message. @throws RESULT_CORRUPT when the codec is unknown; a
 * RangeError when the bytes are damaged
 */
export function openBatch(message: Uint8Array): StoredBatch {
  const metadataBytes = new DataView(
    message.buffer,
    message.byteOffset,
    message.byteLength,
  ).getInt32(4, true);
  const header = new BatchHeader(message.subarray(prefixBytes, prefixBytes + metadataBytes));
  return {
    header,
    body: message.subarray(prefixBytes + metadataBytes),
    codec: codecOfType(header.compression),
  };
}

/**
 * Returns the codec of the buffers of a record batch message. @throws RESULT_CORRUPT when it is
 * another message
 */
export function codecOf(message: Uint8Array): BufferCodec | undefined {
  return refusingDamage(() => openBatch(message).codec);
}

/**
 * Decompresses the buffers of a compressed message. `message` must not change until the promise is
 * settled.
 *
 * @throws RESULT_CORRUPT when one is damaged
 */
export async function plainBuffers(
  message: Uint8Array,
): Promise<{ readonly header: BatchHeader; readonly buffers: readonly Uint8Array[] }> {
  try {
    const { header, body, codec } = openBatch(message);
    const stored = Array.from({ length: header.bufferCount }, () => header.takeBuffer(body));
    return {
      header,
      buffers: codec === undefined ? stored : await decompressBuffers(stored, codec),
    };
  } catch (error) {
    throw damageOf(error);
  }
}

/**
 * Converts a message to the bytes that it would have had without compression, in memory of the
 * pool.
 *
 * @throws RESULT_CORRUPT when a buffer is damaged
 */
export async function plainMessage(message: Uint8Array, pool: Lender): Promise<Uint8Array> {
  const { header, buffers } = await plainBuffers(message);
  return refusingDamage(() => {
    const nodes = Array.from({ length: header.nodeCount }, () => {
      header.takeNode();
      return new FieldNode(header.length, header.nullCount);
    });
    return frameBatch(
      header.rowCount,
      { nodes, buffers: buffers.map((buffer) => [buffer]) },
      'none',
      pool,
    ).bytes;
  });
}

/**
 * Runs `read`, and converts any failure to RESULT_CORRUPT.
 *
 * @throws RESULT_CORRUPT when `read` fails for any reason
 */
export function refusingDamage<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw damageOf(error);
  }
}

function damageOf(error: unknown): QuireError {
  if (isQuireError(error)) return error;
  return new QuireError('RESULT_CORRUPT', 'A stored record batch cannot be decoded.', {
    cause: error,
  });
}

function codecOfType(type: number | undefined): BufferCodec | undefined {
  if (type === undefined) return undefined;
  if (type === compressionTypes.zstd) return 'zstd';
  if (type === compressionTypes.lz4) return 'lz4';
  throw new QuireError(
    'RESULT_CORRUPT',
    `A stored record batch has the compression codec ${type}, which Arrow does not define.`,
  );
}
