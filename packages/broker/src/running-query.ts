import type { QueryState } from '@quire/api';
import {
  type CallOptions,
  type Clock,
  isQuireError,
  QuireError,
  type RequestId,
  throwIfAborted,
} from '@quire/core';
import { sleepUnlessAborted } from '@quire/core/wait';
import type { GrowingResult, Result } from '@quire/results';
import { toQuireError } from '@quire/service';

/** The end of a query. */
export type QueryOutcome =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly error: QuireError };

/** The remembered facts about a query that has ended without a result. */
export interface FinishedQuery {
  readonly requestId: RequestId;
  readonly owner: string;
  readonly state: QueryState;
  readonly error: QuireError;
  readonly submissionTimeMs: number;
  readonly elapsedMs: number;
}

export interface RunningQueryParts {
  readonly requestId: RequestId;
  readonly owner: string;
  readonly sql: string;
  readonly isPaginated: boolean;
  /** Its rows, if they can be read while it runs. */
  readonly growth: GrowingResult | undefined;
  /** True if it is cancelled when the last reader of its rows leaves before its end. */
  readonly endsWithReaders?: boolean | undefined;
  readonly clock: Clock;
}

/** A query from its acceptance to its end. */
export class RunningQuery {
  readonly requestId: RequestId;
  readonly owner: string;
  readonly sql: string;
  readonly isPaginated: boolean;
  readonly growth: GrowingResult | undefined;
  readonly submissionTimeMs: number;
  readonly #clock: Clock;
  readonly #startMs: number;
  readonly #endsWithReaders: boolean;
  readonly #cancelling = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  #hasStarted = false;
  #processedShare: number | undefined;
  #isFollowing = false;
  #readerCount = 0;
  #outcome: QueryOutcome | undefined;

  constructor({ clock, ...parts }: RunningQueryParts) {
    this.requestId = parts.requestId;
    this.owner = parts.owner;
    this.sql = parts.sql;
    this.isPaginated = parts.isPaginated;
    this.growth = parts.growth;
    this.#endsWithReaders = parts.endsWithReaders === true;
    this.submissionTimeMs = clock.nowMs();
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
  }

  /** Aborted when the query is cancelled. */
  get signal(): AbortSignal {
    return this.#cancelling.signal;
  }

  /** Its outcome; undefined while it has none. */
  get outcome(): QueryOutcome | undefined {
    return this.#outcome;
  }

  /** Resolves at its end. */
  get hasFinished(): Promise<void> {
    return this.#ended.promise;
  }

  get state(): QueryState {
    if (this.#outcome?.kind === 'done') return 'DONE';
    if (this.#outcome === undefined) return this.#hasStarted ? 'RUNNING' : 'QUEUED';
    return stateOfFailure(this.#outcome.error);
  }

  get elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#startMs;
  }

  /** The share of its rows that it has processed, from 0 to 1; undefined if it is not known. */
  get processedShare(): number | undefined {
    return this.#processedShare;
  }

  /** Records the progress that the engine reports. */
  readonly advance = (share: number): void => {
    this.#processedShare = share;
  };

  /** True if it waits for the answer of an identical running query. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Records that it waits for an identical query; disposing ends that. */
  follow(): Disposable {
    this.#isFollowing = true;
    return { [Symbol.dispose]: () => void (this.#isFollowing = false) };
  }

  /** Starts it when its turn comes. */
  start(): void {
    this.#hasStarted = true;
  }

  /**
   * Cancels it with QUERY_CANCELLED; resolves once nothing of it is running, whatever its outcome.
   */
  async cancel(message: string): Promise<QueryOutcome | undefined> {
    this.#cancelling.abort(new QuireError('QUERY_CANCELLED', message));
    await this.#ended.promise;
    return this.#outcome;
  }

  /**
   * Counts a reader of its rows until the reader is disposed. When the last reader leaves because
   * its signal was aborted, a query that `endsWithReaders` is cancelled.
   */
  openReader(signal: AbortSignal): Disposable {
    this.#readerCount += 1;
    return {
      [Symbol.dispose]: () => {
        this.#readerCount -= 1;
        if (!this.#endsWithReaders || !signal.aborted || this.#readerCount > 0) return;
        if (this.#outcome !== undefined) return;
        void this.cancel('The query was cancelled because its client stopped reading its rows.');
      },
    };
  }

  /** Records its end; resolves when its rows can only be read from its result. */
  async end(outcome: QueryOutcome): Promise<void> {
    this.#outcome = outcome;
    await this.growth?.end();
    this.#ended.resolve();
  }

  /**
   * Resolves once that many rows can be read, or the query has ended, or the wait is over.
   *
   * @throws ABORTED when the caller has disconnected
   */
  async untilRows(
    rowCount: number,
    options: CallOptions & { readonly waitMs: number },
  ): Promise<void> {
    await this.#untilGrown((growth) => growth.rowCount >= rowCount, options);
  }

  /**
   * Resolves once a whole batch of rows can be read, or the query has ended. An answer that fits in
   * one batch ends at about the time of that batch, so its end is awaited.
   *
   * @throws ABORTED when the caller has disconnected
   */
  async untilFirstBatch({ signal }: CallOptions): Promise<void> {
    await this.#untilGrown((growth) => growth.hasWholeBatch, { signal, waitMs: Infinity });
  }

  async #untilGrown(
    isWanted: (growth: GrowingResult) => boolean,
    { waitMs, signal }: CallOptions & { readonly waitMs: number },
  ): Promise<void> {
    throwIfAborted(signal);
    const isEnough = (): boolean =>
      this.#outcome !== undefined || (this.growth?.schema !== undefined && isWanted(this.growth));
    if (waitMs === 0 || isEnough()) return;
    const grown = Promise.withResolvers<void>();
    const over = new AbortController();
    using _ = this.growth?.watch(() => {
      if (isEnough()) grown.resolve();
    });
    const tooLong = sleepUnlessAborted(this.#clock, waitMs, anyOf(over.signal, signal));
    await Promise.race([grown.promise, this.#ended.promise, tooLong]);
    over.abort();
    throwIfAborted(signal);
  }

  /** Returns the facts to remember; undefined if it has a result. */
  remains(): FinishedQuery | undefined {
    const { requestId, owner, state, submissionTimeMs, elapsedMs } = this;
    if (this.#outcome?.kind !== 'failed') return undefined;
    return { requestId, owner, state, submissionTimeMs, elapsedMs, error: this.#outcome.error };
  }
}

/** Returns the outcome of a query that threw. */
export function failureOf(thrown: unknown): QueryOutcome {
  return { kind: 'failed', error: toQuireError(thrown) };
}

function stateOfFailure(error: QuireError): QueryState {
  return isQuireError(error, 'QUERY_CANCELLED', 'ABORTED') ? 'CANCELLED' : 'FAILED';
}

function anyOf(signal: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? signal : AbortSignal.any([signal, other]);
}
