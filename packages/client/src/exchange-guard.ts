import { abortError, type Clock, isQuireError, type QuireError } from '@quire/core/portable';
import { Deadline, unlessAborted } from '@quire/core/wait';
import { QuireClientError } from './client-error.ts';

/**
 * Watches over one request and its answer: `signal` is aborted when the caller aborts, or when something that was expected has
 * not come in time. The caller must `end` it, or its timer stays.
 */
export class ExchangeGuard {
  readonly #origin: string;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #deadline: Deadline;

  constructor(clock: Clock, origin: string, callerSignal: AbortSignal | undefined) {
    const error = (timeoutMs: number): QuireError =>
      new QuireClientError('SERVER_UNREACHABLE', `${origin} has sent nothing for ${timeoutMs / 1000} s.`);
    this.#origin = origin;
    this.#callerSignal = callerSignal;
    this.#deadline = new Deadline({ clock, signal: callerSignal, error });
  }

  get signal(): AbortSignal {
    return this.#deadline.signal;
  }

  /** Waits for what has to come next, `timeoutMs` at most, and no longer than until the caller aborts. */
  async expect<Value>(timeoutMs: number, next: Promise<Value>): Promise<Value> {
    this.#deadline.start(timeoutMs);
    try {
      // Not left to what is waited for: a function that gives an Authorization may know of no signal.
      return await unlessAborted(next, this.signal);
    } finally {
      // A caller that takes its time with what came is not a silence of the server's.
      this.#deadline.stop();
    }
  }

  end(): void {
    this.#deadline[Symbol.dispose]();
  }

  /** Why the exchange failed: the reason of the caller's abort and a time-out come before what fetch makes of them. */
  explain(error: unknown): unknown {
    if (this.#callerSignal?.aborted === true) return this.#callerSignal.reason;
    if (this.#deadline.isOver) return abortError(this.signal);
    if (isQuireError(error)) return error;
    const message = `No answer from ${this.#origin}: ${reasonOf(error)}.`;
    return new QuireClientError('SERVER_UNREACHABLE', message, { cause: error });
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
