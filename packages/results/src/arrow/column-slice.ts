import { DataType } from 'apache-arrow';
import { type ArrowColumn, isValidAt } from './arrow-input.ts';
import type { ColumnBatch } from './column-batch.ts';
import { byteWidthOf } from './column-type.ts';

/** Rows `[start, end)` of one column chunk; without data, that many nulls. */
export interface ColumnSlice {
  readonly data: ArrowColumn | undefined;
  readonly start: number;
  readonly end: number;
}

/** Rows `[start, end)` of one batch. */
export interface BatchSlice {
  readonly batch: ColumnBatch<ArrowColumn>;
  readonly start: number;
  readonly end: number;
}

/** Returns the raw bytes of rows `[start, end)` of a fixed-width column. */
export function fixedWidthBytes(
  data: ArrowColumn,
  start: number,
  end: number,
  byteWidth: number,
): Uint8Array {
  const values = data.values as ArrayBufferView;
  return new Uint8Array(
    values.buffer,
    values.byteOffset + start * byteWidth,
    (end - start) * byteWidth,
  );
}

/** Returns the size of the rows in a batch without validity; batches are sized by it. */
function sliceSizeBytes({ data, start, end }: ColumnSlice): number {
  if (data === undefined) return 0;
  const type = data.type;
  const rowCount = end - start;
  const byteWidth = byteWidthOf(type);
  if (byteWidth !== undefined) return rowCount * byteWidth;
  if (DataType.isStruct(type)) return columnsSizeBytes(data.children, start, end);
  if (DataType.isFixedSizeList(type)) {
    return columnsSizeBytes(data.children, start * type.listSize, end * type.listSize);
  }
  if (DataType.isDictionary(type)) {
    const ends = dictionaryRowEnds(data);
    return (ends[end] ?? 0) - (ends[start] ?? 0);
  }
  const offsets = data.valueOffsets as ArrayLike<number | bigint> | undefined;
  if (offsets === undefined) return rowCount / 8;
  const first = Number(offsets[start] ?? 0);
  const last = Number(offsets[end] ?? 0);
  const width = typeof offsets[0] === 'bigint' ? 8 : 4;
  return (
    rowCount * width +
    (data.children.length > 0 ? columnsSizeBytes(data.children, first, last) : last - first)
  );
}

/** The total size of the values up to the end of each row, for columns with a dictionary. */
const rowEnds = new WeakMap<ArrowColumn, Float64Array>();

function dictionaryRowEnds(data: ArrowColumn): Float64Array {
  const known = rowEnds.get(data);
  if (known !== undefined) return known;
  const ends = new Float64Array(data.length + 1);
  for (let row = 0; row < data.length; row += 1) {
    ends[row + 1] = (ends[row] ?? 0) + sliceSizeBytes(dictionaryValueAt(data, row));
  }
  rowEnds.set(data, ends);
  return ends;
}

/** Returns the slice of the dictionary with the value of a row. */
export function dictionaryValueAt(data: ArrowColumn, row: number): ColumnSlice {
  const indexes = data.values as ArrayLike<number | bigint>;
  let index = isValidAt(data, row) ? Number(indexes[row]) : -1;
  for (const chunk of index < 0 ? [] : (data.dictionary?.data ?? [])) {
    if (index < chunk.length) return { data: chunk, start: index, end: index + 1 };
    index -= chunk.length;
  }
  return { data: undefined, start: 0, end: 1 };
}

function columnsSizeBytes(columns: readonly ArrowColumn[], start: number, end: number): number {
  let sizeBytes = 0;
  for (const data of columns) sizeBytes += sliceSizeBytes({ data, start, end });
  return sizeBytes;
}

/** Returns the size of the rows in a batch, over all columns. */
export function batchSliceSizeBytes({ batch, start, end }: BatchSlice): number {
  return columnsSizeBytes(batch.columns, start, end);
}
