import duckdb, { type Vector } from '@duckdb/node-bindings';
import type { Data, DataType } from 'apache-arrow';
import { arrowData } from './arrow-data.ts';
import { readValidity, type VectorRows } from './vector-rows.ts';

/** Converts rows of one DuckDB vector to Arrow data that shares no memory with DuckDB. */
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
 * Reads `extent` entries of `byteWidth` bytes each into memory of this process.
 *
 * The bindings copy vector memory to a new ArrayBuffer, as a test verifies, so the bytes outlive
 * the chunk without a second copy.
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
 * Returns the values of the rows: `stride` elements of `Elements` for each. The memory is used
 * directly if the layouts agree.
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

/** Creates a reader for types whose values have the same layout in DuckDB and in Arrow. */
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
