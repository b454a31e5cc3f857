import { type Random, systemRandom } from '@quire/core';
import { sha256 } from './digest.ts';
import { deriveKey, formatScryptHash } from './scrypt-hash.ts';

/** 2^15 · 8 · 128 bytes = 32 MiB and some 50 ms per guess: expensive for many guesses, cheap for one check. */
const parameters = { cost: 32_768, blockSize: 8, parallelization: 1 } as const;
const saltBytes = 16;
const keyBytes = 32;

/** A salted hash of a password, as `engine.auth.principal.<name>.password.scrypt` takes it; another one each time. */
export async function hashPassword(password: string, options: { readonly random?: Random } = {}): Promise<string> {
  const salted = { ...parameters, salt: (options.random ?? systemRandom).bytes(saltBytes) };
  return formatScryptHash({ ...salted, key: await deriveKey(password, salted, keyBytes) });
}

/** The SHA-256 of a token in hexadecimal, as `engine.auth.principal.<name>.token.sha256` takes it. */
export function hashToken(token: string): string {
  return Buffer.from(sha256(token)).toString('hex');
}
