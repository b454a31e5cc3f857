import duckdb, { type Connection, type Database } from '@duckdb/node-bindings';
import { abortError, type Clock, type QuireError, systemClock } from '@quire/core';
import { sleepUnlessAborted, unlessAborted, untilAborted } from '@quire/core/wait';

/** The interval of reading the progress of a query. */
const progressEveryMs = 250;

/** The interval at which an interrupt is repeated until DuckDB has noticed it. */
const interruptEveryMs = 5;

/**
 * One DuckDB connection for one query, whose calls end promptly when the query is stopped.
 *
 * DuckDB's calls run on threads of libuv, one at a time. They cannot be cancelled, only
 * interrupted, and an interrupt before the start of a call is lost, so it is repeated until the
 * call has ended. The caller does not wait for that.
 */
export class QueryConnection {
  /**
   * Resolves once the connection and everything that the query held in DuckDB are released; never
   * rejects.
   */
  readonly closed: Promise<void>;
  readonly #handle: Connection;
  readonly #stopped = new AbortController();
  /** The current call, or the latest one; never rejects. */
  #settled: Promise<void> = Promise.resolve();

  private constructor(handle: Connection) {
    this.#handle = handle;
    this.closed = this.#closeWhenStopped();
  }

  static async open(database: Database): Promise<QueryConnection> {
    return new QueryConnection(await duckdb.connect(database));
  }

  /** The reason for which the query was stopped; undefined before. */
  get stopReason(): QuireError | undefined {
    const { signal } = this.#stopped;
    return signal.aborted ? abortError(signal) : undefined;
  }

  /** Aborted once the query is stopped. */
  get signal(): AbortSignal {
    return this.#stopped.signal;
  }

  /**
   * Ends the query, finished or not, and then closes the connection. Later calls throw the reason;
   * the first reason is kept.
   */
  stop(reason: QuireError): void {
    this.#stopped.abort(reason);
  }

  /**
   * Runs one call of DuckDB.
   *
   * @throws the reason as soon as the query is stopped; otherwise the error of the call
   */
  async call<T>(start: (handle: Connection) => Promise<T>): Promise<T> {
    const { signal } = this.#stopped;
    if (signal.aborted) throw abortError(signal);
    const result = start(this.#handle);
    this.#settled = result.then(ignore, ignore);
    return await unlessAborted(result, signal);
  }

  /**
   * Reports the share of its rows that the query has processed, whenever it has changed, until the
   * query is stopped. Call it before the query.
   */
  async watchProgress(clock: Clock, onProgress: (share: number) => void): Promise<void> {
    const { signal } = this.#stopped;
    // These are settings of the connection. SET is refused, since the configuration is locked.
    await this.call((handle) =>
      duckdb.query(handle, 'PRAGMA enable_progress_bar; PRAGMA disable_print_progress_bar'),
    );
    void this.#reportProgress(clock, signal, onProgress);
  }

  /** Sets the size of the buffer for the query's rows: `streamBufferBytesOf`. */
  async setStreamBuffer(sizeBytes: number): Promise<void> {
    await this.call((handle) =>
      duckdb.query(handle, `SET SESSION streaming_buffer_size = '${sizeBytes}B'`),
    );
  }

  async #reportProgress(
    clock: Clock,
    signal: AbortSignal,
    onProgress: (share: number) => void,
  ): Promise<void> {
    let reported = 0;
    for (;;) {
      await sleepUnlessAborted(clock, progressEveryMs, signal);
      if (signal.aborted) return;
      const share = duckdb.query_progress(this.#handle).percentage / 100;
      // The share is unknown between queries, and for rows that are computed and not scanned.
      if (share <= reported) continue;
      reported = share;
      onProgress(Math.min(1, share));
    }
  }

  async #closeWhenStopped(): Promise<void> {
    await untilAborted(this.#stopped.signal);
    await this.#interruptUntilSettled();
    // A result that was not read to its end lives until it is garbage-collected; running another
    // query ends it now.
    await duckdb.query(this.#handle, 'SELECT 1').then(ignore, ignore);
    duckdb.disconnect_sync(this.#handle);
  }

  async #interruptUntilSettled(): Promise<void> {
    let isSettled = false;
    const settled = this.#settled.then(() => {
      isSettled = true;
    });
    // Lets a call that has finished set `isSettled`.
    await Promise.resolve();
    while (!isSettled) {
      duckdb.interrupt(this.#handle);
      // No test needs to control this time, so it uses the system's clock.
      await Promise.race([settled, systemClock.sleep(interruptEveryMs)]);
    }
  }
}

function ignore(): void {
  // The caller receives the outcome; here only the end matters.
}
