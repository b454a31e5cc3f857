import { zstdCompressSync } from 'node:zlib';
import { Schema } from 'apache-arrow';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { QuireError } from '@quire/core';
import { yieldToEventLoop } from '@quire/core/wait';
import { encodeSchemaMessage } from '../arrow/encode-message.ts';
import type { ReadBatch } from '../batch-reader.ts';
import { decodedBatches } from '../plain-batches.ts';
import { parquetColumnsOf, parquetValuesOf } from './parquet-columns.ts';

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
    yield take();
    await yieldToEventLoop(); // encoding a row group is CPU-bound
  }
  await file.finish();
  yield take();
}

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
