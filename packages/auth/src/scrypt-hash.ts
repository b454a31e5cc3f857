import { scrypt, timingSafeEqual } from 'node:crypto';
import { type Random, systemRandom } from '@quire/core';
import { sha256 } from './digest.ts';

/** A password hashed with scrypt (RFC 7914): the cost parameters, the salt and the derived key. */
export interface ScryptHash {
  /** The parameter N of the RFC. */
  readonly cost: number;
  /** The parameter r. */
  readonly blockSize: number;
  /** The parameter p. */
  readonly parallelization: number;
  readonly salt: Uint8Array;
  readonly key: Uint8Array;
}

/** The memory that a hash may use in this process; scrypt needs 128 · N · r bytes. */
const memoryBytesMax = 256 * 1024 * 1024;
const keyBytesMin = 16;
const keyBytesMax = 64;
const saltBytesMin = 8;

/** The format that `parseScryptHash` accepts, in words. */
export const scryptHashAllowed =
  'scrypt:N:r:p:salt:hash with N a power of two from 1024, r from 1 to 32, p from 1 to 16, N·r of 2097152 at most, ' +
  'and in base64 a salt of at least 8 bytes and a hash of 16 to 64 bytes';

/**
 * Returns the hash in a text `scrypt:N:r:p:salt:hash`; undefined if the text is not valid or the
 * hash costs too much to check.
 */
export function parseScryptHash(text: string): ScryptHash | undefined {
  if (!/^scrypt:\d{1,9}:\d{1,2}:\d{1,2}:[A-Za-z0-9+/]+={0,2}:[A-Za-z0-9+/]+={0,2}$/.test(text)) {
    return undefined;
  }
  const [, costText, blockSizeText, parallelizationText, saltText = '', keyText = ''] =
    text.split(':');
  const [cost, blockSize, parallelization] = [
    Number(costText),
    Number(blockSizeText),
    Number(parallelizationText),
  ];
  const [salt, key] = [Buffer.from(saltText, 'base64'), Buffer.from(keyText, 'base64')];
  const isAffordable =
    cost >= 1024 &&
    Number.isInteger(Math.log2(cost)) &&
    isFrom(1, blockSize, 32) &&
    isFrom(1, parallelization, 16) &&
    128 * cost * blockSize <= memoryBytesMax;
  const isLongEnough = salt.length >= saltBytesMin && isFrom(keyBytesMin, key.length, keyBytesMax);
  return isAffordable && isLongEnough ? { cost, blockSize, parallelization, salt, key } : undefined;
}

/** Formats a hash as text for `parseScryptHash`. */
export function formatScryptHash({
  cost,
  blockSize,
  parallelization,
  salt,
  key,
}: ScryptHash): string {
  return ['scrypt', cost, blockSize, parallelization, base64(salt), base64(key)].join(':');
}

/**
 * Reports whether the hash matches the password; takes tens of milliseconds on another thread,
 * whatever the outcome.
 */
export async function matchesScryptHash(password: string, hash: ScryptHash): Promise<boolean> {
  return timingSafeEqual(await deriveKey(password, hash, hash.key.length), hash.key);
}

/** Returns the key that scrypt derives from a password. */
export function deriveKey(
  password: string,
  hash: Omit<ScryptHash, 'key'>,
  keyBytes: number,
): Promise<Uint8Array> {
  // Passwords that look the same may be typed as different characters: RFC 8265 compares them in
  // form C.
  const passwordBytes = Buffer.from(password.normalize('NFC'), 'utf8');
  const options = {
    N: hash.cost,
    r: hash.blockSize,
    p: hash.parallelization,
    maxmem: memoryBytesMax + 1024 * 1024,
  };
  return new Promise((resolve, reject) => {
    scrypt(passwordBytes, hash.salt, keyBytes, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

function isFrom(min: number, value: number, max: number): boolean {
  return value >= min && value <= max;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/**
 * 2^15 · 8 · 128 bytes = 32 MiB and some 50 ms for each guess: expensive for many guesses, cheap
 * for one check.
 */
const parameters = { cost: 32_768, blockSize: 8, parallelization: 1 } as const;
const saltBytes = 16;
const keyBytes = 32;

/**
 * Returns a salted hash of a password for `engine.auth.principal.<name>.password.scrypt`; a
 * different one each time.
 */
export async function hashPassword(
  password: string,
  options: { readonly random?: Random } = {},
): Promise<string> {
  const salted = { ...parameters, salt: (options.random ?? systemRandom).bytes(saltBytes) };
  return formatScryptHash({ ...salted, key: await deriveKey(password, salted, keyBytes) });
}

/**
 * Returns the SHA-256 of a token in hexadecimal for `engine.auth.principal.<name>.token.sha256`.
 */
export function hashToken(token: string): string {
  return Buffer.from(sha256(token)).toString('hex');
}
