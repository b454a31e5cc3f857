import type { Clock } from '../clock.ts';
import { abortError, QuireError } from '../errors.ts';

/** The options of a `Deadline`, and the error for its expiry. */
export interface DeadlineOptions {
  readonly clock: Clock;
  /**
   * The timeout of a countdown that starts immediately. Omitted: the countdown starts with `start`.
   */
  readonly timeoutMs?: number;
  /** Aborts `signal` as well, with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Returns the error that `signal` is aborted with when the time is over. */
  readonly error: (timeoutMs: number) => QuireError;
}

/**
 * One error for all deadlines: creating an error with its stack for each store call would cost as
 * much as the deadline itself.
 */
const disposed = new QuireError('ABORTED', 'The wait was cancelled.');

/**
 * A signal that is aborted when the time is over, or when the given signal is. Its reason is always
 * a QuireError.
 *
 * The countdown can be restarted and stopped any number of times with a single timer: a listing
 * waits for a hundred thousand entries, and a timer for each would cost more than the entries.
 * Disposing releases the timer and the given signal.
 */
export class Deadline implements Disposable {
  readonly #clock: Clock;
  readonly #outer: AbortSignal | undefined;
  readonly #error: (timeoutMs: number) => QuireError;
  readonly #controller = new AbortController();
  #timeoutMs = 0;
  #endMs = Infinity;
  #isOver = false;
  /** The current sleep, and its end. */
  #sleep: AbortController | undefined;
  #sleepEndMs = Infinity;
  #reject: ((error: QuireError) => void) | undefined;

  constructor({ clock, timeoutMs, signal, error }: DeadlineOptions) {
    this.#clock = clock;
    this.#outer = signal;
    this.#error = error;
    if (signal?.aborted === true) this.#onOuterAbort();
    else signal?.addEventListener('abort', this.#onOuterAbort, { once: true });
    if (timeoutMs !== undefined) this.start(timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True if the time was over before any other abort. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Restarts the countdown. */
  start(timeoutMs: number): void {
    if (this.signal.aborted) return;
    this.#timeoutMs = timeoutMs;
    this.#endMs = this.#clock.monotonicMs() + timeoutMs;
    // A sleep that ends before the new deadline is extended by the loop; a later end needs a new
    // sleep.
    if (this.#endMs < this.#sleepEndMs) void this.#watch();
  }

  /** Stops the countdown while another party is working. */
  stop(): void {
    this.#endMs = Infinity;
  }

  /**
   * Runs `work` with a countdown; rejects as soon as the time is over, whatever the outcome of the
   * work.
   */
  wait<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
    this.start(timeoutMs);
    const stopped = work().finally(() => this.stop());
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      stopped.then(resolve, reject);
    });
  }

  [Symbol.dispose](): void {
    this.stop();
    this.#sleep?.abort(disposed);
    this.#outer?.removeEventListener('abort', this.#onOuterAbort);
  }

  readonly #onOuterAbort = (): void => {
    if (this.#outer !== undefined) this.#controller.abort(abortError(this.#outer));
  };

  async #watch(): Promise<void> {
    this.#sleep?.abort(disposed);
    const sleep = new AbortController();
    this.#sleep = sleep;
    try {
      while (this.#endMs < Infinity) {
        const leftMs = this.#endMs - this.#clock.monotonicMs();
        if (leftMs <= 0) {
          this.#end(this.#error(this.#timeoutMs));
          return;
        }
        this.#sleepEndMs = this.#endMs;
        await this.#clock.sleep(leftMs, sleep.signal);
      }
    } catch (cause) {
      if (sleep.signal.aborted) return;
      this.#end(new QuireError('INTERNAL', 'The clock failed during a countdown.', { cause }));
    } finally {
      if (this.#sleep === sleep) this.#sleepEndMs = Infinity;
    }
  }

  #end(error: QuireError): void {
    this.stop();
    this.#isOver = !this.signal.aborted;
    this.#controller.abort(error);
    this.#reject?.(error);
  }
}

/**
 * Runs the task with the signal of a `Deadline`.
 *
 * @throws the deadline's error when the task fails after its time is over
 */
export async function withDeadline<T>(
  options: DeadlineOptions & { readonly timeoutMs: number },
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  using deadline = new Deadline(options);
  try {
    return await task(deadline.signal);
  } catch (error) {
    throw deadline.isOver ? abortError(deadline.signal) : error;
  }
}
