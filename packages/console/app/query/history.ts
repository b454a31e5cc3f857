import { systemClock } from '@quire/core/portable';
import type { QueryState } from './query-runner.ts';
import { storeText } from './store-text.ts';

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
  readonly #listeners = new Set<() => void>();
  /** The last list, and the text from which it was read. */
  #last: { readonly text: string; readonly past: readonly PastQuery[] } = { text: '[]', past: [] };

  constructor(name: string) {
    this.#key = `quire.history.${name}`;
  }

  /** Calls the listener after each change, also one of another tab. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    window.addEventListener('storage', listener);
    return () => {
      this.#listeners.delete(listener);
      window.removeEventListener('storage', listener);
    };
  };

  /** Returns the same list until there is a change. */
  readonly read = (): readonly PastQuery[] => {
    const text = localStorage.getItem(this.#key) ?? '[]';
    if (text !== this.#last.text) this.#last = { text, past: parsed(text) };
    return this.#last.past;
  };

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
    this.#notify();
  }

  #put(entry: PastQuery): void {
    const others = this.read().filter((past) => past.sql !== entry.sql);
    const queries = [entry, ...others].slice(0, countMax);
    // Without space, the older half is forgotten; a query that is too long alone is not remembered.
    while (queries.length > 0 && !storeText(this.#key, JSON.stringify(queries))) {
      queries.length = Math.floor(queries.length / 2);
    }
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

function parsed(text: string): readonly PastQuery[] {
  try {
    const kept: unknown = JSON.parse(text);
    return Array.isArray(kept) ? kept.filter((each) => isPastQuery(each)) : [];
  } catch {
    return []; // other software has written there
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
