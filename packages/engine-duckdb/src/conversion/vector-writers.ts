import duckdb, { type Vector } from '@duckdb/node-bindings';
import { type Data, Type } from 'apache-arrow';

/* The reverse of the vector readers: writes rows of stored columns to vectors of DuckDB. The
   buffers of the columns start with the first row, as in stored results. */

/**
 * Writes the rows `[start, start + count)` of a column to the beginning of a vector; rows whose
 * byte in `parent` is 0 are null.
 */
export function writeVector(
  vector: Vector,
  data: Data,
  start: number,
  count: number,
  parent?: Uint8Array,
): void {
  const valid = validityOf(data, start, count, parent);
  if (valid !== undefined) writeValidity(vector, valid, count);
  const { type } = data;
  switch (type.typeId) {
    case Type.Null:
      return;
    case Type.Bool:
      return copyInto(vector, expandBits(bytesOf(data.values), start, count));
    case Type.Utf8:
    case Type.Binary:
      return writeStrings(vector, data, start, count, valid);
    case Type.FixedSizeBinary:
      return copyInto(
        vector,
        uuidsOf(bytesOf(data.values).subarray(start * 16, (start + count) * 16)),
      );
    case Type.Decimal:
      return copyInto(vector, decimalsOf(data, start, count));
    case Type.List:
    case Type.Map:
      return writeList(vector, data, start, count, valid);
    case Type.FixedSizeList: {
      const { listSize } = type as unknown as { readonly listSize: number };
      const inner = valid === undefined ? undefined : repeatEach(valid, count, listSize);
      return writeVector(
        duckdb.array_vector_get_child(vector),
        childOf(data),
        start * listSize,
        count * listSize,
        inner,
      );
    }
    case Type.Struct:
      for (const [index, member] of data.children.entries()) {
        writeVector(duckdb.struct_vector_get_child(vector, index), member, start, count, valid);
      }
      return;
    default: {
      const values = bytesOf(data.values);
      const width = widthOf(data);
      return copyInto(vector, values.subarray(start * width, (start + count) * width));
    }
  }
}

/** Returns one byte for each row: 1 if it is not null. Undefined if no row is null. */
function validityOf(
  { nullCount, nullBitmap, length, type }: Data,
  start: number,
  count: number,
  parent: Uint8Array | undefined,
): Uint8Array | undefined {
  if (type.typeId === Type.Null) return new Uint8Array(count);
  if (nullCount === 0 || nullBitmap === undefined || nullBitmap === null || length === 0) {
    return parent;
  }
  const valid = expandBits(nullBitmap, start, count);
  if (parent !== undefined) {
    for (let row = 0; row < count; row += 1) valid[row] = (valid[row] ?? 0) & (parent[row] ?? 0);
  }
  return valid;
}

function writeValidity(vector: Vector, valid: Uint8Array, count: number): void {
  const mask = new Uint8Array(Math.ceil(count / 64) * 8).fill(255);
  for (let row = 0; row < count; row += 1) {
    if (valid[row] === 0) mask[row >> 3] = (mask[row >> 3] ?? 0) & ~(1 << (row & 7));
  }
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, mask.buffer, 0, mask.byteLength);
}

function copyInto(vector: Vector, bytes: Uint8Array): void {
  if (bytes.byteLength === 0) return;
  duckdb.copy_data_to_vector(
    vector,
    0,
    bytes.buffer as ArrayBuffer,
    bytes.byteOffset,
    bytes.byteLength,
  );
}

/**
 * The size of a string's record: its length, then its bytes if there are at most 12. DuckDB itself
 * copies longer ones.
 */
const recordBytes = 16;
const inlineBytesMax = 12;

