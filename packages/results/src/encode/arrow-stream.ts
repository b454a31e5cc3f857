import type { Schema } from 'apache-arrow';
import { decodeBatchMessage } from '../arrow/decode-message.ts';
import { encodeBatchMessage, encodeSchemaMessage, endOfStream } from '../arrow/encode-message.ts';
import type { ReadBatch } from '../batch-reader.ts';
import type { BufferPool } from '../buffer-pool.ts';
import type { PlannedBatch } from '../plan-page.ts';

/**
 * Encodes a page as an Arrow IPC stream: whole batches pass through as they are stored, as many at once as lie one behind the other; only
 * the edges are cut.
 *
 * With a pool, a chunk may be looked at until the next one is asked for; without, it is the reader's to keep.
 * Source: https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format
 */
export async function* encodeArrowStream(
  schema: Schema,
  batches: AsyncIterable<ReadBatch>,
  rowsPerBatch: number,
  pool: BufferPool | undefined,
): AsyncGenerator<Uint8Array> {
  yield encodeSchemaMessage(schema).bytes;
  /** Of the last batch that went out. */
  let lastIndex = -1;
  let isEnded = false;
  for await (const read of batches) {
    const { planned, message } = read;
    const { start, end } = planned.rows;
    if (planned.index <= lastIndex) continue;
    lastIndex = planned.index;
    if (isWhole(planned, rowsPerBatch)) {
      const count = read.run?.batches.findLastIndex((batch) => isWhole(batch, rowsPerBatch)) ?? 0;
      const last = read.run?.batches[count] ?? planned;
      lastIndex = last.index;
      const whole = read.run?.bytes.subarray(0, last.bytes.end - planned.bytes.start) ?? message;
      yield pool === undefined ? new Uint8Array(whole) : whole;
      continue;
    }
    const batch = decodeBatchMessage(schema, message, end);
    if (batch.rowCount === end - start) {
      yield pool === undefined ? new Uint8Array(message) : message;
      continue;
    }
    const cut = encodeBatchMessage(schema, [{ batch, start, end }], 'none', pool).bytes;
    const cutAndEnd = end < rowsPerBatch ? withEndOfStream(cut) : undefined;
    isEnded = cutAndEnd !== undefined;
    let isDone = false;
    try {
      yield cutAndEnd ?? cut;
      isDone = true;
    } finally {
      if (isDone) pool?.release(cut);
      else pool?.abandon(cut);
    }
  }
  if (!isEnded) yield endOfStream;
}

/** Whether the page has all rows of a batch; of the last one of a result, which may be shorter, that shows when it is decoded. */
function isWhole({ rows }: PlannedBatch, rowsPerBatch: number): boolean {
  return rows.start === 0 && rows.end === rowsPerBatch;
}

/** The message with the end of the stream behind it, where there is room in its memory: eight bytes cost as much to send as the message. */
function withEndOfStream({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array | undefined {
  if (buffer.byteLength - byteOffset < byteLength + endOfStream.length) return undefined;
  const both = new Uint8Array(buffer, byteOffset, byteLength + endOfStream.length);
  both.set(endOfStream, byteLength);
  return both;
}
