import { DataType, type Field } from 'apache-arrow';
import { FieldNode } from 'apache-arrow/ipc/metadata/message';
import { QuireError } from '@quire/core';
import type { ArrowColumn } from './arrow-input.ts';
import { copyBits, countBits, setBits } from './bitmap.ts';
import { byteWidthOf } from './column-type.ts';
import { type ColumnSlice, dictionaryValueAt, fixedWidthBytes } from './column-slice.ts';

/**
 * The bytes of one buffer in pieces, which are views of the source's memory where possible, so that
 * bytes are copied only into the message.
 */
export type BufferPieces = readonly Uint8Array[];

/** The flattened columns of one record batch, in the order of the IPC format. */
export interface BatchParts {
  readonly nodes: FieldNode[];
  readonly buffers: BufferPieces[];
}

const int32Max = 2 ** 31 - 1;
const nothing: BufferPieces = [];

/**
 * Appends one column, assembled from slices, to `parts`: its node, its buffers, then its
 * children's. Source: https://arrow.apache.org/docs/format/Columnar.html#recordbatch-message
 *
 * @throws INVALID_BATCH when an offset decreases
 * @throws QUERY_LIMIT_EXCEEDED when texts or lists of one batch exceed the format's 2 GiB of 32-bit
 *   offsets
 */
export function assembleColumn(
  field: Field,
  slices: readonly ColumnSlice[],
  parts: BatchParts,
  path = field.name,
): void {
  const type = field.type as DataType;
  if (slices.some((slice) => slice.data !== undefined && DataType.isDictionary(slice.data.type))) {
    return assembleColumn(field, slices.flatMap(gatherDictionary), parts, path);
  }
  const length = slices.reduce((sum, slice) => sum + slice.end - slice.start, 0);
  if (DataType.isNull(type)) {
    parts.nodes.push(new FieldNode(length, length));
    return;
  }
  const validity = assembleValidity(slices, length);
  const nullCount = validity === undefined ? 0 : length - countBits(validity, length);
  parts.nodes.push(new FieldNode(length, nullCount));
  parts.buffers.push(validity === undefined || nullCount === 0 ? nothing : [validity]);

  const byteWidth = byteWidthOf(type);
  if (byteWidth !== undefined) {
    parts.buffers.push(slices.map((slice) => fixedWidthPiece(slice, byteWidth)));
  } else if (DataType.isBool(type)) parts.buffers.push([assembleBits(slices, length)]);
  else if (DataType.isStruct(type)) {
    for (const [index, child] of type.children.entries()) {
      assembleColumn(child, childSlices(slices, index, 1), parts, `${path}.${child.name}`);
    }
  } else if (DataType.isFixedSizeList(type)) {
    for (const child of type.children) {
      assembleColumn(child, childSlices(slices, 0, type.listSize), parts, `${path}.${child.name}`);
    }
  } else assembleVariableWidth(field, slices, length, parts, path);
}

/** Assembles the validity bitmap; undefined if all rows have a value. */
function assembleValidity(slices: readonly ColumnSlice[], length: number): Uint8Array | undefined {
  if (slices.every(({ data }) => data !== undefined && data.nullCount === 0)) return undefined;
  const bitmap = new Uint8Array((length + 7) >> 3);
  let row = 0;
  for (const { data, start, end } of slices) {
    if (data !== undefined && data.nullCount === 0) setBits(bitmap, row, end - start);
    else if (data?.nullBitmap) {
      copyBits(data.nullBitmap, data.offset + start, bitmap, row, end - start);
    }
    row += end - start;
  }
  return bitmap;
}

function fixedWidthPiece({ data, start, end }: ColumnSlice, byteWidth: number): Uint8Array {
  return data === undefined
    ? new Uint8Array((end - start) * byteWidth)
    : fixedWidthBytes(data, start, end, byteWidth);
}

function assembleBits(slices: readonly ColumnSlice[], length: number): Uint8Array {
  const target = new Uint8Array((length + 7) >> 3);
  let row = 0;
  for (const { data, start, end } of slices) {
    if (data !== undefined) {
      copyBits(data.values as Uint8Array, data.offset + start, target, row, end - start);
    }
    row += end - start;
  }
  return target;
}

/** Returns the slices of child `index`; `stride` child rows belong to each row. */
function childSlices(slices: readonly ColumnSlice[], index: number, stride: number): ColumnSlice[] {
  return slices.map(({ data, start, end }) => ({
    data: data?.children[index],
    start: start * stride,
    end: end * stride,
  }));
}

