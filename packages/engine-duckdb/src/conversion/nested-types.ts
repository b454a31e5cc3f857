import duckdb from '@duckdb/node-bindings';
import type { DataType } from 'apache-arrow';
import { arrowData } from './arrow-data.ts';
import { readBytes, type VectorReader } from './fixed-width.ts';
import { assertColumnFits } from './strings.ts';
import {
  isValidRow,
  leadingRows,
  readValidity,
  type Validity,
  type VectorRows,
} from './vector-rows.ts';

/** Reads STRUCT: one vector for each field, with the same rows. */
export function structReader(type: DataType, fields: readonly VectorReader[]): VectorReader {
  return (vector, rows) => {
    const validity = readValidity(vector, rows);
    const fieldRows = { ...rows, parentValidity: validity.bitmap };
    const children = fields.map((read, index) =>
      read(duckdb.struct_vector_get_child(vector, index), fieldRows),
    );
    return arrowData(type, rows.count, validity, { children });
  };
}

/**
 * Reads LIST and MAP: an offset and a length for each row, into one vector of all elements in any
 * order.
 */
export function listReader(type: DataType, readElements: VectorReader): VectorReader {
  return (vector, rows) => {
    const validity = readValidity(vector, rows);
    const bytes = readBytes(vector, rows.extent, 16);
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
    const valueOffsets = new Int32Array(rows.count + 1);
    let elementCount = 0;
    let areInOrder = true;
    for (let row = 0; row < rows.count; row += 1) {
      const record = (rows.entries === undefined ? row : (rows.entries[row] ?? 0)) * 4;
      const length = isValidRow(validity.bitmap, row) ? (words[record + 2] ?? 0) : 0;
      if (length > 0 && words[record] !== elementCount) areInOrder = false;
      elementCount += length;
      valueOffsets[row + 1] = elementCount;
    }
    assertColumnFits(elementCount, rows.count);
    const elementRows = areInOrder
      ? leadingRows(elementCount)
      : scatteredElements(words, rows, valueOffsets);
    const elements = readElements(duckdb.list_vector_get_child(vector), elementRows);
    return arrowData(type, rows.count, validity, { valueOffsets, children: [elements] });
  };
}

function scatteredElements(
  words: Uint32Array,
  rows: VectorRows,
  valueOffsets: Int32Array,
): VectorRows {
  const entries = new Int32Array(valueOffsets[rows.count] ?? 0);
  let extent = 0;
  for (let row = 0; row < rows.count; row += 1) {
    const from = valueOffsets[row] ?? 0;
    const length = (valueOffsets[row + 1] ?? 0) - from;
    if (length > 0) {
      const first = words[(rows.entries === undefined ? row : (rows.entries[row] ?? 0)) * 4] ?? 0;
      for (let index = 0; index < length; index += 1) entries[from + index] = first + index;
      extent = Math.max(extent, first + length);
    }
  }
  return { count: entries.length, entries, extent, parentValidity: undefined };
}

/** Reads ARRAY: `size` elements for each row, including null rows. */
export function arrayReader(
  type: DataType,
  size: number,
  readElements: VectorReader,
): VectorReader {
  return (vector, rows) => {
    const validity = readValidity(vector, rows);
    assertColumnFits(rows.count * size, rows.count);
    const elements = readElements(
      duckdb.array_vector_get_child(vector),
      arrayElements(rows, size, validity),
    );
    return arrowData(type, rows.count, validity, { children: [elements] });
  };
}

function arrayElements(rows: VectorRows, size: number, validity: Validity): VectorRows {
  const count = rows.count * size;
  let entries: Int32Array | undefined;
  if (rows.entries !== undefined) {
    entries = new Int32Array(count);
    for (let index = 0; index < count; index += 1) {
      entries[index] = (rows.entries[Math.floor(index / size)] ?? 0) * size + (index % size);
    }
  }
  let parentValidity: Uint8Array | undefined;
  if (validity.bitmap !== undefined) {
    parentValidity = new Uint8Array((count + 7) >> 3);
    for (let index = 0; index < count; index += 1) {
      if (isValidRow(validity.bitmap, Math.floor(index / size))) {
        parentValidity[index >> 3] = (parentValidity[index >> 3] ?? 0) | (1 << (index & 7));
      }
    }
  }
  return { count, entries, extent: rows.extent * size, parentValidity };
}
