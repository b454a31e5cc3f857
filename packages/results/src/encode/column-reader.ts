import type { Data } from 'apache-arrow';

/**
 * Returns a function that reports whether a row has a value; undefined if all rows have one, so
 * that loops can skip the check.
 */
export function validityOf(data: Data): ((row: number) => boolean) | undefined {
  const { nullBitmap, offset } = data;
  if (data.nullCount === 0 || nullBitmap === undefined) return undefined;
  return (row) => (((nullBitmap[(offset + row) >> 3] ?? 0) >> ((offset + row) & 7)) & 1) === 1;
}

/**
 * Returns the values as 32-bit halves, low half first: a 64-bit integer without a BigInt for each.
 */
export function int32View(data: Data): Int32Array {
  const { buffer, byteOffset, byteLength } = data.values as ArrayBufferView;
  return new Int32Array(buffer, byteOffset, byteLength >> 2);
}

export function int64View(data: Data): BigInt64Array {
  const { buffer, byteOffset, byteLength } = data.values as ArrayBufferView;
  return new BigInt64Array(buffer, byteOffset, byteLength >> 3);
}

export function bytesView(data: Data): Uint8Array {
  const { buffer, byteOffset, byteLength } = data.values as ArrayBufferView;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Returns the offsets of texts and lists as numbers, even if the column has 64-bit ones. */
export function offsetsOf(data: Data): ArrayLike<number> {
  const offsets = data.valueOffsets as Int32Array | BigInt64Array;
  return offsets instanceof BigInt64Array ? Float64Array.from(offsets, Number) : offsets;
}
