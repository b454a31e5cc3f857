import { type Clock, isQuireError, type QuireError } from '@quire/core';

/** The files that a `SecretWatch` reads, and its callback for changes. */
export interface SecretWatchOptions<Secret> {
  /** Reads the current secret. @throws INVALID_SETTING when it cannot be read or is not valid */
  readonly read: () => Promise<Secret>;
  /** The secret in use, as read at the start. */
  readonly current: Secret;
  /** Returns a text that is equal for equal secrets. It is not used outside this class. */
  readonly identify: (secret: Secret) => string;
  readonly clock: Clock;
  /** Called when the secret has changed. */
  readonly onChange: (secret: Secret) => void;
  /**
   * Called once for each problem when it can no longer be read; the last valid one stays in use.
   */
  readonly onProblem: (error: QuireError) => void;
}

/** The time after which a replaced secret takes effect, and the old one no longer does. */
const periodMs = 10_000;

/**
 * Follows changes of a secret's files, all or none: tokens, passwords, certificates with their
 * keys. Reads their content every ten seconds, which detects any way of replacing a file.
 */
export class SecretWatch<Secret> implements AsyncDisposable {
  readonly #options: SecretWatchOptions<Secret>;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #identity: string;
  #problem: string | undefined;

  /** Starts to watch. */
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
