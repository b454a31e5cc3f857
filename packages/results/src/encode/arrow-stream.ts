import type { Schema } from 'apache-arrow';
import { decodeBatchMessage } from '../arrow/decode-message.ts';
import { encodeBatchMessage, encodeSchemaMessage, endOfStream } from '../arrow/encode-message.ts';
import type { ReadBatch } from '../batch-reader.ts';
import type { BufferPool } from '../buffer-pool.ts';

/**
 * Encodes a page as an Arrow IPC stream: whole batches pass through as they are stored, only the edges are cut.
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
  for await (const { planned, message } of batches) {
    const { start, end } = planned.rows;
    const batch = start === 0 && end === rowsPerBatch ? undefined : decodeBatchMessage(schema, message, end);
    if (batch === undefined || batch.rowCount === end - start) yield pool === undefined ? new Uint8Array(message) : message;
    else {
      const cut = encodeBatchMessage(schema, [{ batch, start, end }], 'none', pool).bytes;
      let isDone = false;
      try {
        yield cut;
        isDone = true;
      } finally {
        if (isDone) pool?.release(cut);
        else pool?.abandon(cut);
      }
    }
  }
  yield endOfStream;
}
