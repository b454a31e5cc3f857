import {
  type GrowingCursor,
  type QueryStatus,
  QuireClientError,
  type QuireClient,
  type QuireQueryClient,
} from '@quire/client';
import { systemClock } from '@quire/core/portable';
import type { OpenResult } from './result-pages.ts';

/** The outcome of the last query, or of the last opened result. */
export type QueryState =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'running';
      readonly sql: string | undefined;
      readonly startMs: number;
      readonly progress?: Progress;
    }
  | {
      readonly kind: 'failed';
      readonly sql: string | undefined;
      readonly error: unknown;
      readonly elapsedMs: number;
    }
  | { readonly kind: 'cancelled'; readonly sql: string | undefined; readonly elapsedMs: number }
  | {
      readonly kind: 'done';
      readonly sql: string | undefined;
      readonly result: OpenResult;
      readonly elapsedMs: number;
    };

/** The progress of a query, and its rows that can be read so far. */
export interface Progress {
  readonly status: QueryStatus | undefined;
  /** The first rows of the result, as if they were all of it; undefined while there are none. */
  readonly firstRows: OpenResult | undefined;
}

/**
 * A query that takes longer than this is polled while it runs; a shorter one is answered in one
 * call.
 */
const firstAnswerMs = 300;
/**
 * The interval between two polls of a running query, which grows with the duration of the query.
 */
const pauseRangeMs = { least: 150, most: 1000 };
/** Rows that are shown while the query runs. */
const firstRowsMax = 1000;

/**
 * The rows that are returned with the answer to a query: only its columns are needed, the grid
 * fetches what it shows.
 */
const firstRowCount = 1;

/** Runs one query at a time, and continues while other pages are shown. */
export class QueryRunner {
  readonly #client: QuireClient;
  readonly #queries: QuireQueryClient;
  readonly #listeners = new Set<() => void>();
  #state: QueryState = { kind: 'idle' };
  #running: AbortController | undefined;

  constructor(client: QuireClient, queries: QuireQueryClient) {
    this.#client = client;
    this.#queries = queries;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly read = (): QueryState => this.#state;

  /**
   * Runs a query instead of the current one. Resolves to the id of its result; undefined when it
   * has none.
   */
  async run(sql: string): Promise<string | undefined> {
    return this.#do(sql, async (signal, onProgress) => {
      // The signal would end the call and not the query, whose id would then be unknown.
      const cursor = await this.#queries.start(sql, {
        rowCount: firstRowCount,
        waitMs: firstAnswerMs,
        keep: true,
      });
      try {
        return await this.#follow(cursor, signal, onProgress);
      } catch (error) {
        if (signal.aborted) await cancelIfRunning(cursor);
        throw error;
      }
    });
  }

  /** Opens a stored result. */
  async open(requestId: string): Promise<string | undefined> {
    const { kind } = this.#state;
    if (kind === 'done' && this.#state.result.requestId === requestId) return requestId;
    return this.#do(undefined, (signal) =>
      this.#client.open(requestId, { rowCount: firstRowCount, signal }),
    );
  }

  /** Reports the progress of a query until it has ended. @throws its error; ABORTED */
  async #follow(
    cursor: GrowingCursor,
    signal: AbortSignal,
    onProgress: (progress: Progress) => void,
  ): Promise<OpenResult> {
    signal.throwIfAborted();
    const { page: answered, requestId, broker } = cursor;
    if (!cursor.isGrowing && answered !== undefined) return { ...answered, broker };
    let firstRows: OpenResult | undefined;
    for (let pauseMs = pauseRangeMs.least; ; pauseMs = Math.min(pauseRangeMs.most, pauseMs * 1.2)) {
      const status = await cursor.status({ signal });
      if (status.state !== 'QUEUED' && status.state !== 'RUNNING') return cursor.result({ signal });
      if (firstRows === undefined && status.rowCount > 0) {
        const page = await cursor.read(
          { offset: 0, rowCount: firstRowCount },
          { waitMs: 0, signal },
        );
        if (page !== undefined && page.totalRowCount > 0) {
          const totalRowCount = Math.min(firstRowsMax, page.totalRowCount);
          firstRows = { requestId, broker, columns: page.columns, totalRowCount };
        }
      }
      onProgress({ status, firstRows });
      await systemClock.sleep(pauseMs, signal);
    }
  }

  /** Cancels the query on the server; nothing of it is stored. */
  cancel(): void {
    this.#running?.abort();
  }

  async #do(
    sql: string | undefined,
    ask: (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<OpenResult>,
  ): Promise<string | undefined> {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    const startMs = systemClock.monotonicMs();
    const elapsed = (): number => systemClock.monotonicMs() - startMs;
    this.#become({ kind: 'running', sql, startMs });
    try {
      const result = await ask(running.signal, (progress) => {
        if (this.#running === running) this.#become({ kind: 'running', sql, startMs, progress });
      });
      if (this.#running === running) {
        this.#become({ kind: 'done', sql, result, elapsedMs: elapsed() });
      }
      return result.requestId;
    } catch (error) {
      if (this.#running !== running) return undefined;
      if (running.signal.aborted) this.#become({ kind: 'cancelled', sql, elapsedMs: elapsed() });
      else this.#become({ kind: 'failed', sql, error, elapsedMs: elapsed() });
      return undefined;
    }
  }

  #become(state: QueryState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

/**
 * The query may have ended in the meantime: its result is then stored like that of any other query.
 */
async function cancelIfRunning(cursor: GrowingCursor): Promise<void> {
  try {
    await cursor.cancel();
  } catch (error) {
    if (!(error instanceof QuireClientError)) throw error;
  }
}
