/** Variants of MurmurHash of 64 bits that are older than the final MurmurHash3. */

const mask64 = (1n << 64n) - 1n;
const multiplier = 0xc6a4_a793_5bd1_e995n;

/** MurmurHash2 (64A) by Austin Appleby, signed. */
export function murmurHash2Bit64(bytes: Uint8Array, seed: number): bigint {
  const view = viewOf(bytes);
  let hash = BigInt(seed >>> 0) ^ ((BigInt(bytes.length) * multiplier) & mask64);
  const end = bytes.length & ~7;
  for (let offset = 0; offset < end; offset += 8) {
    const word = (view.getBigUint64(offset, true) * multiplier) & mask64;
    hash = ((hash ^ (((word ^ (word >> 47n)) * multiplier) & mask64)) * multiplier) & mask64;
  }
  if (end < bytes.length) {
    const rest = new DataView(new ArrayBuffer(8));
    bytes.subarray(end).forEach((byte, index) => rest.setUint8(index, byte));
    hash = ((hash ^ rest.getBigUint64(0, true)) * multiplier) & mask64;
  }
  hash = ((hash ^ (hash >> 47n)) * multiplier) & mask64;
  return BigInt.asIntN(64, hash ^ (hash >> 47n));
}

/** A beta of MurmurHash3 (x64, 128 bits), both halves unsigned. Its last bytes count with their sign, as in Java. */
export function murmurHash3X64(bytes: Uint8Array, seed: number): readonly [bigint, bigint] {
  const view = viewOf(bytes);
  const signed = BigInt.asUintN(64, BigInt(seed));
  let [h1, h2] = [0x9368_e53c_2f6a_f274n ^ signed, 0x586d_cd20_8f7c_d3fdn ^ signed];
  let [c1, c2] = [0x87c3_7b91_1142_53d5n, 0x4cf5_ad43_2745_937fn];
  const mix = (first: bigint, second: bigint): void => {
    const k1 = (rotate((first * c1) & mask64, 23n) * c2) & mask64;
    h1 = ((h1 ^ k1) + h2) & mask64;
    const k2 = (rotate((second * c2) & mask64, 23n) * c1) & mask64;
    h2 = ((rotate(h2, 41n) ^ k2) + h1) & mask64;
    h1 = (h1 * 3n + 0x52dc_e729n) & mask64;
    h2 = (h2 * 3n + 0x3849_5ab5n) & mask64;
    c1 = (c1 * 5n + 0x7b7d_159cn) & mask64;
    c2 = (c2 * 5n + 0x6bce_6396n) & mask64;
  };
  const end = bytes.length & ~15;
  for (let offset = 0; offset < end; offset += 16) mix(view.getBigUint64(offset, true), view.getBigUint64(offset + 8, true));
  if (end < bytes.length) {
    const halves: [bigint, bigint] = [0n, 0n];
    for (let offset = end; offset < bytes.length; offset += 1) {
      const half = offset - end < 8 ? 0 : 1;
      halves[half] ^= BigInt.asUintN(64, BigInt(view.getInt8(offset)) << BigInt(((offset - end) % 8) * 8));
    }
    mix(...halves);
  }
  h2 ^= BigInt(bytes.length);
  h1 = (h1 + h2) & mask64;
  h2 = (h2 + h1) & mask64;
  [h1, h2] = [finish(h1), finish(h2)];
  h1 = (h1 + h2) & mask64;
  return [h1, (h2 + h1) & mask64];
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function rotate(value: bigint, count: bigint): bigint {
  return ((value << count) | (value >> (64n - count))) & mask64;
}

function finish(half: bigint): bigint {
  const first = ((half ^ (half >> 33n)) * 0xff51_afd7_ed55_8ccdn) & mask64;
  const second = ((first ^ (first >> 33n)) * 0xc4ce_b9fe_1a85_ec53n) & mask64;
  return second ^ (second >> 33n);
}
