/** Bytes as lower-case hex, as cells of type BYTES are written. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** The bytes of a text of pairs of hex digits; undefined where it is none. */
export function bytesOfHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0 || !/^[\da-f]*$/i.test(text)) return undefined;
  return new Uint8Array(Buffer.from(text, 'hex'));
}