function writeStrings(
  vector: Vector,
  data: Data,
  start: number,
  count: number,
  valid: Uint8Array | undefined,
): void {
  const values = bytesOf(data.values);
  const offsets = data.valueOffsets as Int32Array;
  const records = new Uint8Array(count * recordBytes);
  const words = new Uint32Array(records.buffer);
  const long: number[] = [];
  for (let row = 0; row < count; row += 1) {
    if (valid?.[row] === 0) continue;
    const from = offsets[start + row] ?? 0;
    const length = (offsets[start + row + 1] ?? 0) - from;
    if (length > inlineBytesMax) {
      long.push(row);
      continue;
    }
    words[row * 4] = length;
    for (let index = 0; index < length; index += 1) {
      records[row * recordBytes + 4 + index] = values[from + index] ?? 0;
    }
  }
  copyInto(vector, records);
  for (const row of long) {
    const text = values.subarray(offsets[start + row], offsets[start + row + 1]);
    duckdb.vector_assign_string_element_len(vector, row, text);
  }
}

function writeList(
  vector: Vector,
  data: Data,
  start: number,
  count: number,
  valid: Uint8Array | undefined,
): void {
  const offsets = data.valueOffsets as Int32Array;
  const first = offsets[start] ?? 0;
  const childCount = (offsets[start + count] ?? 0) - first;
  const entries = new BigUint64Array(count * 2);
  for (let row = 0; row < count; row += 1) {
    if (valid?.[row] === 0) continue;
    const from = offsets[start + row] ?? 0;
    entries[row * 2] = BigInt(from - first);
    entries[row * 2 + 1] = BigInt((offsets[start + row + 1] ?? 0) - from);
  }
  copyInto(vector, new Uint8Array(entries.buffer));
  duckdb.list_vector_reserve(vector, childCount);
  duckdb.list_vector_set_size(vector, childCount);
  if (childCount > 0) {
    writeVector(duckdb.list_vector_get_child(vector), childOf(data), first, childCount);
  }
}

/** Converts DECIMAL: Arrow uses 128 bits for each value, DuckDB as many as the digits need. */
function decimalsOf(data: Data, start: number, count: number): Uint8Array {
  const { precision } = data.type as unknown as { readonly precision: number };
  const wide = bytesOf(data.values).subarray(start * 16, (start + count) * 16);
  if (precision > 18) return wide;
  const width = precision <= 4 ? 2 : precision <= 9 ? 4 : 8;
  const narrow = new Uint8Array(count * width);
  for (let row = 0; row < count; row += 1) {
    for (let index = 0; index < width; index += 1) {
      narrow[row * width + index] = wide[row * 16 + index] ?? 0;
    }
  }
  return narrow;
}

/**
 * Converts UUID: Arrow has the 16 bytes in their written order, DuckDB a 128-bit integer with the
 * top bit flipped.
 */
function uuidsOf(bytes: Uint8Array): Uint8Array {
  const integers = new Uint8Array(bytes.byteLength);
  for (let start = 0; start < bytes.length; start += 16) {
    for (let index = 0; index < 16; index += 1) {
      integers[start + 15 - index] = bytes[start + index] ?? 0;
    }
    integers[start + 15] = (integers[start + 15] ?? 0) ^ 0x80;
  }
  return integers;
}

function expandBits(bits: Uint8Array, start: number, count: number): Uint8Array {
  const flags = new Uint8Array(count);
  for (let row = 0; row < count; row += 1) {
    flags[row] = ((bits[(start + row) >> 3] ?? 0) >> ((start + row) & 7)) & 1;
  }
  return flags;
}

function repeatEach(valid: Uint8Array, count: number, times: number): Uint8Array {
  const repeated = new Uint8Array(count * times);
  for (let row = 0; row < count; row += 1) {
    repeated.fill(valid[row] ?? 0, row * times, (row + 1) * times);
  }
  return repeated;
}

function bytesOf(values: unknown): Uint8Array {
  const { buffer, byteOffset, byteLength } = values as Uint8Array;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Returns the bytes of one value of a type with the same layout in both. */
function widthOf({ type }: Data): number {
  const { typeId, bitWidth, precision, unit } = type as unknown as Readonly<Record<string, number>>;
  if (typeId === Type.Int) return (bitWidth ?? 0) / 8;
  if (typeId === Type.Float) return precision === 1 ? 4 : 8;
  return typeId === Type.Date && unit === 0 ? 4 : 8;
}

function childOf(data: Data): Data {
  const [child] = data.children;
  if (child === undefined) throw new TypeError('A stored list has no elements.');
  return child;
}
