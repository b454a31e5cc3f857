import { type Clock, isQuireError, QuireError } from '@quire/core';
import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';

/** Where the keys of a `JwkSet` come from, and how often they are read. */
export interface JwkSetOptions {
  /** Reads the JSON Web Key Set as it is now. */
  readonly read: () => Promise<string>;
  readonly clock: Clock;
  /**
   * After how long the set is read again, needed or not: a key that was taken out of it is refused
   * this much later.
   */
  readonly maxAgeMs: number;
  /** How long to wait between two readings, however many unknown keys are asked for. */
  readonly cooldownMs: number;
  /** Told when the set cannot be read; the last good one stays in use. */
  readonly onProblem: (error: QuireError) => void;
}

/**
 * The keys that tokens are signed with (RFC 7517), kept up with their source: read again when it is
 * old, and when a token names a key that is not in it, though never more often than the cooldown
 * says. Calls that come together share a reading.
 */
export class JwkSet {
  readonly #options: JwkSetOptions;
  #keys: JWTVerifyGetKey | undefined;
  /** When the last reading began, whatever came of it. */
  #triedMs = Number.NEGATIVE_INFINITY;
  #readMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: JwkSetOptions) {
    this.#options = options;
  }

  /**
   * The key that a token's header asks for.
   *
   * @throws AUTHENTICATION_UNAVAILABLE when no set could be read yet
   * @throws a JOSE error when there is no such key, or none that fits the algorithm
   */
  readonly keyFor: JWTVerifyGetKey = async (header, token) => {
    if (this.#options.clock.monotonicMs() - this.#readMs >= this.#options.maxAgeMs) {
      await this.#readUnlessJustTried();
    }
    const keys = this.#keys;
    if (keys === undefined) throw this.#unavailable();
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
      this.#keys = parseKeys(await read());
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

/** More keys than any issuer has: looking for one must stay cheap. */
const keyCountMax = 200;

function parseKeys(text: string): JWTVerifyGetKey {
  const invalid = (reason: string): QuireError =>
    new QuireError(
      'INVALID_SETTING',
      `engine.auth.jwt.jwks.url: expected a JSON Web Key Set with public keys: ${reason}.`,
    );
  let keys: { readonly keys?: readonly unknown[] };
  try {
    keys = JSON.parse(text) as typeof keys;
  } catch {
    throw invalid('this is not JSON'); // the parser's own message repeats some of the text
  }
  if (!Array.isArray(keys?.keys)) throw invalid('there is no list of keys');
  if (keys.keys.length > keyCountMax) throw invalid(`there are more than ${keyCountMax} keys`);
  try {
    return createLocalJWKSet(keys as Parameters<typeof createLocalJWKSet>[0]);
  } catch (error) {
    if (!(error instanceof errors.JWKSInvalid)) throw error;
    throw invalid('it is malformed');
  }
}
