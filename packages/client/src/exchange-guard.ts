import { type Clock, isQuireError } from '@quire/core/portable';
import { QuireClientError } from './client-error.ts';

/**
 * Watches over one request and its answer: `signal` is aborted when the caller aborts, or when something that was expected has
 * not come in time. Whoever makes one must `end` it, or its timer stays.
 */
export class ExchangeGuard {
  readonly #clock: Clock;
  readonly #origin: string;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #aborter = new AbortController();
  #timer: AbortController | undefined;
  #timeout: QuireClientError | undefined;

  constructor(clock: Clock, origin: string, callerSignal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#origin = origin;
    this.#callerSignal = callerSignal;
    if (callerSignal?.aborted === true) this.#aborter.abort(callerSignal.reason);
    callerSignal?.addEventListener('abort', this.#onCallerAbort);
  }

  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  /** Waits for what has to come next, `timeoutMs` at most, and no longer than until the caller aborts. */
  async expect<Value>(timeoutMs: number, next: Promise<Value>): Promise<Value> {
    const timer = new AbortController();
    this.#timer = timer;
    void this.#startTimer(timeoutMs, timer.signal);
    // Not left to what is waited for: a function that gives an Authorization may know of no signal.
    const aborted = Promise.withResolvers<never>();
    const onAbort = (): void => {
      // As fetch rejects: with the reason itself, whatever it is.
      aborted.reject(this.signal.reason);
    };
    if (this.signal.aborted) onAbort();
    this.signal.addEventListener('abort', onAbort);
    try {
      return await Promise.race([next, aborted.promise]);
    } finally {
      // A caller that takes its time with what came is no silence of the server's.
      timer.abort();
      this.signal.removeEventListener('abort', onAbort);
    }
  }

  end(): void {
    this.#callerSignal?.removeEventListener('abort', this.#onCallerAbort);
    this.#timer?.abort();
  }

  /** Why the exchange failed: the reason of the caller's abort and a time-out come before what fetch makes of them. */
  explain(error: unknown): unknown {
    if (this.#callerSignal?.aborted === true) return this.#callerSignal.reason;
    if (this.#timeout !== undefined) return this.#timeout;
    if (isQuireError(error)) return error;
    const message = `No answer from ${this.#origin}: ${reasonOf(error)}.`;
    return new QuireClientError('SERVER_UNREACHABLE', message, { cause: error });
  }

  readonly #onCallerAbort = (): void => {
    this.#aborter.abort(this.#callerSignal?.reason);
  };

  async #startTimer(timeoutMs: number, timerSignal: AbortSignal): Promise<void> {
    try {
      await this.#clock.sleep(timeoutMs, timerSignal);
    } catch (error) {
      if (isQuireError(error, 'ABORTED')) return; // it came in time
      throw error;
    }
    const sentence = `${this.#origin} has sent nothing for ${timeoutMs / 1000} s.`;
    this.#timeout = new QuireClientError('SERVER_UNREACHABLE', sentence);
    this.#aborter.abort(this.#timeout);
  }
}

/** What stands behind fetch's "fetch failed": the connection's own message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message;
  if (cause instanceof Error && cause.message !== '') return cause.message;
  return error.message;
}
