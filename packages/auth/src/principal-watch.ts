import { type Clock, isQuireError, type QuireError } from '@quire/core';
import type { KnownPrincipal } from './known-principal.ts';

export interface PrincipalWatchOptions {
  /** Reads all principals and their secrets as they are now, or throws INVALID_SETTING. */
  readonly read: () => Promise<readonly KnownPrincipal[]>;
  /** What holds now, as it was read at the start. */
  readonly principals: readonly KnownPrincipal[];
  readonly clock: Clock;
  /** Told when a secret was changed. */
  readonly onChange: (principals: readonly KnownPrincipal[]) => void;
  /** Told when the secrets cannot be read any more, once until they can or the problem is another; the last good ones hold. */
  readonly onProblem: (error: QuireError) => void;
}

/** How soon a token that was replaced in its file is the one that counts, and the old one counts no more. */
const periodMs = 10_000;

/** Keeps principals up with the files that their tokens and passwords are in, all or none. */
export class PrincipalWatch implements AsyncDisposable {
  readonly #options: PrincipalWatchOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #state: string;
  #problem: string | undefined;

  /** Begins to watch. */
  constructor(options: PrincipalWatchOptions) {
    this.#options = options;
    this.#state = stateOf(options.principals);
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
    const principals = await this.#options.read();
    const state = stateOf(principals);
    this.#problem = undefined;
    if (state === this.#state || this.#stopping.signal.aborted) return;
    this.#state = state;
    this.#options.onChange(principals);
  }
}

/** Digests of everything that counts, in one text; it leaves this file as little as the secrets do. */
function stateOf(principals: readonly KnownPrincipal[]): string {
  const hex = (bytes: Uint8Array | undefined): string => (bytes === undefined ? '' : Buffer.from(bytes).toString('hex'));
  return principals
    .map(({ name, role, tokenDigest, passwordDigest, passwordHash }) =>
      [name, role, hex(tokenDigest), hex(passwordDigest), hex(passwordHash?.salt), hex(passwordHash?.key)].join(' '),
    )
    .join('\n');
}
