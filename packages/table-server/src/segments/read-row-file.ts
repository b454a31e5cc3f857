import { open } from 'node:fs/promises';
import { zstdDecompressSync } from 'node:zlib';
import type { PipelineRow, SourceRow } from '@quire/tables';
import { type AsyncBuffer, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import type { RowFile } from './manifest.ts';
import type { TableShape } from './table-columns.ts';

// A U+FEFF at the start of a text belongs to it.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Reads the rows of a file that `RowFileWriter` wrote, one group at a time, as the pipeline
 * produced them. Columns that were added later have their default value for missing values.
 */
export async function* readRowFile(
  path: string,
  { columnNames }: Pick<RowFile, 'columnNames'>,
  { columns }: TableShape,
): AsyncGenerator<readonly Pick<PipelineRow, 'fields' | 'nullFields'>[]> {
  const held = new Set(columnNames);
  const missing = columns.filter(({ name, isNullable }) => !held.has(name) && !isNullable);
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const file: AsyncBuffer = {
      byteLength: size,
      slice: async (start, end = size) => {
        const bytes = new Uint8Array(end - start);
        await handle.read(bytes, 0, bytes.byteLength, start);
        return bytes.buffer;
      },
    };
    const metadata = await parquetMetadataAsync(file);
    let rowStart = 0;
    for (const { num_rows: count } of metadata.row_groups) {
      const rowEnd = rowStart + Number(count);
      const rows = await parquetReadObjects({
        file,
        metadata,
        rowStart,
        rowEnd,
        compressors,
        parsers,
        utf8: false,
        geoparquet: false,
      });
      yield rows.map((row) => {
        for (const { name, isList, spec } of missing) {
          row[name] = isList ? [spec.defaultNullValue] : spec.defaultNullValue;
        }
        return { fields: row as SourceRow, nullFields: [] };
      });
      rowStart = rowEnd;
    }
  } finally {
    await handle.close();
  }
}

const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };

/** Functions that return values as they were passed to the writer. */
const parsers = {
  timestampFromMilliseconds: (milliseconds: bigint): bigint => milliseconds,
  stringFromBytes: (bytes: Uint8Array): string => utf8.decode(bytes),
  jsonFromBytes: (bytes: Uint8Array): string => utf8.decode(bytes),
};
