import { systemClock } from '@quire/core/portable';

export interface PastQuery {
  readonly sql: string;
  readonly timeMs: number;
}

/** Queries that are remembered. */
const countMax = 100;

/**
 * The queries that somebody ran in this browser, newest first, each once. They stay here, and go
 * with the button that clears them.
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
      return []; // what somebody else has written there
    }
  }

  add(sql: string): void {
    const entry: PastQuery = { sql, timeMs: systemClock.nowMs() };
    const others = this.read().filter((past) => past.sql !== sql);
    localStorage.setItem(this.#key, JSON.stringify([entry, ...others].slice(0, countMax)));
  }

  clear(): void {
    localStorage.removeItem(this.#key);
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