/**
 * Assembles text, binary, lists and maps: offsets that start at 0, then the bytes or the child
 * column that they index.
 */
function assembleVariableWidth(
  field: Field,
  slices: readonly ColumnSlice[],
  length: number,
  parts: BatchParts,
  path: string,
): void {
  const type = field.type as DataType;
  const isLarge =
    DataType.isLargeUtf8(type) || DataType.isLargeBinary(type) || DataType.isLargeList(type);
  const offsets = isLarge ? new BigInt64Array(length + 1) : new Int32Array(length + 1);
  const values: { data: ArrowColumn; start: number; end: number }[] = [];
  let row = 0;
  let total = 0;
  for (const { data, start, end } of slices) {
    if (data !== undefined) {
      const source = data.valueOffsets as ArrayLike<number | bigint>;
      const first = Number(source[start] ?? 0);
      const last = Number(source[end] ?? 0);
      if (!isLarge && total + last - first > int32Max) throw batchTooLarge(path);
      const isOrdered = isLarge
        ? moveLargeOffsets(source, start, end, offsets as BigInt64Array, row, BigInt(total - first))
        : moveOffsets(
            source as ArrayLike<number>,
            start,
            end,
            offsets as Int32Array,
            row,
            total - first,
          );
      if (!isOrdered) throw invalidOffsets(path);
      if (last > first) values.push({ data, start: first, end: last });
      total += last - first;
    } else if (isLarge) {
      (offsets as BigInt64Array).fill(BigInt(total), row + 1, row + 1 + end - start);
    } else (offsets as Int32Array).fill(total, row + 1, row + 1 + end - start);
    row += end - start;
  }
  parts.buffers.push([new Uint8Array(offsets.buffer)]);

  const child = (type.children as readonly Field[] | null | undefined)?.[0];
  if (child !== undefined) {
    assembleColumn(child, childSlicesOf(values), parts, `${path}.${child.name}`);
    return;
  }
  parts.buffers.push(
    values.map((value) => (value.data.values as Uint8Array).subarray(value.start, value.end)),
  );
}

/**
 * Copies the offsets after rows `[start, end)`, each shifted by `distance`, to those after row
 * `at`; returns false if one decreases.
 */
function moveOffsets(
  source: ArrayLike<number>,
  start: number,
  end: number,
  target: Int32Array,
  at: number,
  distance: number,
): boolean {
  let previous = source[start] ?? 0;
  // Becomes negative once an offset is negative or decreases. A branch in this loop would cost more
  // than the rest of it.
  let signs = previous;
  for (let row = start; row < end; row += 1) {
    const next = source[row + 1] as number;
    signs |= next | (next - previous);
    previous = next;
    target[at + row - start + 1] = next + distance;
  }
  return signs >= 0;
}

function moveLargeOffsets(
  source: ArrayLike<number | bigint>,
  start: number,
  end: number,
  target: BigInt64Array,
  at: number,
  distance: bigint,
): boolean {
  let previous = BigInt(source[start] ?? 0);
  let isOrdered = previous >= 0n;
  for (let row = start; row < end; row += 1) {
    const next = BigInt(source[row + 1] as number | bigint);
    isOrdered &&= previous <= next;
    previous = next;
    target[at + row - start + 1] = next + distance;
  }
  return isOrdered;
}

function childSlicesOf(
  values: readonly { data: ArrowColumn; start: number; end: number }[],
): ColumnSlice[] {
  return values.map(({ data, start, end }) => ({ data: data.children[0], start, end }));
}

function invalidOffsets(column: string): QuireError {
  return new QuireError(
    'INVALID_BATCH',
    `Column '${column}' has offsets that decrease in a batch; nothing of the result is stored.`,
  );
}

function batchTooLarge(column: string): QuireError {
  return new QuireError(
    'QUERY_LIMIT_EXCEEDED',
    `Column '${column}' has more than 2 GiB of values within one batch of rows; shorten the values or select fewer of them.`,
  );
}

/**
 * Converts dictionary indexes into slices of the dictionary, so that the column holds the values
 * themselves.
 */
function gatherDictionary(slice: ColumnSlice): ColumnSlice[] {
  const { data, start, end } = slice;
  if (data === undefined || !DataType.isDictionary(data.type)) return [slice];
  return Array.from({ length: end - start }, (_, index) => dictionaryValueAt(data, start + index));
}
