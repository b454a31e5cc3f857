import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { bytesOrText, integer } from '../parameters.ts';
import { adler32, murmurHash2 } from '../values/checksum.ts';
import { fnvHash32, fnvHash64, type FnvKind } from '../values/fnv-hash.ts';
import { toInteger } from '../values/integer.ts';
import { murmurHash3Bit32, murmurHash3Bit128 } from '../values/murmur-hash3.ts';

function digest(name: string, algorithm: string, does: string): FunctionDefinition {
  return scalar({
    name,
    takes: [bytesOrText],
    returns: 'text',
    does: `${does} of bytes, or of text in UTF-8, as hex.`,
    evaluate: (given) => createHash(algorithm).update(given).digest('hex'),
  });
}

function fnv(name: string, kind: FnvKind): readonly FunctionDefinition[] {
  return ([32, 64] as const).map((bits) =>
    scalar({
      name: `${name}Hash${bits}`,
      aliases: [`${name}Hash${bits}UTF8`, `${name}${bits}`],
      takes: [bytesOrText],
      returns: 'integer',
      does: `${kind} of bytes, or of text in UTF-8, as a signed integer of ${bits} bits.`,
      evaluate: (given) => (bits === 32 ? fnvHash32(given, kind) : toInteger(fnvHash64(given, kind))),
    }),
  );
}

/** Digests and checksums. */
export const hashFunctions: readonly FunctionDefinition[] = [
  digest('md5', 'md5', 'MD5'),
  digest('sha', 'sha1', 'SHA-1'),
  digest('sha224', 'sha3-224', 'SHA3-224, as the engine has it, not SHA-224,'),
  digest('sha256', 'sha256', 'SHA-256'),
  digest('sha512', 'sha512', 'SHA-512'),
  scalar({
    name: 'crc32',
    takes: [bytesOrText],
    returns: 'integer',
    does: 'CRC-32, as a signed integer of 32 bits, of bytes, or of text in UTF-8.',
    evaluate: (given) => crc32(given) | 0,
  }),
  scalar({
    name: 'adler32',
    takes: [bytesOrText],
    returns: 'integer',
    does: 'Adler-32, as a signed integer of 32 bits, of bytes, or of text in UTF-8.',
    evaluate: (given) => adler32(given),
  }),
  scalar({
    name: 'murmurHash2',
    aliases: ['murmurHash2UTF8', 'murmurHash', 'murmur2'],
    takes: [bytesOrText],
    returns: 'integer',
    does: 'MurmurHash2 with the seed of Kafka, by which keys go to partitions; a signed integer of 32 bits.',
    evaluate: (given) => murmurHash2(given),
  }),
  scalar({
    name: 'murmurHash3Bit32',
    aliases: ['murmur332'],
    takes: [bytesOrText],
    optionally: [integer],
    returns: 'integer',
    does: 'MurmurHash3 for x86 with a seed, or 0; a signed integer of 32 bits.',
    evaluate: (given, seed = 0) => murmurHash3Bit32(given, seed),
  }),
  scalar({
    name: 'murmurHash3Bit64',
    takes: [bytesOrText, integer],
    returns: 'integer',
    does: 'The first half of murmurHash3Bit128, as a signed integer of 64 bits.',
    evaluate: (given, seed) => toInteger(Buffer.from(murmurHash3Bit128(given, seed)).readBigInt64LE()),
  }),
  scalar({
    name: 'murmurHash3Bit128',
    takes: [bytesOrText, integer],
    returns: 'bytes',
    does: 'MurmurHash3 for x64 with a seed, as 16 bytes.',
    evaluate: (given, seed) => murmurHash3Bit128(given, seed),
  }),
  ...fnv('fnv1', 'FNV-1'),
  ...fnv('fnv1a', 'FNV-1a'),
];
