import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type FunctionDefinition, scalar } from '../function-definition.ts';
import { bytesOrText } from '../parameters.ts';
import { adler32, murmurHash2 } from '../values/checksum.ts';

function digest(name: string, algorithm: string, does: string): FunctionDefinition {
  return scalar({
    name,
    takes: [bytesOrText],
    returns: 'text',
    does: `${does} of bytes, or of text in UTF-8, as hex.`,
    evaluate: (given) => createHash(algorithm).update(given).digest('hex'),
  });
}

/** Digests and checksums. */
export const hashFunctions: readonly FunctionDefinition[] = [
  digest('md5', 'md5', 'MD5'),
  digest('sha', 'sha1', 'SHA-1'),
  digest('sha224', 'sha224', 'SHA-224'),
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
    aliases: ['murmurHash2UTF8', 'murmurHash'],
    takes: [bytesOrText],
    returns: 'integer',
    does: 'MurmurHash2 with the seed of Kafka, by which keys go to partitions; a signed integer of 32 bits.',
    evaluate: (given) => murmurHash2(given),
  }),
];
