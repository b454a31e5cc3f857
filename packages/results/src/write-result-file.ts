import { crc32 } from '@node-rs/crc32';
import { MetadataVersion, type Schema } from 'apache-arrow';
import { FileBlock, Footer } from 'apache-arrow/ipc/metadata/file';
import { QuireError } from '@quire/core';
import type { ArrowColumn } from './arrow/arrow-input.ts';
import type { Compression } from './arrow/buffer-codec.ts';
import type { ColumnBatch } from './arrow/column-batch.ts';
import { encodeBatchMessage, encodeSchemaMessage, endOfStream } from './arrow/encode-message.ts';
import { encodableSchemaOf } from './arrow/stored-schema.ts';
import { Rebatcher } from './rebatcher.ts';
import type { BatchSpans } from './batch-spans.ts';
import type { BufferPool } from './buffer-pool.ts';
import type { WrittenBatch } from './growing/progress-writer.ts';

export interface ResultFileOptions {
  readonly compression: Compression;
  /** The maximum size of the file; 0 for no limit. */
  readonly sizeBytesMax: number;
  /** The target size of a batch; undefined for the default. */
  readonly batchSizeBytes: number | undefined;
  /** Lends the memory for messages. */
  readonly pool: BufferPool;
  /** Called with the offset of the first batch, before anything is read. */
  onBegin?(firstOffset: number): Promise<void> | undefined;
  /**
   * Called with each batch before it is written; a promise delays the write, and a rejection ends
   * it.
   */
  onBatch?(batch: WrittenBatch): Promise<void> | undefined;
}

export interface ResultFileSummary {
  readonly spans: BatchSpans;
  readonly rowCount: number;
  readonly sizeBytes: number;
}

const magic = new TextEncoder().encode('ARROW1');

/**
 * Encodes batches as an Arrow IPC file: schema message, batches (see `Rebatcher`), end-of-stream
 * marker, footer. Yields it piece by piece and returns the data for the commit record. Source:
 * https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format
 *
 * Holds one batch at a time, and does not use a piece again once the next one is requested.
 * `schema` is a stored schema (`storedSchemaOf`).
 *
 * @throws QUERY_LIMIT_EXCEEDED when the file would exceed `sizeBytesMax`
 */
export async function* encodeResultFile(
  schema: Schema,
  batches: AsyncIterable<ColumnBatch<ArrowColumn>>,
  options: ResultFileOptions,
): AsyncGenerator<Uint8Array, ResultFileSummary> {
  const opening = encodeSchemaMessage(schema).bytes;
  const firstOffset = 8 + opening.byteLength;
  const ends: number[] = [];
  const rowEnds: number[] = [];
  const checksums: number[] = [];
  const blocks: FileBlock[] = [];
  const rebatcher = new Rebatcher(schema, options.batchSizeBytes);
  let offset = firstOffset;

  const head = new Uint8Array(firstOffset);
  head.set(magic);
  head.set(opening, 8);
  await options.onBegin?.(firstOffset);
  yield head;

  for await (const slices of rebatcher.rebatch(batches)) {
    const message = encodeBatchMessage(schema, slices, options.compression, options.pool);
    for (const { batch, end } of slices) if (end === batch.rowCount) batch.release?.();
    const length = message.bytes.byteLength;
    let isDone = false;
    try {
      if (options.sizeBytesMax > 0 && offset + length > options.sizeBytesMax) {
        throw tooLarge(options.sizeBytesMax);
      }
      const checksum = crc32(message.bytes);
      const rowCount = slices.reduce((sum, { start, end }) => sum + end - start, 0);
      const { rowsPerBatch } = rebatcher;
      const end = offset + length;
      rowEnds.push((rowEnds.at(-1) ?? 0) + rowCount);
      const pending = options.onBatch?.({
        index: ends.length,
        message: message.bytes,
        rowCount,
        rowsPerBatch,
        end,
        checksum,
      });
      if (pending !== undefined) await pending;
      blocks.push(new FileBlock(message.metadataBytes, length - message.metadataBytes, offset));
      checksums.push(checksum);
      offset = end;
      ends.push(offset);
      yield message.bytes;
      isDone = true;
    } finally {
      // After a failure the store may still be reading the message.
      if (isDone) options.pool.release(message.bytes);
      else options.pool.abandon(message.bytes);
    }
  }

  const tail = encodeTail(schema, blocks);
  yield tail;
  const { rowsPerBatch } = rebatcher;
  const spans = {
    rowsPerBatch,
    ...(!areEqual(rowEnds, rowsPerBatch) && { rowEnds }),
    firstOffset,
    ends,
    checksums,
  };
  return { spans, rowCount: rebatcher.rowCount, sizeBytes: offset + tail.byteLength };
}

/** Reports whether all batches have that many rows; the last one may have fewer. */
function areEqual(rowEnds: readonly number[], rowsPerBatch: number): boolean {
  const last = rowEnds.length - 1;
  return rowEnds.every((end, index) =>
    index === last ? end <= (index + 1) * rowsPerBatch : end === (index + 1) * rowsPerBatch,
  );
}

function encodeTail(schema: Schema, blocks: FileBlock[]): Uint8Array {
  const footer = Footer.encode(
    new Footer(encodableSchemaOf(schema), MetadataVersion.V5, blocks, []),
  );
  const tail = new Uint8Array(endOfStream.length + footer.byteLength + 4 + magic.length);
  tail.set(endOfStream);
  tail.set(footer, endOfStream.length);
  new DataView(tail.buffer).setInt32(
    endOfStream.length + footer.byteLength,
    footer.byteLength,
    true,
  );
  tail.set(magic, endOfStream.length + footer.byteLength + 4);
  return tail;
}

function tooLarge(sizeBytesMax: number): QuireError {
  return new QuireError(
    'QUERY_LIMIT_EXCEEDED',
    `The result exceeds the limit of ${sizeBytesMax} bytes for one result.`,
  );
}
