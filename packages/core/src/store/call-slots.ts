import { abortError, throwIfAborted } from '../errors.ts';

/** Gives a slot back; a second call does nothing. */
export type ReleaseSlot = () => void;

/** A fixed number of slots, given out first come, first served. */
export class CallSlots {
  // A Set keeps the order of arrival and forgets an aborted waiter in constant time.
  readonly #waiting = new Set<(release: ReleaseSlot) => void>();
  #freeCount: number;

  constructor(count: number) {
    this.#freeCount = count;
  }

  /**
   * Resolves once a slot is free, with the function that gives it back.
   *
   * @throws ABORTED when the signal is or becomes aborted; the waiter has then left the queue
   */
  acquire(signal: AbortSignal | undefined): Promise<ReleaseSlot> {
    return new Promise((resolve, reject) => {
      throwIfAborted(signal);
      if (this.#freeCount > 0) {
        this.#freeCount -= 1;
        resolve(this.#createRelease());
        return;
      }
      const onAbort = (): void => {
        this.#waiting.delete(onTurn);
        if (signal !== undefined) reject(abortError(signal));
      };
      const onTurn = (release: ReleaseSlot): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve(release);
      };
      this.#waiting.add(onTurn);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  #createRelease(): ReleaseSlot {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const [next] = this.#waiting;
      if (next === undefined) {
        this.#freeCount += 1;
        return;
      }
      this.#waiting.delete(next);
      next(this.#createRelease());
    };
  }
}
