import { type Clock, isQuireError, type QuireError } from '@quire/core';

/** The files that a `SecretWatch` reads, and its callback for changes. */
export interface SecretWatchOptions<Secret> {
  /**
   * Reads the secret as it is now. @throws INVALID_SETTING when it cannot be read or is not a
   * secret
   */
  readonly read: () => Promise<Secret>;
  /** What holds now, as it was read at the start. */
  readonly current: Secret;
  /** Two secrets are the same when this gives the same text for them; it stays in here. */
  readonly identify: (secret: Secret) => string;
  readonly clock: Clock;
  /** Told when the secret was changed. */
  readonly onChange: (secret: Secret) => void;
  /**
   * Told when it cannot be read any more, once until it can or the problem is another; the last
   * good one holds.
   */
  readonly onProblem: (error: QuireError) => void;
}

/** How soon a secret that was replaced is the one that counts, and the old one no longer counts. */
const periodMs = 10_000;

/**
 * Keeps a secret up with the files that it is in, whole or not at all: tokens, passwords,
 * certificates with their keys. Looks at what is in them every ten seconds, which no way of
 * replacing a file can escape.
 */
export class SecretWatch<Secret> implements AsyncDisposable {
  readonly #options: SecretWatchOptions<Secret>;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #identity: string;
  #problem: string | undefined;

  /** Begins to watch. */
  constructor(options: SecretWatchOptions<Secret>) {
    this.#options = options;
    this.#identity = options.identify(options.current);
    this.#running = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#options.clock.sleep(periodMs, signal);
        await this.#look();
      } catch (error) {
        if (!isQuireError(error)) throw error;
        if (!signal.aborted && this.#problem !== error.message) this.#options.onProblem(error);
        this.#problem = error.message;
      }
    }
  }

  async #look(): Promise<void> {
    const secret = await this.#options.read();
    const identity = this.#options.identify(secret);
    this.#problem = undefined;
    if (identity === this.#identity || this.#stopping.signal.aborted) return;
    this.#identity = identity;
    this.#options.onChange(secret);
  }
}
