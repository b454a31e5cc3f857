const adlerModulus = 65_521;
const murmurMultiplier = 0x5b_d1_e9_95;
/** The seed that Kafka chose; partitions of keys depend on it. */
const murmurSeed = 0x97_47_b2_8c;

/** Adler-32 (RFC 1950) as a signed integer. */
export function adler32(bytes: Uint8Array): number {
  let [low, high] = [1, 0];
  for (const byte of bytes) {
    low = (low + byte) % adlerModulus;
    high = (high + low) % adlerModulus;
  }
  return (high << 16) | low;
}

/** MurmurHash2 by Austin Appleby, 32 bits, signed, as Kafka's clients have it. */
export function murmurHash2(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wordEnd = bytes.length & ~3;
  let hash = murmurSeed ^ bytes.length;
  for (let offset = 0; offset < wordEnd; offset += 4) {
    let word = Math.imul(view.getInt32(offset, true), murmurMultiplier);
    word ^= word >>> 24;
    hash = Math.imul(hash, murmurMultiplier) ^ Math.imul(word, murmurMultiplier);
  }
  if (wordEnd < bytes.length) {
    let rest = 0;
    for (let offset = bytes.length - 1; offset >= wordEnd; offset -= 1) rest = (rest << 8) | view.getUint8(offset);
    hash = Math.imul(hash ^ rest, murmurMultiplier);
  }
  hash = Math.imul(hash ^ (hash >>> 13), murmurMultiplier);
  return hash ^ (hash >>> 15);
}
