import duckdb, { type Vector } from '@duckdb/node-bindings';
import type { Data, DataType } from 'apache-arrow';
import { arrowData } from './arrow-data.ts';
import { readValidity, type VectorRows } from './vector-rows.ts';

/**
 * Turns rows of one DuckDB vector into Arrow data; what it returns belongs to the reader and shares
 * nothing with DuckDB.
 */
export type VectorReader = (vector: Vector, rows: VectorRows) => Data;

type FixedArray =
  | Int8Array<ArrayBuffer>
  | Int16Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | BigInt64Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | BigUint64Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

interface FixedArrayConstructor<T extends FixedArray> {
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): T;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): T;
}

/**
 * Reads `extent` entries of `byteWidth` bytes each into memory of our own.
 *
 * The bindings copy vector memory into a fresh ArrayBuffer (a test holds them to it), so the bytes
 * outlive the chunk and need no second copy.
 */
export function readBytes(
  vector: Vector,
  extent: number,
  byteWidth: number,
): Uint8Array<ArrayBuffer> {
  if (extent === 0) return new Uint8Array(0);
  const bytes = duckdb.vector_get_data(vector, extent * byteWidth) as Uint8Array<ArrayBuffer>;
  const isAligned = bytes.byteOffset % 8 === 0;
  return isAligned
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
}

/**
 * The values of the rows: `stride` elements of `Elements` for each. The memory is used as it is
 * where the layouts agree.
 */
export function readElements<T extends FixedArray>(
  vector: Vector,
  rows: VectorRows,
  Elements: FixedArrayConstructor<T>,
  stride = 1,
): T {
  const bytes = readBytes(vector, rows.extent, stride * Elements.BYTES_PER_ELEMENT);
  const source = new Elements(bytes.buffer, bytes.byteOffset, rows.extent * stride);
  const { entries } = rows;
  if (entries === undefined) return source;
  const taken = new Elements(rows.count * stride);
  for (let row = 0; row < rows.count; row += 1) {
    const start = (entries[row] ?? 0) * stride;
    for (let element = 0; element < stride; element += 1) {
      taken[row * stride + element] = source[start + element] ?? 0;
    }
  }
  return taken;
}

/** A reader for types whose values look the same in DuckDB and in Arrow. */
export function fixedWidthReader<T extends FixedArray>(
  type: DataType,
  Elements: FixedArrayConstructor<T>,
  stride = 1,
): VectorReader {
  return (vector, rows) =>
    arrowData(type, rows.count, readValidity(vector, rows), {
      values: readElements(vector, rows, Elements, stride),
    });
}
