import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { define, type FunctionDefinition } from '../language/function-definition.ts';
import { bytes, int, long, text } from '../language/function-type.ts';
import { adler32, murmurHash2 } from '../values/checksum.ts';
import { crc32c, md2 } from '../values/digests.ts';
import { murmurHash2Bit64, murmurHash3X64 } from '../values/murmur-hash.ts';
import { murmurHash3Bit128, murmurHash3Bit32 } from '../values/murmur-hash3.ts';

/** Text where bytes are due is hex digits: `md5(toUtf8(a))` is the digest of a text. */
// prettier-ignore
export const hashFunctions: readonly FunctionDefinition[] = [
  define('sha', [bytes], text, (given) => digest('sha1', given), 'SHA-1 in hex digits.', "sha(toUtf8('a'))"),
  define('sha224', [bytes], text, (given) => digest('sha3-224', given), 'SHA3-224 in hex digits.', "sha224(toUtf8('a'))"),
  define('sha256', [bytes], text, (given) => digest('sha256', given), 'SHA-256 in hex digits.', "sha256(toUtf8('a'))"),
  define('sha512', [bytes], text, (given) => digest('sha512', given), 'SHA-512 in hex digits.', "sha512(toUtf8('a'))"),
  define('md2', [bytes], text, (given) => Buffer.from(md2(given)).toString('hex'), 'MD2 in hex digits.', "md2(toUtf8('a'))"),
  define('md5', [bytes], text, (given) => digest('md5', given), 'MD5 in hex digits.', "md5(toUtf8('a'))"),
  define('crc32', [bytes], int, (given) => crc32(given) | 0, 'CRC-32, signed.', "crc32(toUtf8('a'))"),
  define('crc32c', [bytes], int, crc32c, 'CRC-32C, signed.', "crc32c(toUtf8('a'))"),
  define('adler32', [bytes], int, adler32, 'Adler-32, signed.', "adler32(toUtf8('a'))"),
  define('murmurHash2', [bytes], int, murmurHash2, 'MurmurHash2 of 32 bits, as Kafka’s clients have it.', "murmurHash2(toUtf8('a'))"),
  define('murmurHash2UTF8', [text], int, (given) => murmurHash2(Buffer.from(given, 'utf8')), 'The same of a text.', "murmurHash2UTF8('a')"),
  define('murmurHash2Bit64', [bytes], long, (given) => murmurHash2Bit64(given, 0xe1_7a_14_65), 'MurmurHash2 of 64 bits.', "murmurHash2Bit64(toUtf8('a'))"),
  define('murmurHash2Bit64', [bytes, int], long, murmurHash2Bit64, 'The same with a seed.', "murmurHash2Bit64(toUtf8('a'), 7)"),
  define('murmurHash3Bit32', [bytes, int], int, murmurHash3Bit32, 'MurmurHash3 (x86) of 32 bits with a seed.', "murmurHash3Bit32(toUtf8('a'), 0)"),
  define('murmurHash3Bit64', [bytes, int], long, (given, seed) => Buffer.from(murmurHash3Bit128(given, seed)).readBigInt64LE(), 'The first half of MurmurHash3 (x64).', "murmurHash3Bit64(toUtf8('a'), 0)"),
  define('murmurHash3Bit128', [bytes, int], bytes, murmurHash3Bit128, 'MurmurHash3 (x64) of 128 bits.', "murmurHash3Bit128(toUtf8('a'), 0)"),
  define('murmurHash3X64Bit32', [bytes, int], int, (given, seed) => Number(murmurHash3X64(given, seed)[0] >> 32n) | 0, 'An older MurmurHash3 (x64): its first 32 bits.', "murmurHash3X64Bit32(toUtf8('a'), 0)"),
  define('murmurHash3X64Bit64', [bytes, int], long, (given, seed) => BigInt(Number(murmurHash3X64(given, seed)[0] >> 32n) | 0), 'The same 32 bits as a long.', "murmurHash3X64Bit64(toUtf8('a'), 0)"),
  define('murmurHash3X64Bit128', [bytes, int], bytes, (given, seed) => bytesOf(murmurHash3X64(given, seed)), 'All its 128 bits.', "murmurHash3X64Bit128(toUtf8('a'), 0)"),
];

function digest(algorithm: string, given: Uint8Array): string {
  return createHash(algorithm).update(given).digest('hex');
}

function bytesOf([high, low]: readonly [bigint, bigint]): Uint8Array {
  const written = Buffer.alloc(16);
  written.writeBigUInt64BE(high, 0);
  written.writeBigUInt64BE(low, 8);
  return written;
}
