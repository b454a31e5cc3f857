import type { Clock } from '../clock.ts';
import { abortError, QuireError } from '../errors.ts';

/** What a `Deadline` limits, and the error that its end becomes. */
export interface DeadlineOptions {
  readonly clock: Clock;
  /** What the time may take that begins now. Left out: the countdown begins with `start`. */
  readonly timeoutMs?: number;
  /** Aborts `signal` as well, with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** The error that `signal` is aborted with when the time is over. */
  readonly error: (timeoutMs: number) => QuireError;
}

/**
 * One for all deadlines: an error with its stack for each call to a store would cost as much as the
 * call's guard.
 */
const disposed = new QuireError('ABORTED', 'The wait was cancelled.');

/**
 * A signal that is aborted when the time is over, or when the given signal is. Its reason is always
 * a QuireError.
 *
 * The countdown can be started again and stopped as often as anybody likes, with one sleep at a
 * time however many waits there are: a listing waits for a hundred thousand entries, and a timer
 * for each would cost more than the entries. Disposing lets go of the timer and of the given
 * signal.
 */
export class Deadline implements Disposable {
  readonly #clock: Clock;
  readonly #outer: AbortSignal | undefined;
  readonly #error: (timeoutMs: number) => QuireError;
  readonly #controller = new AbortController();
  #timeoutMs = 0;
  #endMs = Infinity;
  #isOver = false;
  /** The sleep under way, and when it ends. */
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

  /** Whether the time was over before anything else happened. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Starts the countdown again. */
  start(timeoutMs: number): void {
    if (this.signal.aborted) return;
    this.#timeoutMs = timeoutMs;
    this.#endMs = this.#clock.monotonicMs() + timeoutMs;
    // A sleep that ends before is then continued.
    if (this.#endMs < this.#sleepEndMs) void this.#watch();
  }

  /** Stops the countdown while another party has the turn. */
  stop(): void {
    this.#endMs = Infinity;
  }

  /**
   * Does `work` while the countdown runs, and rejects as soon as the time is over, whatever becomes
   * of the work.
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
      this.#end(
        new QuireError('INTERNAL', 'The clock failed while it watched a time limit.', { cause }),
      );
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
 * Runs the task with a signal that is aborted as that of a `Deadline`.
 *
 * @throws the deadline's error when the task fails after its time is over, whatever it makes of
 * that
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
