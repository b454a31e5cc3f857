import { MiB } from '@quire/core';
import { DataType, type Schema } from 'apache-arrow';

/** The average size of stored rows from which their texts count as long. */
const longRowBytes = 1024;
/** The maximum number of chunks with long texts that DuckDB computes ahead, and their size. */
const chunksAheadMax = 6;
const bytesAheadMax = 64 * MiB;
const rowsPerChunk = 2048;
/** The size of a text in a vector, besides its bytes. */
const recordBytes = 16;
const numberBytes = 8;
/** DuckDB's default. */
const bufferBytesDefault = 1_000_000;

/**
 * Returns the size of the buffer for rows that DuckDB computes before they are fetched; undefined
 * for DuckDB's default.
 *
 * DuckDB does not count the bytes of texts in it: with its default, it computes twenty chunks of
 * two columns ahead, which take 800 MB if the texts have 20 kB. A smaller buffer costs processor
 * time, because DuckDB's threads stop and continue more often: for short rows too much.
 *
 * @param storedRowBytes the average size of the rows of the tables that the query reads
 */
export function streamBufferBytesOf(
  { fields }: Schema,
  storedRowBytes: number,
): number | undefined {
  if (storedRowBytes < longRowBytes) return undefined;
  const types = fields.map(({ type }) => type as DataType);
  if (!types.some(hasTexts)) return undefined;
  const rowBytes = types.reduce((sum, type) => sum + vectorBytesOf(type), 0);
  const chunksAhead = Math.floor(bytesAheadMax / (rowsPerChunk * storedRowBytes));
  const bufferBytes = Math.max(1, Math.min(chunksAheadMax, chunksAhead)) * rowsPerChunk * rowBytes;
  return bufferBytes < bufferBytesDefault ? bufferBytes : undefined;
}

function hasTexts(type: DataType): boolean {
  if (DataType.isUtf8(type) || DataType.isBinary(type)) return true;
  const children = (type.children ?? []) as readonly { readonly type: DataType }[];
  return children.some((child) => hasTexts(child.type));
}

/** Returns the approximate size of a value in a vector of DuckDB, without its texts. */
function vectorBytesOf(type: DataType): number {
  return hasTexts(type) || DataType.isDecimal(type) ? recordBytes : numberBytes;
}
