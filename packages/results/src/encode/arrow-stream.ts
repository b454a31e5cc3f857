import type { Schema } from 'apache-arrow';
import { decodeBatchMessage } from '../arrow/decode-message.ts';
import { encodeBatchMessage, encodeSchemaMessage, endOfStream } from '../arrow/encode-message.ts';
import type { ReadBatch } from '../read-batches.ts';

/**
 * Encodes a page as an Arrow IPC stream: whole batches pass through as they are stored, only the edges are cut.
 * Source: https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format
 */
export async function* encodeArrowStream(
  schema: Schema,
  batches: AsyncIterable<ReadBatch>,
  rowsPerBatch: number,
): AsyncGenerator<Uint8Array> {
  yield encodeSchemaMessage(schema).bytes;
  for await (const { planned, message } of batches) {
    const { start, end } = planned.rows;
    yield start === 0 && end === rowsPerBatch ? message : cutMessage(schema, message, start, end);
  }
  yield endOfStream;
}

function cutMessage(schema: Schema, message: Uint8Array, start: number, end: number): Uint8Array {
  const batch = decodeBatchMessage(schema, message);
  if (batch.rowCount === end - start) return message;
  return encodeBatchMessage(schema, [{ batch, start, end }], 'none').bytes;
}
