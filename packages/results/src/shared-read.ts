import { QuireError } from '@quire/core';
import { unlessAborted } from '@quire/core/wait';

interface SharedReadParts<T> {
  /** Starts immediately; its signal is aborted when no user is left. */
  readonly read: (signal: AbortSignal) => Promise<T>;
  /** Called once, when the last user has left; no other user may join after that. */
  readonly onUnused: () => void;
  /**
   * Takes back the value when the last user has left. If the read cannot be stopped, this happens
   * when it ends. `mayBeLookedAt` is true if a user left early and may still hold a part of the
   * value.
   */
  readonly takeBack: (value: T, mayBeLookedAt: boolean) => void;
}

/**
 * One read shared by all callers that want the same bytes at the same time. It continues while any
 * caller waits for it or uses its value.
 */
export class SharedRead<T> {
  readonly #outcome: Promise<T>;
  readonly #abort = new AbortController();
  readonly #parts: SharedReadParts<T>;
  #userCount = 0;
  #isSettled = false;
  #mayBeLookedAt = false;

  constructor(parts: SharedReadParts<T>) {
    this.#parts = parts;
    this.#outcome = parts.read(this.#abort.signal);
    const settle = (): void => {
      this.#isSettled = true;
    };
    this.#outcome.then(settle, settle); // callers that join receive the failure
  }

  /**
   * Uses the value for as long as `use` runs.
   *
   * @throws any error of the read
   * @throws ABORTED when `signal` is aborted during the wait
   */
  async *use<Item>(
    signal: AbortSignal | undefined,
    use: (value: T) => Iterable<Item>,
  ): AsyncGenerator<Item> {
    this.#userCount += 1;
    let isLookingAtIt = false;
    try {
      const value = await unlessAborted(this.#outcome, signal);
      isLookingAtIt = true;
      yield* use(value);
      isLookingAtIt = false;
    } finally {
      this.#mayBeLookedAt ||= isLookingAtIt;
      this.#userCount -= 1;
      if (this.#userCount === 0) this.#end();
    }
  }

  #end(): void {
    const { onUnused, takeBack } = this.#parts;
    if (!this.#isSettled) {
      this.#abort.abort(new QuireError('ABORTED', 'All readers have left this read.'));
    }
    onUnused();
    this.#outcome.then(
      (value) => takeBack(value, this.#mayBeLookedAt),
      () => undefined, // there is nothing to take back
    );
  }
}
