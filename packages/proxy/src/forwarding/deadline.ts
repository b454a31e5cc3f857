import { type Clock, QuireError } from '@quire/core';

/** A signal that is aborted with `signal`, or when the time is up. Disposing lets go of both. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer = new AbortController();
  readonly #outer: AbortSignal | undefined;

  constructor(clock: Clock, timeoutMs: number, outer?: AbortSignal) {
    this.#outer = outer;
    if (outer?.aborted === true) this.#onAbort();
    outer?.addEventListener('abort', this.#onAbort, { once: true });
    clock.sleep(timeoutMs, this.#timer.signal).then(
      () => this.#controller.abort(new QuireError('BROKER_TIMED_OUT', 'A broker does not answer in time.')),
      () => undefined, // let go before
    );
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    this.#timer.abort(letGo);
    this.#outer?.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (): void => this.#controller.abort(this.#outer?.reason);
}

/** One for all: nobody sees it. */
const letGo = new QuireError('ABORTED', 'The deadline is not needed any more.');
