import type { Schema } from 'apache-arrow';
import type { CallOptions } from '@quire/core';
import type { BufferCodec } from '../arrow/buffer-codec.ts';
import type { ColumnBatch } from '../arrow/column-batch.ts';
import { decodeBatchMessage } from '../arrow/decode-message.ts';
import { encodeBatchMessage } from '../arrow/encode-message.ts';
import type { ReadBatch } from '../batch-reader.ts';
import type { BufferPool } from '../buffer-pool.ts';
import { plainBatches } from '../plain-batches.ts';

/** The options for yielding batches as messages. */
export interface ArrowMessageOptions extends CallOptions {
  /** The codecs that the reader supports: see `EncodeOptions.codecs`. */
  readonly codecs?: readonly BufferCodec[] | undefined;
  /** The maximum size of a message; larger ones are split, down to one row each. */
  readonly messageBytesMax: number;
}

/**
 * Yields batches as messages. Whole batches that fit pass through as they are stored. Those at the
 * edges of the page, and those that are too large, are re-encoded without compression.
 */
export async function* arrowMessages(
  schema: Schema,
  batches: AsyncIterable<ReadBatch>,
  options: ArrowMessageOptions & { readonly pool: BufferPool },
): AsyncGenerator<Uint8Array> {
  const { codecs = [], messageBytesMax, pool } = options;
  for await (const read of readableBatches(batches, { codecs, messageBytesMax, pool })) {
    const { planned, message } = read;
    const { start, end } = planned.rows;
    const fits = message.byteLength <= messageBytesMax;
    if (fits && start === 0 && end === planned.rowCountMax) {
      yield message;
      continue;
    }
    for await (const plain of plainBatches(once(read), [], pool)) {
      const batch = decodeBatchMessage(schema, plain.message, end);
      if (fits && start === 0 && end === batch.rowCount) yield message;
      else yield* partsOf(schema, batch, { start, end }, { messageBytesMax, pool });
    }
  }
}

/** Makes batches readable for the reader, except those that will be split anyway. */
async function* readableBatches(
  batches: AsyncIterable<ReadBatch>,
  {
    codecs,
    messageBytesMax,
    pool,
  }: Required<Pick<ArrowMessageOptions, 'codecs' | 'messageBytesMax'>> & {
    readonly pool: BufferPool;
  },
): AsyncGenerator<ReadBatch> {
  for await (const read of batches) {
    if (read.message.byteLength > messageBytesMax) yield read;
    else yield* plainBatches(once(read), codecs ?? [], pool);
  }
}

async function* once(read: ReadBatch): AsyncGenerator<ReadBatch> {
  yield read;
}

/** Yields the rows of a batch as messages that fit, by repeated halving; a row is not split. */
function* partsOf(
  schema: Schema,
  batch: ColumnBatch,
  { start, end }: { readonly start: number; readonly end: number },
  limits: { readonly messageBytesMax: number; readonly pool: BufferPool },
): Generator<Uint8Array> {
  const { messageBytesMax, pool } = limits;
  const message = encodeBatchMessage(schema, [{ batch, start, end }], 'none', pool).bytes;
  const isLast = message.byteLength <= messageBytesMax || end - start <= 1;
  let isDone = !isLast;
  try {
    if (isLast) {
      yield message;
      isDone = true;
    }
  } finally {
    if (isDone) pool.release(message);
    else pool.abandon(message);
  }
  if (isLast) return;
  const middle = start + Math.ceil((end - start) / 2);
  yield* partsOf(schema, batch, { start, end: middle }, limits);
  yield* partsOf(schema, batch, { start: middle, end }, limits);
}
