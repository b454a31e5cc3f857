import { abortError, type Clock, systemClock } from '@quire/core';

interface Sleeper {
  readonly wakeMs: number;
  readonly wake: () => void;
}

/**
 * A clock that runs as the system's does, and jumps ahead on request: calls take real time, and
 * hours pass between them.
 */
export class JumpingClock implements Clock {
  readonly #sleepers = new Set<Sleeper>();
  readonly #onJump: (aheadMs: number) => void;
  #aheadMs = 0;

  /** Calls `onJump` with the milliseconds that it is ahead of the system's clock. */
  constructor(onJump: (aheadMs: number) => void) {
    this.#onJump = onJump;
  }

  /** The current number of sleepers. */
  get sleeperCount(): number {
    return this.#sleepers.size;
  }

  nowMs(): number {
    return systemClock.nowMs() + this.#aheadMs;
  }

  monotonicMs(): number {
    return systemClock.monotonicMs() + this.#aheadMs;
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    if (signal?.aborted === true) {
      reject(abortError(signal));
      return promise;
    }
    const timer = new AbortController();
    const end = (): void => {
      this.#sleepers.delete(sleeper);
      signal?.removeEventListener('abort', onAbort);
      timer.abort();
    };
    const onAbort = (): void => {
      end();
      if (signal !== undefined) reject(abortError(signal));
    };
    const wake = (): void => {
      end();
      resolve(undefined);
    };
    const sleeper: Sleeper = { wakeMs: this.monotonicMs() + delayMs, wake };
    this.#sleepers.add(sleeper);
    signal?.addEventListener('abort', onAbort, { once: true });
    systemClock.sleep(delayMs, timer.signal).then(wake, () => undefined);
    return promise;
  }

  /** Jumps ahead, and wakes each sleeper on the way at its own moment. */
  async jump(durationMs: number): Promise<void> {
    const targetMs = this.monotonicMs() + durationMs;
    for (let next = this.#firstUntil(targetMs); next !== undefined;) {
      this.#jumpTo(next.wakeMs);
      next.wake();
      await turn();
      next = this.#firstUntil(targetMs);
    }
    this.#jumpTo(targetMs);
  }

  #jumpTo(monotonicMs: number): void {
    this.#aheadMs += Math.max(0, Math.ceil(monotonicMs - this.monotonicMs()));
    this.#onJump(this.#aheadMs);
  }

  #firstUntil(targetMs: number): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const sleeper of this.#sleepers) {
      if (sleeper.wakeMs <= targetMs && sleeper.wakeMs < (first?.wakeMs ?? Infinity)) {
        first = sleeper;
      }
    }
    return first;
  }
}

/** Lets woken work run, except for input and output in progress. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
