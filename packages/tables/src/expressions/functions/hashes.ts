import { hash as hashOnce } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  bytes,
  define,
  type FunctionDefinition,
  int,
  long,
  text,
  withUtf8,
} from './function-definition.ts';

const adlerModulus = 65_521;
const murmurMultiplier = 0x5b_d1_e9_95;
/** The seed that Kafka uses; the partitions of keys depend on it. */
const murmurSeed = 0x97_47_b2_8c;

/** Returns the Adler-32 checksum (RFC 1950) as a signed integer. */
function adler32(bytes: Uint8Array): number {
  let [low, high] = [1, 0];
  for (const byte of bytes) {
    low = (low + byte) % adlerModulus;
    high = (high + low) % adlerModulus;
  }
  return (high << 16) | low;
}

/** MurmurHash2 by Austin Appleby, 32 bits, signed, as in Kafka's clients. */
function murmurHash2(bytes: Uint8Array): number {
  const view = viewOf(bytes);
  const wordEnd = bytes.length & ~3;
  let hash = murmurSeed ^ bytes.length;
  for (let offset = 0; offset < wordEnd; offset += 4) {
    let word = Math.imul(view.getInt32(offset, true), murmurMultiplier);
    word ^= word >>> 24;
    hash = Math.imul(hash, murmurMultiplier) ^ Math.imul(word, murmurMultiplier);
  }
  if (wordEnd < bytes.length) {
    hash = Math.imul(hash ^ lastBlock(bytes, 4).getInt32(0, true), murmurMultiplier);
  }
  hash = Math.imul(hash ^ (hash >>> 13), murmurMultiplier);
  return hash ^ (hash >>> 15);
}

/** The permutation of MD2 (RFC 1319), derived from the digits of pi. */
const md2Table = Buffer.from(
  '292e43c9a2d87c013d3654a1ecf0061362a705f3c0c7738c98932bd9bc4c82ca1e9b573cfdd4e01667426f188a17e512be4ec4d6da9ede49a0fbf58ebb2fee7a' +
    'a968799115b2073f94c210890b225f21807f5d9a5a903227353ecce7bff79703ff1930b348a5b5d1d75e922aac56aac64fb838d296a47db676fc6be29c7404f1' +
    '459d705964718720865bcf65e62da8021b6025adaeb0b9f61c46616934407e0f5547a323dd51af3ac35cf9cebac5ea262c530d6e85288409d3dfcdf441814d52' +
    '6adc37c86cc1abfa24e17b080cbdb14a7888958be363e86de9cbd5fe3b001d39f2efb70e6658d0e4a67772f8eb754b0a314450b48fed1f1adb998d339f118314',
  'hex',
);

/** MD2 (RFC 1319), which is not secure. */
function md2(bytes: Uint8Array): Uint8Array {
  const padding = 16 - (bytes.length % 16);
  const padded = Buffer.concat([bytes, Buffer.alloc(padding, padding)]);
  const checksum = Buffer.alloc(16);
  let last = 0;
  for (let offset = 0; offset < padded.length; offset += 16) {
    for (let index = 0; index < 16; index += 1) {
      last = (checksum[index] ?? 0) ^ (md2Table[(padded[offset + index] ?? 0) ^ last] ?? 0);
      checksum[index] = last;
    }
  }
  const state = Buffer.alloc(48);
  const blocks = Buffer.concat([padded, checksum]);
  for (let offset = 0; offset < blocks.length; offset += 16) {
    for (let index = 0; index < 16; index += 1) {
      state[16 + index] = blocks[offset + index] ?? 0;
      state[32 + index] = (state[16 + index] ?? 0) ^ (state[index] ?? 0);
    }
    let carry = 0;
    for (let round = 0; round < 18; round += 1) {
      for (let index = 0; index < 48; index += 1) {
        carry = (state[index] ?? 0) ^ (md2Table[carry] ?? 0);
        state[index] = carry;
      }
      carry = (carry + round) % 256;
    }
  }
  return state.subarray(0, 16);
}

/** Returns the CRC-32C (RFC 3720) as a signed integer. */
function crc32c(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82_f6_3b_78 : 0);
  }
  return ~crc;
}

/** 64-bit variants of MurmurHash that precede the final MurmurHash3. */

const mask64 = (1n << 64n) - 1n;
const multiplier = 0xc6a4_a793_5bd1_e995n;

