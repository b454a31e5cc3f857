const mask64 = (1n << 64n) - 1n;
const multiplier1 = 0x87c3_7b91_1142_53d5n;
const multiplier2 = 0x4cf5_ad43_2745_937fn;

/** MurmurHash3 by Austin Appleby, x86, 32 bits, as a signed integer. */
export function murmurHash3Bit32(bytes: Uint8Array, seed: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wordEnd = bytes.length & ~3;
  let hash = seed | 0;
  for (let offset = 0; offset < wordEnd; offset += 4) {
    hash = rotate32(hash ^ mixWord(view.getInt32(offset, true)), 13);
    hash = (Math.imul(hash, 5) + 0xe6_54_6b_64) | 0;
  }
  let rest = 0;
  for (let offset = bytes.length - 1; offset >= wordEnd; offset -= 1) rest = (rest << 8) | view.getUint8(offset);
  hash ^= mixWord(rest) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return hash ^ (hash >>> 16);
}

/** MurmurHash3, x64, 128 bits, as 16 bytes: both halves with their low byte first. */
export function murmurHash3Bit128(bytes: Uint8Array, seed: number): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const blockEnd = bytes.length & ~15;
  let [low, high] = [BigInt.asUintN(64, BigInt(seed | 0)), BigInt.asUintN(64, BigInt(seed | 0))];
  for (let offset = 0; offset < blockEnd; offset += 16) {
    low = rotate64(low ^ mixLow(view.getBigUint64(offset, true)), 27n) + high;
    low = (low * 5n + 0x52dc_e729n) & mask64;
    high = rotate64(high ^ mixHigh(view.getBigUint64(offset + 8, true)), 31n) + low;
    high = (high * 5n + 0x3849_5ab5n) & mask64;
  }
  const rest = new DataView(new ArrayBuffer(16));
  for (let offset = blockEnd; offset < bytes.length; offset += 1) rest.setUint8(offset - blockEnd, view.getUint8(offset));
  high ^= mixHigh(rest.getBigUint64(8, true)) ^ BigInt(bytes.length);
  low ^= mixLow(rest.getBigUint64(0, true)) ^ BigInt(bytes.length);
  low = (low + high) & mask64;
  high = (high + low) & mask64;
  low = finish(low);
  high = finish(high);
  low = (low + high) & mask64;
  high = (high + low) & mask64;
  const hash = new DataView(new ArrayBuffer(16));
  hash.setBigUint64(0, low, true);
  hash.setBigUint64(8, high, true);
  return new Uint8Array(hash.buffer);
}

function mixWord(word: number): number {
  return Math.imul(rotate32(Math.imul(word, 0xcc_9e_2d_51), 15), 0x1b_87_35_93);
}

function mixLow(half: bigint): bigint {
  return (rotate64((half * multiplier1) & mask64, 31n) * multiplier2) & mask64;
}

function mixHigh(half: bigint): bigint {
  return (rotate64((half * multiplier2) & mask64, 33n) * multiplier1) & mask64;
}

function finish(half: bigint): bigint {
  const first = ((half ^ (half >> 33n)) * 0xff51_afd7_ed55_8ccdn) & mask64;
  const second = ((first ^ (first >> 33n)) * 0xc4ce_b9fe_1a85_ec53n) & mask64;
  return second ^ (second >> 33n);
}

function rotate32(value: number, count: number): number {
  return (value << count) | (value >>> (32 - count));
}

function rotate64(value: bigint, count: bigint): bigint {
  return ((value << count) | (value >> (64n - count))) & mask64;
}
