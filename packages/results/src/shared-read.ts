import { QuireError } from '@quire/core';

/** One read for everybody who wants the same bytes at the same time. It goes on while anybody waits for it or uses what it gave. */
export class SharedRead<T> {
  readonly #outcome: Promise<T>;
  readonly #abort = new AbortController();
  readonly #onUnused: (outcome: T | undefined) => void;
  #userCount = 0;
  #value: T | undefined;
  #isSettled = false;

  /**
   * @param read starts at once; its signal is aborted when nobody wants it any more
   * @param onUnused called once, with what was read, if it was, when its last user has left
   */
  constructor(read: (signal: AbortSignal) => Promise<T>, onUnused: (outcome: T | undefined) => void) {
    this.#onUnused = onUnused;
    this.#outcome = read(this.#abort.signal).then((value) => (this.#value = value));
    const settle = (): void => {
      this.#isSettled = true;
    };
    this.#outcome.then(settle, settle); // a failure is told to those who join
  }

  /**
   * Uses what is read, as long as `use` runs.
   *
   * @throws what the read threw, or the reason of `signal` while it was waited for
   */
  async *use<Item>(signal: AbortSignal | undefined, use: (value: T) => Iterable<Item>): AsyncGenerator<Item> {
    this.#userCount += 1;
    try {
      yield* use(await abortable(this.#outcome, signal));
    } finally {
      this.#userCount -= 1;
      if (this.#userCount === 0) {
        if (!this.#isSettled) this.#abort.abort(new QuireError('ABORTED', 'Nobody waits for this read any more.'));
        this.#onUnused(this.#value);
      }
    }
  }
}

async function abortable<T>(outcome: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return outcome;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([outcome, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
