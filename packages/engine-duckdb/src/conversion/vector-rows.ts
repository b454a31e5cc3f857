import duckdb, { type Vector } from '@duckdb/node-bindings';

/** The entries of a DuckDB vector that become rows, in order. */
export interface VectorRows {
  readonly count: number;
  /** The entry of each row; absent if the rows are the entries 0, 1, … count - 1. */
  readonly entries: Int32Array | undefined;
  /** The number of leading entries that cover all rows. */
  readonly extent: number;
  /**
   * The Arrow bitmap of the rows that exist in their parent: a field of a null struct is null,
   * whatever its own vector contains.
   */
  readonly parentValidity: Uint8Array | undefined;
}

/**
 * The rows that are not null, as an Arrow bitmap: least significant bit first; bits after the last
 * row are 0.
 */
export interface Validity {
  /** Absent if no row is null. */
  readonly bitmap: Uint8Array | undefined;
  readonly nullCount: number;
}

/** Selects the first `count` entries of a vector. */
export function leadingRows(count: number, parentValidity?: Uint8Array): VectorRows {
  return { count, entries: undefined, extent: count, parentValidity };
}

/** Selects the entries `[start, end)` of a vector. */
export function rowRange(start: number, end: number): VectorRows {
  if (start === 0) return leadingRows(end);
  const entries = new Int32Array(end - start);
  for (let row = 0; row < entries.length; row += 1) entries[row] = start + row;
  return { count: entries.length, entries, extent: end, parentValidity: undefined };
}

/** Reports whether a row is not null. */
export function isValidRow(bitmap: Uint8Array | undefined, row: number): boolean {
  return bitmap === undefined || (((bitmap[row >> 3] ?? 0) >> (row & 7)) & 1) === 1;
}

/** Reads the validity of rows; DuckDB's mask of 64-bit words has the layout of Arrow's bitmap. */
export function readValidity(vector: Vector, rows: VectorRows): Validity {
  const mask = readMask(vector, rows.extent);
  const { parentValidity } = rows;
  if (mask === undefined && parentValidity === undefined) {
    return { bitmap: undefined, nullCount: 0 };
  }
  const byteCount = (rows.count + 7) >> 3;
  const bitmap =
    mask === undefined ? new Uint8Array(byteCount).fill(255) : takeBits(mask, rows, byteCount);
  if (parentValidity !== undefined) {
    for (let index = 0; index < byteCount; index += 1) {
      bitmap[index] = (bitmap[index] ?? 0) & (parentValidity[index] ?? 0);
    }
  }
  const bitsInLastByte = rows.count & 7;
  if (bitsInLastByte !== 0) {
    bitmap[byteCount - 1] = (bitmap[byteCount - 1] ?? 0) & ((1 << bitsInLastByte) - 1);
  }
  const nullCount = rows.count - countBits(bitmap);
  return nullCount === 0 ? { bitmap: undefined, nullCount: 0 } : { bitmap, nullCount };
}

function readMask(vector: Vector, extent: number): Uint8Array | undefined {
  if (extent === 0) return undefined;
  // The bindings return no mask if nothing is null, which their types omit.
  const mask = duckdb.vector_get_validity(vector, Math.ceil(extent / 64) * 8) as Uint8Array | null;
  return mask ?? undefined;
}

function takeBits(mask: Uint8Array, rows: VectorRows, byteCount: number): Uint8Array {
  const { entries } = rows;
  const bitmap = new Uint8Array(byteCount);
  if (entries === undefined) {
    bitmap.set(mask.subarray(0, byteCount));
    return bitmap;
  }
  for (let row = 0; row < rows.count; row += 1) {
    const entry = entries[row] ?? 0;
    bitmap[row >> 3] =
      (bitmap[row >> 3] ?? 0) | ((((mask[entry >> 3] ?? 0) >> (entry & 7)) & 1) << (row & 7));
  }
  return bitmap;
}

function countBits(bitmap: Uint8Array): number {
  let count = 0;
  for (let byte of bitmap) {
    // Adds up neighbouring bits, pairs and nibbles.
    byte -= (byte >> 1) & 0x55;
    byte = (byte & 0x33) + ((byte >> 2) & 0x33);
    count += (byte + (byte >> 4)) & 0x0f;
  }
  return count;
}
