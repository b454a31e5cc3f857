import { recordBytes, type StringBuffers } from './string-assembler.ts';
import { StringWindows } from './string-windows.ts';
import { isValidRow, type VectorRows } from './vector-rows.ts';

const inlineBytesMax = 12;

/**
 * Assembles strings of any number and size, in plain JavaScript. The chunk that owns them must be
 * alive.
 *
 * @param records of the vector, one for each entry
 * @param bitmap Arrow's bitmap of the rows that are not null; undefined if no row is null
 * @param checkSize called with the total size before memory is allocated; may throw
 */
export function assembleInJavaScript(
  records: Uint8Array<ArrayBuffer>,
  bitmap: Uint8Array | undefined,
  { count, entries }: Pick<VectorRows, 'count' | 'entries'>,
  checkSize: (size: number) => void,
): StringBuffers {
  const words = new Uint32Array(records.buffer, records.byteOffset, records.byteLength >> 2);
  const valueOffsets = new Int32Array(count + 1);
  const windows = new StringWindows();
  let size = 0;
  let areAllInline = true;
  for (let row = 0; row < count; row += 1) {
    // The record of a null is not initialized.
    if (isValidRow(bitmap, row)) {
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
  checkSize(size);
  if (!areAllInline) windows.load();

  const values = new Uint8Array(size);
  for (let row = 0; row < count; row += 1) {
    const offset = valueOffsets[row] ?? 0;
    const length = (valueOffsets[row + 1] ?? 0) - offset;
    const record = (entries === undefined ? row : (entries[row] ?? 0)) * recordBytes;
    if (length <= inlineBytesMax) {
      for (let index = 0; index < length; index += 1) {
        values[offset + index] = records[record + 4 + index] ?? 0;
      }
    } else {
      windows.copy(
        (words[record / 4 + 2] ?? 0) + (words[record / 4 + 3] ?? 0) * 2 ** 32,
        length,
        values,
        offset,
      );
    }
  }
  return { valueOffsets, values };
}
