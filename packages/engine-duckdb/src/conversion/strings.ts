import { MiB, QuireError } from '@quire/core';
import type { DataType } from 'apache-arrow';
import { arrowData } from './arrow-data.ts';
import { readBytes, type VectorReader } from './fixed-width.ts';
import { assembleInJavaScript } from './plain-strings.ts';
import { recordBytes, StringAssembler } from './string-assembler.ts';
import { readValidity } from './vector-rows.ts';

/**
 * Above this many bytes, the rows of one column are split over several batches if there is more
 * than one row.
 */
const columnBytesTarget = 32 * MiB;
/** The maximum number of bytes that Arrow's 32-bit offsets can address. */
const columnBytesMax = 2 ** 31 - 1;

/** Thrown if the rows are too large for one batch and fewer rows would be smaller. */
export class BatchTooLarge extends Error {
  override readonly name = 'BatchTooLarge';
}

/**
 * @throws BatchTooLarge when fewer rows would fit; QUERY_LIMIT_EXCEEDED when a single row is too
 *   large for Arrow's offsets
 */
export function assertColumnFits(size: number, rowCount: number): void {
  if (rowCount > 1 && size > columnBytesTarget) {
    throw new BatchTooLarge(`${size} bytes in ${rowCount} rows`);
  }
  if (size > columnBytesMax) {
    throw new QuireError(
      'QUERY_LIMIT_EXCEEDED',
      `A value of ${size} bytes exceeds the limit of ${columnBytesMax} bytes.`,
    );
  }
}

/** Reads VARCHAR and BLOB: string records become offsets and contiguous bytes. */
export function stringReader(type: DataType): VectorReader {
  return (vector, rows) => {
    const validity = readValidity(vector, rows);
    const records = readBytes(vector, rows.extent, recordBytes);
    const assembled =
      rows.entries === undefined
        ? StringAssembler.shared.assemble(records, validity.bitmap, rows.count)
        : undefined;
    const strings =
      assembled ??
      assembleInJavaScript(records, validity.bitmap, rows, (size) =>
        assertColumnFits(size, rows.count),
      );
    return arrowData(type, rows.count, validity, strings);
  };
}
