import { MiB, QuireError } from '@quire/core';
import type { DataType } from 'apache-arrow';
import { arrowData } from './arrow-data.ts';
import { readBytes, type VectorReader } from './fixed-width.ts';
import { StringWindows } from './string-windows.ts';
import { isValidRow, readValidity } from './vector-rows.ts';

/** A string's record in a vector: its length, then its bytes when they are 12 at most, else 4 of them and the address of all. */
const recordBytes = 16;
const inlineBytesMax = 12;

/** Above this many bytes the rows of one column are split over several batches, as long as there is more than one row. */
const columnBytesTarget = 32 * MiB;
/** What Arrow's 32-bit offsets can address. */
const columnBytesMax = 2 ** 31 - 1;

/** Thrown when the rows hold too much for one batch and fewer rows would hold less. */
export class BatchTooLarge extends Error {
  override readonly name = 'BatchTooLarge';
}

/** @throws BatchTooLarge when fewer rows would do; QUERY_LIMIT_EXCEEDED when a single row is too large for Arrow's offsets */
export function assertColumnFits(size: number, rowCount: number): void {
  if (rowCount > 1 && size > columnBytesTarget) throw new BatchTooLarge(`${size} bytes in ${rowCount} rows`);
  if (size > columnBytesMax) {
    throw new QuireError('QUERY_LIMIT_EXCEEDED', `A value of ${size} bytes is over the limit of ${columnBytesMax} bytes.`);
  }
}

/** VARCHAR and BLOB: string records become offsets and one run of bytes. */
export function stringReader(type: DataType): VectorReader {
  return (vector, rows) => {
    const validity = readValidity(vector, rows);
    const bytes = readBytes(vector, rows.extent, recordBytes);
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
    const { count, entries } = rows;

    const valueOffsets = new Int32Array(count + 1);
    const windows = new StringWindows();
    let size = 0;
    let areAllInline = true;
    for (let row = 0; row < count; row += 1) {
      // A null's record is not initialized.
      if (isValidRow(validity.bitmap, row)) {
        const record = (entries === undefined ? row : (entries[row] ?? 0)) * 4;
        const length = words[record] ?? 0;
        size += length;
        if (length > inlineBytesMax) {
          areAllInline = false;
          windows.add((words[record + 2] ?? 0) + (words[record + 3] ?? 0) * 2 ** 32, length);
        }
      }
      valueOffsets[row + 1] = size;
    }
    assertColumnFits(size, count);
    if (!areAllInline) windows.load();

    const values = new Uint8Array(size);
    for (let row = 0; row < count; row += 1) {
      const offset = valueOffsets[row] ?? 0;
      const length = (valueOffsets[row + 1] ?? 0) - offset;
      const record = (entries === undefined ? row : (entries[row] ?? 0)) * recordBytes;
      if (length <= inlineBytesMax) {
        for (let index = 0; index < length; index += 1) values[offset + index] = bytes[record + 4 + index] ?? 0;
      } else {
        windows.copy((words[record / 4 + 2] ?? 0) + (words[record / 4 + 3] ?? 0) * 2 ** 32, length, values, offset);
      }
    }
    return arrowData(type, count, validity, { valueOffsets, values });
  };
}
