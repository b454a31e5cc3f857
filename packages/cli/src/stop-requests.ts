import { QuireError } from '@quire/core';
import type { Environment } from './environment.ts';

/**
 * Requests to stop: the first one requests a graceful stop, the second an immediate one. Listens
 * until disposed.
 */
export class StopRequests implements Disposable {
  /** Resolves at the first request. */
  readonly first: Promise<void>;
  /** Aborted at the second request. */
  readonly atOnce: AbortSignal;
  readonly #second: Promise<never>;
  readonly #listening: Disposable;

  constructor(environment: Environment) {
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<never>();
    const atOnce = new AbortController();
    let count = 0;
    this.#listening = environment.onSignal(['SIGINT', 'SIGTERM'], () => {
      count += 1;
      if (count === 1) return first.resolve();
      atOnce.abort();
      second.reject(new QuireError('ABORTED', 'Stopped at once: running calls were aborted.'));
    });
    this.first = first.promise;
    this.atOnce = atOnce.signal;
    this.#second = second.promise;
    // A second request may arrive when no caller is waiting for it any more.
    this.#second.catch(() => undefined);
  }

  /**
   * Resolves when `running` does. @throws ABORTED at the second request, even if work is still
   * running
   */
  orSecond(running: Promise<void>): Promise<void> {
    return Promise.race([running, this.#second]);
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
  }
}
