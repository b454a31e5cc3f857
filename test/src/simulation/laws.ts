import assert from 'node:assert/strict';
import { rowsOf } from './engine.ts';

/** A deletion in a cleaner's log. */
export interface Removed {
  readonly id: string;
  readonly reason: 'expired' | 'evicted' | 'orphan' | 'leftover';
}

/** A result that was confirmed to a client, and its possible states. */
export interface KnownResult {
  readonly requestId: string;
  readonly owner: string;
  readonly rowCount: number;
  readonly first: number;
  /** It lives at least until then, unless something else removes it; true time. */
  livesUntilMs: number;
  /** It is certainly expired by then, whichever renewals took effect. */
  expiredByMs: number;
  /** A client has requested its deletion, with any outcome. */
  isDeletionTried: boolean;
  /** The time at which its deletion was confirmed to a client. */
  deletedAtMs: number | undefined;
  isEvicted: boolean;
  /** The time at which it was confirmed to a client. */
  readonly confirmedAtMs: number;
}

/** A page as a client received it. */
export interface SeenPage {
  readonly status: number;
  readonly reason: string | undefined;
  readonly rows: unknown;
  readonly resultRowCount: number | undefined;
}

/** Violations that an error lists: the first one explains most of the others. */
const shownMax = 5;

/** The laws of a cluster, under all faults; the first violation is thrown. */
export class Laws {
  readonly #results = new Map<string, KnownResult>();
  readonly #nowMs: () => number;
  readonly #stalenessMaxMs: number;
  readonly #areListingsTrue: boolean;
  readonly #violations: string[] = [];
  /** Results that disappeared before their reason was logged: a cleaner logs it a little later. */
  #unexplained: { readonly result: KnownResult; readonly text: string }[] = [];
  /** The largest difference between two clocks of the cluster. */
  readonly #clockErrorMaxMs: number;

  constructor(options: {
    readonly nowMs: () => number;
    readonly stalenessMaxMs: number;
    /** True if listings show everything at once, so that brokers find each other's results. */
    readonly areListingsTrue: boolean;
    readonly clockErrorMaxMs: number;
  }) {
    this.#nowMs = options.nowMs;
    this.#stalenessMaxMs = options.stalenessMaxMs;
    this.#areListingsTrue = options.areListingsTrue;
    this.#clockErrorMaxMs = options.clockErrorMaxMs;
  }

  get results(): readonly KnownResult[] {
    return [...this.#results.values()];
  }

  /** True if a law is definitely broken, independent of later explanations. */
  get isBroken(): boolean {
    return this.#violations.length > 0;
  }

  add(result: KnownResult): void {
    this.#results.set(result.requestId, result);
  }

  /**
   * Throws the violations so far. Call it when no sweep is running, or one was killed: its removals
   * until then do not count as violations.
   */
  check({ isEvictionLost }: { readonly isEvictionLost: boolean }): void {
    for (const { result, text } of this.#unexplained) {
      if (!result.isEvicted && !isEvictionLost) this.#violations.push(text);
    }
    this.#unexplained = [];
    assert.deepEqual(this.#violations.slice(0, shownMax), []);
  }

  violate(what: string): void {
    this.#violations.push(`at ${this.#nowMs()}: ${what}`);
  }

  /** A page is exactly its rows, or a refusal that the state of the result explains. */
  checkPage(
    result: KnownResult,
    { offset, rowCount, startMs }: { offset: number; rowCount: number; startMs: number },
    page: SeenPage,
  ): void {
    const { requestId, first } = result;
    if (page.status === 200) {
      const end = Math.min(result.rowCount, offset + rowCount);
      const expected = JSON.stringify(rowsOf(first, Math.min(offset, end), end));
      if (JSON.stringify(page.rows) !== expected) {
        this.violate(`${requestId} from ${offset} has rows ${JSON.stringify(page.rows)}`);
      }
      if (page.resultRowCount !== result.rowCount) {
        this.violate(`${requestId} has ${page.resultRowCount} rows instead of ${result.rowCount}`);
      }
      if (startMs > result.expiredByMs + this.#clockErrorMaxMs) {
        this.violate(`${requestId} was served ${startMs - result.expiredByMs} ms past its expiry`);
      }
      const { deletedAtMs = Infinity } = result;
      if (startMs > deletedAtMs + this.#stalenessMaxMs) {
        this.violate(`${requestId} was served ${startMs - deletedAtMs} ms after its deletion`);
      }
    } else if (page.status === 404 || page.status === 410) {
      if (this.mustLive(result)) {
        const text = `${requestId} is ${page.status} ${page.reason}, and should live`;
        this.#unexplained.push({ result, text: `at ${this.#nowMs()}: ${text}` });
      }
    } else if (page.status === 500 && !this.#mayLackData(result, page)) {
      this.violate(`${requestId}: 500 ${page.reason}`);
    }
  }

  /** Rows of a query that runs are its first rows, and never become fewer. */
  checkGrowing(
    { requestId, rowCount, first }: Pick<KnownResult, 'requestId' | 'rowCount' | 'first'>,
    page: { readonly offset: number; readonly rows: unknown; readonly seenCount: number },
    seenBeforeCount: number,
  ): void {
    const { offset, rows, seenCount } = page;
    const count = Array.isArray(rows) ? rows.length : 0;
    const expected = JSON.stringify(rowsOf(first, offset, Math.min(offset + count, rowCount)));
    if (JSON.stringify(rows ?? []) !== expected) {
      this.violate(`${requestId} has rows ${JSON.stringify(rows)} from ${offset} while it runs`);
    }
    if (seenCount < seenBeforeCount || seenCount > rowCount) {
      this.violate(`${requestId} had ${seenBeforeCount} of ${rowCount} rows, and has ${seenCount}`);
    }
  }

  /** A list contains every result that existed before the request, and still does. */
  checkList(listed: ReadonlySet<string>, startMs: number): void {
    for (const result of this.#results.values()) {
      const isOld = result.confirmedAtMs + this.#stalenessMaxMs < startMs;
      if (!isOld || listed.has(result.requestId) || !this.mustLive(result)) continue;
      const text = `${result.requestId} is not in the list of all results, and should be`;
      this.#unexplained.push({ result, text: `at ${this.#nowMs()}: ${text}` });
    }
  }

  /** Reports whether the absence of a result is unexplained. */
  mustLive({ livesUntilMs, isDeletionTried, isEvicted }: KnownResult): boolean {
    if (!this.#areListingsTrue) return false;
    return !isDeletionTried && !isEvicted && this.#nowMs() < livesUntilMs - this.#clockErrorMaxMs;
  }

  /**
   * Reports whether a removal may have left a commit record. If two brokers have renewed a result
   * at once, a listing that lags shows one of its records, and the other outlives the data.
   */
  #mayLackData({ isDeletionTried, isEvicted }: KnownResult, { reason }: SeenPage): boolean {
    return !this.#areListingsTrue && (isDeletionTried || isEvicted) && reason === 'RESULT_CORRUPT';
  }

  /**
   * Called by the logs of cleaners.
   *
   * A cleaner that remembers a result from before a renewal by another process may try to delete it
   * as expired, but checks first. If that attempt fails, nothing shows that the result is gone:
   * that the result must still be readable is checked anyway.
   */
  noteRemoval(by: string, { id, reason }: Removed, isDone = true): void {
    const result = this.#results.get(id);
    if (result === undefined) return;
    if (reason === 'evicted') result.isEvicted = true;
    if (reason === 'expired' && isDone && this.mustLive(result)) {
      this.violate(`${by} removed ${id} as expired, and it has time left`);
    }
  }
}
