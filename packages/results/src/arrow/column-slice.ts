import { DataType } from 'apache-arrow';
import type { ArrowColumn } from './arrow-input.ts';
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
  if (DataType.isDictionary(type)) return rowCount * 16; // an estimate of the value's size: the exact size would require a gather
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

function columnsSizeBytes(columns: readonly ArrowColumn[], start: number, end: number): number {
  let sizeBytes = 0;
  for (const data of columns) sizeBytes += sliceSizeBytes({ data, start, end });
  return sizeBytes;
}

/** Returns the size of the rows in a batch, over all columns. */
export function batchSliceSizeBytes({ batch, start, end }: BatchSlice): number {
  return columnsSizeBytes(batch.columns, start, end);
}
