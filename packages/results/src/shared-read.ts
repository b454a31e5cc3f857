import { QuireError } from '@quire/core';
import { unlessAborted } from '@quire/core/wait';

interface SharedReadParts<T> {
  /** Starts at once; its signal is aborted when nobody wants what it reads any more. */
  readonly read: (signal: AbortSignal) => Promise<T>;
  /** Called once, when the last user has left: nobody may join any more. */
  readonly onUnused: () => void;
  /**
   * Takes back what was read, if it was: at once when the last user has left, or later, where that
   * did not keep the read from ending. `mayBeLookedAt` when somebody left in the middle of it, who
   * may still have a part of it in hand.
   */
  readonly takeBack: (value: T, mayBeLookedAt: boolean) => void;
}

/**
 * One read for everybody who wants the same bytes at the same time. It goes on while anybody waits
 * for it or uses what it gave.
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
    this.#outcome.then(settle, settle); // a failure is told to those who join
  }

  /**
   * Uses what is read, as long as `use` runs.
   *
   * @throws what the read threw
   * @throws ABORTED when `signal` is aborted while it is waited for
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