/** MurmurHash2 (64A) by Austin Appleby, signed. */
function murmurHash2Bit64(bytes: Uint8Array, seed: number): bigint {
  const view = viewOf(bytes);
  let hash = BigInt(seed >>> 0) ^ ((BigInt(bytes.length) * multiplier) & mask64);
  const end = bytes.length & ~7;
  for (let offset = 0; offset < end; offset += 8) {
    const word = (view.getBigUint64(offset, true) * multiplier) & mask64;
    hash = ((hash ^ (((word ^ (word >> 47n)) * multiplier) & mask64)) * multiplier) & mask64;
  }
  if (end < bytes.length) {
    const rest = lastBlock(bytes, 8);
    hash = ((hash ^ rest.getBigUint64(0, true)) * multiplier) & mask64;
  }
  hash = ((hash ^ (hash >> 47n)) * multiplier) & mask64;
  return BigInt.asIntN(64, hash ^ (hash >> 47n));
}

/**
 * A beta of MurmurHash3 (x64, 128 bits), both halves unsigned. Its last bytes are sign-extended, as
 * in Java.
 */
function murmurHash3X64(bytes: Uint8Array, seed: number): readonly [bigint, bigint] {
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
  for (let offset = 0; offset < end; offset += 16) {
    mix(view.getBigUint64(offset, true), view.getBigUint64(offset + 8, true));
  }
  if (end < bytes.length) {
    const halves: [bigint, bigint] = [0n, 0n];
    for (let offset = end; offset < bytes.length; offset += 1) {
      const half = offset - end < 8 ? 0 : 1;
      halves[half] ^= BigInt.asUintN(
        64,
        BigInt(view.getInt8(offset)) << BigInt(((offset - end) % 8) * 8),
      );
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

/** Returns the bytes after the last whole block, padded with zeros. */
function lastBlock(bytes: Uint8Array, size: number): DataView {
  const block = new Uint8Array(size);
  block.set(bytes.subarray(bytes.length - (bytes.length % size)));
  return viewOf(block);
}

function rotate(value: bigint, count: bigint): bigint {
  return ((value << count) | (value >> (64n - count))) & mask64;
}

function finish(half: bigint): bigint {
  const first = ((half ^ (half >> 33n)) * 0xff51_afd7_ed55_8ccdn) & mask64;
  const second = ((first ^ (first >> 33n)) * 0xc4ce_b9fe_1a85_ec53n) & mask64;
  return second ^ (second >> 33n);
}

const multiplier1 = 0x87c3_7b91_1142_53d5n;
const multiplier2 = 0x4cf5_ad43_2745_937fn;

/** MurmurHash3 by Austin Appleby, x86, 32 bits, as a signed integer. */
function murmurHash3Bit32(bytes: Uint8Array, seed: number): number {
  const view = viewOf(bytes);
  const wordEnd = bytes.length & ~3;
  let hash = seed | 0;
  for (let offset = 0; offset < wordEnd; offset += 4) {
    hash = rotate32(hash ^ mixWord(view.getInt32(offset, true)), 13);
    hash = (Math.imul(hash, 5) + 0xe6_54_6b_64) | 0;
  }
  hash ^= mixWord(lastBlock(bytes, 4).getInt32(0, true)) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return hash ^ (hash >>> 16);
}

/** MurmurHash3, x64, 128 bits, as 16 bytes: both halves in little-endian order. */
function murmurHash3Bit128(bytes: Uint8Array, seed: number): Uint8Array {
  const view = viewOf(bytes);
  const blockEnd = bytes.length & ~15;
  let [low, high] = [BigInt.asUintN(64, BigInt(seed | 0)), BigInt.asUintN(64, BigInt(seed | 0))];
  for (let offset = 0; offset < blockEnd; offset += 16) {
    low = rotate(low ^ mixLow(view.getBigUint64(offset, true)), 27n) + high;
    low = (low * 5n + 0x52dc_e729n) & mask64;
    high = rotate(high ^ mixHigh(view.getBigUint64(offset + 8, true)), 31n) + low;
    high = (high * 5n + 0x3849_5ab5n) & mask64;
  }
  const rest = lastBlock(bytes, 16);
  high ^= mixHigh(rest.getBigUint64(8, true)) ^ BigInt(bytes.length);
  low ^= mixLow(rest.getBigUint64(0, true)) ^ BigInt(bytes.length);
  low = (low + high) & mask64;
  high = (high + low) & mask64;
  [low, high] = [finish(low), finish(high)];
  low = (low + high) & mask64;
  high = (high + low) & mask64;
  return new Uint8Array(BigUint64Array.of(low, high).buffer);
}

function mixWord(word: number): number {
  return Math.imul(rotate32(Math.imul(word, 0xcc_9e_2d_51), 15), 0x1b_87_35_93);
}

function mixLow(half: bigint): bigint {
  return (rotate((half * multiplier1) & mask64, 31n) * multiplier2) & mask64;
}

function mixHigh(half: bigint): bigint {
  return (rotate((half * multiplier2) & mask64, 33n) * multiplier1) & mask64;
}

function rotate32(value: number, count: number): number {
  return (value << count) | (value >>> (32 - count));
}

/**
 * Hash functions. Text instead of bytes is parsed as hex digits: `md5(toUtf8(a))` is the digest of
 * a text.
 */
export const hashFunctions: readonly FunctionDefinition[] = [
  digestFunction('sha', 'sha1', 'SHA-1 in hex digits.'),
  digestFunction('sha224', 'sha3-224', 'SHA3-224 in hex digits.'),
  digestFunction('sha256', 'sha256', 'SHA-256 in hex digits.'),
  digestFunction('sha512', 'sha512', 'SHA-512 in hex digits.'),
  define(
    'md2',
    [bytes],
    text,
    (given) => Buffer.from(md2(given)).toString('hex'),
    'MD2 in hex digits.',
    "md2(toUtf8('a'))",
  ),
  digestFunction('md5', 'md5', 'MD5 in hex digits.'),
  define(
    'crc32',
    [bytes],
    int,
    (given) => crc32(given) | 0,
    'CRC-32, signed.',
    "crc32(toUtf8('a'))",
  ),
  define('crc32c', [bytes], int, crc32c, 'CRC-32C, signed.', "crc32c(toUtf8('a'))"),
  define('adler32', [bytes], int, adler32, 'Adler-32, signed.', "adler32(toUtf8('a'))"),
  define(
    'murmurHash2',
    [bytes],
    int,
    murmurHash2,
    '32-bit MurmurHash2, as in Kafka’s clients.',
    "murmurHash2(toUtf8('a'))",
  ),
  define(
    'murmurHash2UTF8',
    [text],
    int,
    (given) => murmurHash2(Buffer.from(given, 'utf8')),
    '32-bit MurmurHash2 of a text, as in Kafka’s clients.',
    "murmurHash2UTF8('a')",
  ),
  define(
    'murmurHash2Bit64',
    [bytes],
    long,
    (given) => murmurHash2Bit64(given, 0xe1_7a_14_65),
    'MurmurHash2 of 64 bits.',
    "murmurHash2Bit64(toUtf8('a'))",
  ),
  define(
    'murmurHash2Bit64',
    [bytes, int],
    long,
    murmurHash2Bit64,
    'The same with a seed.',
    "murmurHash2Bit64(toUtf8('a'), 7)",
  ),
  define(
    'murmurHash3Bit32',
    [bytes, int],
    int,
    murmurHash3Bit32,
    '32-bit MurmurHash3 (x86) with a seed.',
    "murmurHash3Bit32(toUtf8('a'), 0)",
  ),
  define(
    'murmurHash3Bit64',
    [bytes, int],
    long,
    (given, seed) => Buffer.from(murmurHash3Bit128(given, seed)).readBigInt64LE(),
    'The first half of MurmurHash3 (x64).',
    "murmurHash3Bit64(toUtf8('a'), 0)",
  ),
  define(
    'murmurHash3Bit128',
    [bytes, int],
    bytes,
    murmurHash3Bit128,
    'MurmurHash3 (x64) of 128 bits.',
    "murmurHash3Bit128(toUtf8('a'), 0)",
  ),
  define(
    'murmurHash3X64Bit32',
    [bytes, int],
    int,
    (given, seed) => Number(murmurHash3X64(given, seed)[0] >> 32n) | 0,
    'The first 32 bits of the older MurmurHash3 (x64).',
    "murmurHash3X64Bit32(toUtf8('a'), 0)",
  ),
  define(
    'murmurHash3X64Bit64',
    [bytes, int],
    long,
    (given, seed) => BigInt(Number(murmurHash3X64(given, seed)[0] >> 32n) | 0),
    'The first 32 bits of the older MurmurHash3 (x64), as a long.',
    "murmurHash3X64Bit64(toUtf8('a'), 0)",
  ),
  define(
    'murmurHash3X64Bit128',
    [bytes, int],
    bytes,
    (given, seed) => bytesOf(murmurHash3X64(given, seed)),
    'All 128 bits of the older MurmurHash3 (x64).',
    "murmurHash3X64Bit128(toUtf8('a'), 0)",
  ),
];

function digestFunction(name: string, algorithm: string, does: string): FunctionDefinition {
  const digest = (given: Uint8Array | string): string => hashOnce(algorithm, given, 'hex');
  return withUtf8(define(name, [bytes], text, digest, does, `${name}(toUtf8('a'))`), digest);
}

function bytesOf([high, low]: readonly [bigint, bigint]): Uint8Array {
  const written = Buffer.alloc(16);
  written.writeBigUInt64BE(high, 0);
  written.writeBigUInt64BE(low, 8);
  return written;
}
