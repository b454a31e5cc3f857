import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  snappyUncompress,
} from 'hyparquet';
import { formatBytes } from '@quire/core/portable';
import type { SourceRow } from '../../row.ts';
import { SourceProblem } from '../source-file.ts';
import { decompressLz4Block } from './lz4.ts';
import { parquetValuesOf } from './parquet-values.ts';
import {
  plainValue,
  readRange,
  type RowReader,
  type RowReading,
  textOfDate,
  textOfTimestamp,
  textOfUtf8,
} from './row-reading.ts';

/**
 * The maximum size of a page that is decompressed: writers create pages of one or a few megabytes.
 */
const pageBytesMax = 32 * 1024 * 1024;
const footerBytesMax = 16 * 1024 * 1024;

/**
 * Reads the first rows of a Parquet file: its footer, then its row groups one by one, as far as
 * rows are needed.
 */
export const readParquet: RowReader = async function* (reading) {
  const buffer = bufferOf(reading);
  const { metadata, decimals, complete } = await orProblem(reading, async () =>
    parquetValuesOf(await readFooter(reading, buffer)),
  );
  reading.onDecimals?.(decimals);
  for (const { rowStart, rowEnd } of groupsOf(metadata, reading.rowsMax)) {
    const options = {
      file: buffer,
      metadata,
      rowStart,
      rowEnd,
      compressors,
      parsers,
      useOffsetIndex: true,
      geoparquet: false,
      // Bytes without a logical type are bytes.
      utf8: false,
    };
    const rows = await orProblem(reading, () => parquetReadObjects(options));
    for (const row of rows) yield plainValue(complete(row), 0) as SourceRow;
  }
};

async function orProblem<Value>(
  { file, signal }: RowReading,
  read: () => Promise<Value>,
): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SourceProblem || signal.aborted || !(error instanceof Error)) throw error;
    throw new SourceProblem(
      'FILE_CORRUPT',
      `${file.uri} cannot be read as Parquet: ${error.message}`,
      { cause: error },
    );
  }
}

async function readFooter({ file }: RowReading, buffer: AsyncBuffer): Promise<FileMetaData> {
  const tail =
    file.sizeBytes < 12
      ? undefined
      : new DataView(await buffer.slice(file.sizeBytes - 8, file.sizeBytes));
  const length = tail?.getUint32(0, true) ?? 0;
  if (tail === undefined || length > Math.min(footerBytesMax, file.sizeBytes - 8)) {
    throw new SourceProblem(
      'FILE_CORRUPT',
      length > footerBytesMax && length <= file.sizeBytes - 8
        ? `${file.uri} has a Parquet footer of ${formatBytes(length)}; at most ${formatBytes(footerBytesMax)} are allowed.`
        : `${file.uri} does not end with a Parquet footer: it is truncated, or not a Parquet file.`,
    );
  }
  return parquetMetadataAsync(buffer);
}

/** Returns the rows of each group as half-open ranges, as far as they are needed. */
function groupsOf(
  { row_groups: groups }: FileMetaData,
  rowsMax: number,
): readonly { rowStart: number; rowEnd: number }[] {
  const ranges: { rowStart: number; rowEnd: number }[] = [];
  let rowStart = 0;
  for (const { num_rows: count } of groups) {
    const rowEnd = rowStart + Number(count);
    if (rowStart < Math.min(rowEnd, rowsMax)) {
      ranges.push({ rowStart, rowEnd: Math.min(rowEnd, rowsMax) });
    }
    rowStart = rowEnd;
  }
  return ranges;
}

function bufferOf(reading: RowReading): AsyncBuffer {
  const { sizeBytes } = reading.file;
  return {
    byteLength: sizeBytes,
    async slice(start, end = sizeBytes) {
      const from = start < 0 ? Math.max(0, sizeBytes + start) : Math.min(start, sizeBytes);
      return (await readRange(reading, from, Math.max(from, Math.min(end, sizeBytes)))).buffer;
    },
  };
}

/**
 * Decompressors that never produce more than the declared size of a page, and refuse pages that are
 * too large.
 */
const compressors: Compressors = {
  SNAPPY: bounded((input, outputLength) => {
    const output = new Uint8Array(outputLength);
    snappyUncompress(input, output);
    return output;
  }),
  GZIP: bounded((input, outputLength) =>
    gunzipSync(input, { maxOutputLength: Math.max(1, outputLength) }),
  ),
  BROTLI: bounded((input, outputLength) =>
    brotliDecompressSync(input, { maxOutputLength: Math.max(1, outputLength) }),
  ),
  LZ4_RAW: bounded(decompressLz4Block),
  ZSTD: bounded((input, outputLength) =>
    zstdDecompressSync(input, { maxOutputLength: Math.max(1, outputLength) }),
  ),
};

type Decompress = (input: Uint8Array, outputLength: number) => Uint8Array;

function bounded(decompress: Decompress): Decompress {
  return (input, outputLength) => {
    if (outputLength > pageBytesMax) {
      throw new SourceProblem(
        'PAGE_TOO_LONG',
        `A page of the file has ${outputLength} bytes; at most ${pageBytesMax} are allowed.`,
      );
    }
    return decompress(input, outputLength);
  };
}

/**
 * Parsers that return times as text with all their digits, because JavaScript dates have only
 * milliseconds.
 */
const parsers = {
  timestampFromMilliseconds: (value: bigint) => textOfTimestamp(value, 3),
  timestampFromMicroseconds: (value: bigint) => textOfTimestamp(value, 6),
  timestampFromNanoseconds: (value: bigint) => textOfTimestamp(value, 9),
  dateFromDays: textOfDate,
  stringFromBytes: textOfUtf8,
  jsonFromBytes: textOfUtf8,
};
