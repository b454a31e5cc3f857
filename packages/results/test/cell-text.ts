import { RowWriter } from '../src/encode/row-writer.ts';

/** Returns the text of a single value, given its representation in memory. */
export function cellText(kind: number, value: ArrayBufferView, scale = 0): string {
  const source = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  // The bytes before the position must remain unchanged.
  const bytes = new Uint8Array(1000).fill(63, 0, 1);
  const end = RowWriter.shared.writeCell(
    { kind, isQuoted: false, scale },
    source,
    0,
    source.length,
    bytes,
    1,
  );
  return Buffer.from(bytes.subarray(0, end)).toString().replace(/^\?/, '');
}
