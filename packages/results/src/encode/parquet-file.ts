import { zstdCompressSync } from 'node:zlib';
import { Schema } from 'apache-arrow';
import type { ColumnMetaData, RowGroup } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { QuireError } from '@quire/core';
import { yieldToEventLoop } from '@quire/core/wait';
import { encodeSchemaMessage } from '../arrow/encode-message.ts';
import type { ReadBatch } from '../batch-reader.ts';
import { decodedBatches } from '../plain-batches.ts';
import { parquetColumnsOf, parquetValuesOf } from './parquet-columns.ts';

/** The length in bytes to which the bounds of texts and bytes are shortened. */
const boundBytesMax = 16;

/**
 * Encodes a page as a Parquet file, with a row group for each batch of the page. Memory holds one
 * batch and the footer's metadata of all row groups. Lent chunks are valid until the next one is
 * requested.
 *
 * @throws UNSUPPORTED_COLUMN_TYPE when there are no columns, or one that Parquet cannot hold
 */
export async function* encodeParquet(
  schema: Schema,
  batches: AsyncIterable<ReadBatch>,
  { lendsChunks }: { readonly lendsChunks: boolean },
): AsyncGenerator<Uint8Array> {
  if (schema.fields.length === 0) {
    throw new QuireError(
      'UNSUPPORTED_COLUMN_TYPE',
      'The result has no columns, but a Parquet file needs at least one; read the result in another format.',
    );
  }
  const columns = parquetColumnsOf(schema.fields);
  const output = new ByteWriter();
  const file = new ParquetWriter({
    writer: output,
    schema: [
      { name: 'schema', num_children: columns.length },
      ...columns.flatMap(({ elements }) => elements),
    ],
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    kvMetadata: [{ key: 'ARROW:schema', value: arrowSchemaOf(columns, schema.metadata) }],
    createdBy: 'quire',
    statisticsTruncateLength: boundBytesMax,
  });
  const take = (): Uint8Array => {
    const bytes = output.getBytes();
    output.index = 0;
    return lendsChunks ? bytes : bytes.slice();
  };
  for await (const { batch, rows } of decodedBatches(schema, batches)) {
    if (rows.end === rows.start) continue;
    const columnData = columns.map((column, index) => ({
      name: column.name,
      // Dictionaries treat -0 as 0. Bounds omit NaN, which DuckDB orders after all numbers: before
      // its version 2.0, it skips row groups with matching rows.
      ...(column.hasFloats && { encoding: 'PLAIN' as const, statistics: false }),
      data: parquetValuesOf(column, batch.columns[index] as (typeof batch.columns)[number], rows),
    }));
    await file.write({ columnData, rowGroupSize: rows.end - rows.start });
    copyBounds(file.row_groups.at(-1));
    yield take();
    await yieldToEventLoop(); // encoding a row group is CPU-bound
  }
  await file.finish();
  yield take();
}

/**
 * Replaces the bounds of a row group by copies. The writer encodes them only at the end of the
 * file, but they are parts of the batch, whose memory is reused by then.
 */
function copyBounds(group: RowGroup | undefined): void {
  for (const { meta_data: column } of group?.columns ?? []) {
    for (const name of ['min_value', 'max_value'] as const) {
      const bound = column?.statistics?.[name];
      if (column?.statistics === undefined || !(bound instanceof Uint8Array)) continue;
      column.statistics[name] = new Uint8Array(usedPartOf(bound, column));
    }
  }
}

/**
 * Returns the part of a bound that the writer uses to shorten it. It rounds a maximum up, and keeps
 * it whole if that is impossible: if it starts with the last characters of Unicode, or bytes 0xff.
 */
function usedPartOf(bound: Uint8Array, { type }: ColumnMetaData): Uint8Array {
  const isShortened = type === 'BYTE_ARRAY' && (bound[0] ?? 0) < firstByteOfLastPlane;
  return isShortened ? bound.subarray(0, boundBytesMax + 1) : bound;
}

/** The first byte of the characters from U+100000 on in UTF-8. */
const firstByteOfLastPlane = 0xf4;

/**
 * Returns the schema from which readers with Arrow support restore types that Parquet lacks: time
 * zones, durations, large texts
 * (https://arrow.apache.org/docs/cpp/parquet.html#serialization-details).
 */
function arrowSchemaOf(
  columns: ReturnType<typeof parquetColumnsOf>,
  metadata: ReadonlyMap<string, string>,
): string {
  const schema = new Schema(
    columns.map(({ field }) => field),
    new Map(metadata),
  );
  return Buffer.from(encodeSchemaMessage(schema).bytes).toString('base64');
}
