import { systemClock } from '@quire/core/portable';
import type { QueryState } from './query-runner.ts';

export interface PastQuery {
  readonly sql: string;
  readonly timeMs: number;
  /** Absent while it runs, and when the page was closed before its end. */
  readonly outcome?: 'done' | 'failed' | 'cancelled';
  readonly elapsedMs?: number;
  readonly rowCount?: number;
  readonly requestId?: string;
}

/** The number of remembered queries. */
const countMax = 100;

/**
 * The queries that were run in this browser, newest first, each once. They are stored here, until
 * the button clears them.
 */
export class QueryHistory {
  readonly #key: string;

  constructor(name: string) {
    this.#key = `quire.history.${name}`;
  }

  read(): readonly PastQuery[] {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.#key) ?? '[]');
      return Array.isArray(kept) ? kept.filter((each) => isPastQuery(each)) : [];
    } catch {
      return []; // other software has written there
    }
  }

  add(sql: string): void {
    this.#put({ sql, timeMs: systemClock.nowMs() });
  }

  /** Records the outcome of a query that was added. */
  settle(sql: string, state: QueryState): void {
    const past = this.read().find((each) => each.sql === sql);
    if (past === undefined) return;
    if (state.kind === 'done') {
      const { requestId, totalRowCount: rowCount } = state.result;
      const { timeMs } = past;
      this.#put({ sql, timeMs, outcome: 'done', elapsedMs: state.elapsedMs, rowCount, requestId });
    } else if (state.kind === 'failed' || state.kind === 'cancelled') {
      const { elapsedMs, kind: outcome } = state;
      this.#put({ sql, timeMs: past.timeMs, outcome, elapsedMs });
    }
  }

  clear(): void {
    localStorage.removeItem(this.#key);
  }

  #put(entry: PastQuery): void {
    const others = this.read().filter((past) => past.sql !== entry.sql);
    localStorage.setItem(this.#key, JSON.stringify([entry, ...others].slice(0, countMax)));
  }
}

function isPastQuery(value: unknown): value is PastQuery {
  return (
    typeof value === 'object' &&
    value !== null &&
    'sql' in value &&
    'timeMs' in value &&
    typeof value.sql === 'string'
  );
}
