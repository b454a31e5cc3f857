import { abortError, type QuireError, throwIfAborted } from '../errors.ts';

/** Releases a slot; a second call does nothing. */
export type ReleaseSlot = () => void;

/** The maximum number of waiters, and the error for further ones. */
export interface WaitingLimit {
  readonly waitingMax: number;
  readonly error: (slots: Slots) => QuireError;
}

/**
 * A fixed number of slots, granted in order of arrival. With one slot it is a sequential task
 * queue.
 */
export class Slots {
  // A Set keeps the order of arrival and removes an aborted waiter in constant time.
  readonly #waiting = new Set<() => void>();
  readonly #count: number;
  readonly #limit: WaitingLimit | undefined;
  #takenCount = 0;

  /** Creates free slots. Without a limit, any number of callers may wait. */
  constructor(count: number, limit?: WaitingLimit) {
    this.#count = count;
    this.#limit = limit;
  }

  get takenCount(): number {
    return this.#takenCount;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves once a slot is free, with the function that releases it.
   *
   * @throws the limit's error immediately, when no slot is free and the queue is full
   * @throws ABORTED when the signal is or becomes aborted; the waiter has then left the queue
   */
  async acquire(signal?: AbortSignal): Promise<ReleaseSlot> {
    await this.#take(signal);
    let isReleased = false;
    return () => {
      if (!isReleased) this.#passOn();
      isReleased = true;
    };
  }

  /**
   * Runs the task in a slot, immediately if one is free. @throws as `acquire`, and any error of the
   * task
   */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = this.#take(signal);
    if (turn !== undefined) await turn;
    try {
      return await task();
    } finally {
      this.#passOn();
    }
  }

  /**
   * Takes a free slot immediately; otherwise resolves once one has been handed over. A slot that is
   * being handed over counts as taken.
   */
  #take(signal: AbortSignal | undefined): Promise<void> | undefined {
    throwIfAborted(signal);
    if (this.#takenCount < this.#count) {
      this.#takenCount += 1;
      return undefined;
    }
    if (this.#limit !== undefined && this.#waiting.size >= this.#limit.waitingMax) {
      throw this.#limit.error(this);
    }
    return new Promise((resolve, reject) => {
      const onTurn = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#waiting.delete(onTurn);
        if (signal !== undefined) reject(abortError(signal));
      };
      this.#waiting.add(onTurn);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#takenCount -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
