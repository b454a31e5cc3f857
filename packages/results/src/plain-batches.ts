import type { Schema } from 'apache-arrow';
import type { RowRange } from '@quire/core';
import type { BufferCodec } from './arrow/buffer-codec.ts';
import type { ColumnBatch } from './arrow/column-batch.ts';
import { decodeBatchMessage, decodeCompressed } from './arrow/decode-message.ts';
import { codecOf, plainMessage } from './arrow/stored-batch.ts';
import type { ReadBatch } from './batch-reader.ts';
import type { Lender } from './buffer-pool.ts';

/** A decoded batch and the rows of it that a page needs. */
export interface PageBatch {
  readonly batch: ColumnBatch;
  readonly rows: RowRange;
}

/**
 * Reports whether a reader with these codecs can read a batch message as it is stored. @throws
 * RESULT_CORRUPT when it is another message
 */
export function isReadableBy(codecs: readonly BufferCodec[], message: Uint8Array): boolean {
  const codec = codecOf(message);
  return codec === undefined || codecs.includes(codec);
}

/**
 * Decompresses batches whose codec the reader does not support, in memory of the pool; all others
 * pass unchanged.
 *
 * @throws RESULT_CORRUPT when a batch cannot be decompressed
 */
export async function* plainBatches(
  batches: AsyncIterable<ReadBatch>,
  codecs: readonly BufferCodec[],
  pool: Lender,
): AsyncGenerator<ReadBatch> {
  for await (const read of batches) {
    if (isReadableBy(codecs, read.message)) {
      yield read;
      continue;
    }
    const message = await plainMessage(read.message, pool);
    let isDone = false;
    try {
      yield { planned: read.planned, message };
      isDone = true;
    } finally {
      if (isDone) pool.release(message);
      else pool.abandon(message);
    }
  }
}

/**
 * Decodes batches, compressed or not. @throws RESULT_CORRUPT when one cannot be decoded, or has
 * fewer rows than planned
 */
export async function* decodedBatches(
  schema: Schema,
  batches: AsyncIterable<ReadBatch>,
): AsyncGenerator<PageBatch> {
  for await (const { planned, message } of batches) {
    const { rows } = planned;
    const decode = isReadableBy([], message) ? decodeBatchMessage : decodeCompressed;
    yield { batch: await decode(schema, message, rows.end), rows };
  }
}
