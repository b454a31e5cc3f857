import type { QuireClient } from '@quire/client';
import { systemClock } from '@quire/core/portable';
import type { OpenResult } from './result-pages.ts';

/** The outcome of the last query, or of the last result that was opened. */
export type QueryState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly sql: string | undefined; readonly startMs: number }
  | { readonly kind: 'failed'; readonly sql: string | undefined; readonly error: unknown; readonly elapsedMs: number }
  | { readonly kind: 'cancelled'; readonly sql: string | undefined; readonly elapsedMs: number }
  | { readonly kind: 'done'; readonly sql: string | undefined; readonly result: OpenResult; readonly elapsedMs: number };

/** Rows that come with the answer to a query: it is the columns that are wanted, the grid fetches what it shows. */
const firstRowCount = 1;

/** Runs one query at a time, and goes on while other pages are looked at. */
export class QueryRunner {
  readonly #client: QuireClient;
  readonly #listeners = new Set<() => void>();
  #state: QueryState = { kind: 'idle' };
  #running: AbortController | undefined;

  constructor(client: QuireClient) {
    this.#client = client;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly read = (): QueryState => this.#state;

  /** Runs a query instead of the one that runs. Resolves to the id of its result; undefined when it has none. */
  async run(sql: string): Promise<string | undefined> {
    return this.#do(sql, (signal) => this.#client.query(sql, { rowCount: firstRowCount, keep: true, signal }));
  }

  /** Opens a result that is stored already. */
  async open(requestId: string): Promise<string | undefined> {
    const { kind } = this.#state;
    if (kind === 'done' && this.#state.result.requestId === requestId) return requestId;
    return this.#do(undefined, (signal) => this.#client.open(requestId, { rowCount: firstRowCount, signal }));
  }

  /** Has the server stop the query; nothing of it is stored. */
  cancel(): void {
    this.#running?.abort();
  }

  async #do(sql: string | undefined, ask: (signal: AbortSignal) => Promise<OpenResult>): Promise<string | undefined> {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    const startMs = systemClock.monotonicMs();
    const elapsed = (): number => systemClock.monotonicMs() - startMs;
    this.#become({ kind: 'running', sql, startMs });
    try {
      const result = await ask(running.signal);
      if (this.#running === running) this.#become({ kind: 'done', sql, result, elapsedMs: elapsed() });
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
