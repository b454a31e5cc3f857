import { type Clock, isQuireError, QuireError } from '@quire/core';
import type { createLocalJWKSet, JWTVerifyGetKey } from 'jose';
import { loadJose } from './load-jose.ts';

/** The source of the keys of a `JwkSet`, and the frequency of reading it. */
export interface JwkSetOptions {
  /** Reads the current JSON Web Key Set. */
  readonly read: () => Promise<string>;
  readonly clock: Clock;
  /**
   * The age at which the set is read again: a key that was removed from it is refused after this
   * time.
   */
  readonly maxAgeMs: number;
  /** The minimum time between two reads, however many unknown keys are requested. */
  readonly cooldownMs: number;
  /** Called when the set cannot be read; the last valid one stays in use. */
  readonly onProblem: (error: QuireError) => void;
}

/**
 * The verification keys of tokens (RFC 7517). The set is read again when it is old, and when a
 * token names an unknown key, but at most once in each cooldown. Concurrent calls share a read.
 */
export class JwkSet {
  readonly #options: JwkSetOptions;
  #keys: JWTVerifyGetKey | undefined;
  /** The time at which the last read started, whatever its outcome. */
  #triedMs = Number.NEGATIVE_INFINITY;
  #readMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: JwkSetOptions) {
    this.#options = options;
  }

  /**
   * Returns the key that a token's header names.
   *
   * @throws AUTHENTICATION_UNAVAILABLE when no set could be read yet
   * @throws a JOSE error when there is no such key, or none for the algorithm
   */
  readonly keyFor: JWTVerifyGetKey = async (header, token) => {
    if (this.#options.clock.monotonicMs() - this.#readMs >= this.#options.maxAgeMs) {
      await this.#readUnlessJustTried();
    }
    const keys = this.#keys;
    if (keys === undefined) throw this.#unavailable();
    const { errors } = await loadJose();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#readUnlessJustTried();
      if (this.#keys === keys || this.#keys === undefined) throw error;
      return this.#keys(header, token);
    }
  };

  async #readUnlessJustTried(): Promise<void> {
    const { clock, cooldownMs } = this.#options;
    if (this.#reading === undefined && clock.monotonicMs() - this.#triedMs >= cooldownMs) {
      this.#triedMs = clock.monotonicMs();
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined;
      });
    }
    await this.#reading;
  }

  async #read(): Promise<void> {
    const { read, clock, onProblem } = this.#options;
    try {
      this.#keys = await parseKeys(await read());
      this.#readMs = clock.monotonicMs();
    } catch (error) {
      if (!isQuireError(error)) throw error;
      onProblem(error);
    }
  }

  #unavailable(): QuireError {
    return new QuireError(
      'AUTHENTICATION_UNAVAILABLE',
      'The keys that verify tokens cannot be read; try again.',
    );
  }
}

/** The maximum number of keys, more than any issuer has: a search must stay cheap. */
const keyCountMax = 200;

async function parseKeys(text: string): Promise<JWTVerifyGetKey> {
  const jose = await loadJose();
  const invalid = (reason: string): QuireError =>
    new QuireError(
      'INVALID_SETTING',
      `engine.auth.jwt.jwks.url: expected a JSON Web Key Set with public keys: ${reason}.`,
    );
  let keys: { readonly keys?: readonly unknown[] };
  try {
    keys = JSON.parse(text) as typeof keys;
  } catch {
    throw invalid('it is not valid JSON'); // the parser's own message repeats a part of the text
  }
  if (!Array.isArray(keys?.keys)) throw invalid('it has no list of keys');
  if (keys.keys.length > keyCountMax) throw invalid(`it has more than ${keyCountMax} keys`);
  try {
    return jose.createLocalJWKSet(keys as Parameters<typeof createLocalJWKSet>[0]);
  } catch (error) {
    if (!(error instanceof jose.errors.JWKSInvalid)) throw error;
    throw invalid('it is malformed');
  }
}
