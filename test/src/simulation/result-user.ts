import type { SeededRandom } from '@quire/core/testing';
import type { CallOptions, CallOutcome } from './client.ts';
import type { KnownResult, Laws, SeenPage } from './laws.ts';

/** A user requests pages of this many of its most recent results. */
const recentMax = 60;

interface CursorAnswer {
  readonly requestId?: string;
  readonly reason?: string;
  readonly state?: string;
  readonly numRowsResultSet?: number;
  readonly resultTable?: { readonly rows: unknown };
  readonly exceptions?: readonly { readonly errorCode: number }[];
}

interface ClusterList {
  readonly resultMetadataList: readonly { readonly requestId: string }[];
  readonly brokers: readonly { readonly error: string | null }[];
}

/** Numbers of rows that no other query of the run has. */
export interface RowNumbers {
  first: number;
}

/** The cluster that a user calls: simulated or real. */
export interface UsedCluster {
  /** Hosts that clients may call. */
  readonly entries: readonly string[];
  readonly isShared: boolean;
  /** True if there is a controller, whose list has all results. */
  readonly hasController: boolean;
  /** The unit of the durations that users request, as in `10m`. */
  readonly unit: { readonly ms: number; readonly suffix: string };
  /** The longest lifetime that a renewal sets. */
  readonly expirationMaxMs: number;
  /** The longest pause of a user between two polls of a running query. */
  readonly pauseMaxMs: number;
  call(host: string, path: string, options: CallOptions): Promise<CallOutcome>;
  pause(delayMs: number): Promise<void>;
  nowMs(): number;
  /** SQL of a query whose answer is unique; a slow one takes seconds. */
  sqlOf(rowCount: number, first: number, options: { readonly isSlow: boolean }): string;
  /** The shortest and the longest life that results were given since then. */
  expirationSince(startMs: number): { readonly minMs: number; readonly maxMs: number };
}

/** A user who queries, pages, renews and deletes, and checks all answers against the laws. */
export class ResultUser {
  readonly #name: string;
  readonly #cluster: UsedCluster;
  readonly #laws: Laws;
  readonly #random: SeededRandom;
  readonly #rows: RowNumbers;
  readonly #note: (kind: string, host: string, outcome: CallOutcome, detail?: number) => void;

  constructor(options: {
    readonly name: string;
    readonly cluster: UsedCluster;
    readonly laws: Laws;
    readonly random: SeededRandom;
    readonly rows: RowNumbers;
    readonly note: (kind: string, host: string, outcome: CallOutcome, detail?: number) => void;
  }) {
    this.#name = options.name;
    this.#cluster = options.cluster;
    this.#laws = options.laws;
    this.#random = options.random;
    this.#rows = options.rows;
    this.#note = options.note;
  }

  /** Performs one action. */
  async act(): Promise<void> {
    const random = this.#random;
    const { entries } = this.#cluster;
    const host = entries[random.integer(entries.length)] ?? '';
    const own = this.#laws.results.filter(({ owner }) => owner === this.#name).slice(-recentMax);
    const result = own[random.integer(Math.max(1, own.length))];
    const kind = random.fraction();
    if (kind > 0.95 && this.#cluster.hasController) await this.#list();
    else if (kind > 0.88) await this.#queryAsync(host, 20 + random.integer(200));
    else if (result === undefined || kind < 0.28) await this.#query(host, random.integer(120));
    else if (kind < 0.74) {
      await this.readPage(
        host,
        result,
        random.integer(result.rowCount + 2),
        1 + random.integer(60),
      );
    } else if (kind < 0.84) await this.#renew(host, result, 1 + random.integer(40));
    else await this.#delete(host, result);
  }

  /** Reports whether a host serves every result, of any broker. */
  canServe(host: string): boolean {
    return this.#cluster.isShared || host.startsWith('proxy');
  }

  async readPage(
    host: string,
    result: KnownResult,
    offset: number,
    rowCount: number,
  ): Promise<CallOutcome> {
    const startMs = this.#cluster.nowMs();
    const path = `/query/${result.requestId}/results?offset=${offset}&numRows=${rowCount}`;
    const outcome = await this.#cluster.call(host, path, { as: result.owner });
    this.#note('page', host, outcome);
    const seen = seenPage(outcome);
    // A broker with a disk of its own knows its own results only.
    if (seen.status === 404 && !this.canServe(host)) return outcome;
    this.#laws.checkPage(result, { offset, rowCount, startMs }, seen);
    return outcome;
  }

  async #query(host: string, rowCount: number): Promise<void> {
    const first = this.#firstOfNext();
    const startMs = this.#cluster.nowMs();
    const outcome = await this.#cluster.call(host, '/query/sql?doPaginate=true&numRows=10', {
      method: 'POST',
      as: this.#name,
      body: { sql: this.#cluster.sqlOf(rowCount, first, { isSlow: false }) },
    });
    const answer = outcome?.status === 200 ? outcome.json<CursorAnswer>() : undefined;
    this.#note('query', host, outcome, answer?.exceptions?.[0]?.errorCode);
    const requestId = answer?.requestId;
    if (answer?.exceptions?.length !== 0 || requestId === undefined) return;
    const result = this.#add({ requestId, rowCount, first, startMs });
    this.#laws.checkPage(result, { offset: 0, rowCount: 10, startMs }, seenPage(outcome));
  }

  /** Reads rows while their query runs, until it has ended, or cancels it. */
  async #queryAsync(host: string, rowCount: number): Promise<void> {
    const first = this.#firstOfNext();
    const startMs = this.#cluster.nowMs();
    const path = '/query/sql?doPaginate=true&async=true&numRows=10&wait=1s';
    const outcome = await this.#cluster.call(host, path, {
      method: 'POST',
      as: this.#name,
      body: { sql: this.#cluster.sqlOf(rowCount, first, { isSlow: true }) },
    });
    this.#note('async', host, outcome);
    if (outcome === undefined || outcome.status >= 400) return;
    const { requestId } = outcome.json<CursorAnswer>();
    if (requestId === undefined) return;
    const growing = { requestId, rowCount, first };
    let seenCount = 0;
    for (let turn = 0; turn < 60; turn += 1) {
      await this.#cluster.pause(this.#random.fraction() * this.#cluster.pauseMaxMs);
      if (this.#random.fraction() < 0.03) {
        const cancelled = await this.#cluster.call(host, `/query/${requestId}`, {
          method: 'DELETE',
          as: this.#name,
        });
        this.#note('cancel', host, cancelled);
      }
      const offset = this.#random.integer(seenCount + 1);
      const page = await this.#cluster.call(
        host,
        `/query/${requestId}/results?offset=${offset}&numRows=50&wait=0s`,
        { as: this.#name },
      );
      this.#note('growing', host, page);
      if (page?.status === 200) {
        const { resultTable, numRowsResultSet = 0, state } = page.json<CursorAnswer>();
        const rows = resultTable?.rows;
        this.#laws.checkGrowing(growing, { offset, rows, seenCount: numRowsResultSet }, seenCount);
        seenCount = numRowsResultSet;
        if (state === undefined || state === 'DONE') {
          this.#add({ requestId, rowCount, first, startMs });
          return;
        }
      } else if (page !== undefined && page.status !== 202 && page.status < 500) {
        return;
      }
    }
  }

  async #renew(host: string, result: KnownResult, units: number): Promise<void> {
    const startMs = this.#cluster.nowMs();
    const { unit, expirationMaxMs } = this.#cluster;
    const granted = Math.min(units * unit.ms, expirationMaxMs);
    result.livesUntilMs = Math.min(result.livesUntilMs, startMs + granted);
    const isDone = await this.#callOnceOrTwice('renew', host, {
      path: `/query/resultStore/${result.requestId}`,
      method: 'PATCH',
      as: result.owner,
      body: { expiration: `${units}${unit.suffix}` },
    });
    const wishedMs = this.#cluster.nowMs() + granted;
    result.expiredByMs = Math.max(result.expiredByMs, wishedMs);
    if (!isDone) return;
    result.livesUntilMs = startMs + granted;
    result.expiredByMs = wishedMs;
  }

  async #delete(host: string, result: KnownResult): Promise<void> {
    result.isDeletionTried = true;
    const isDone = await this.#callOnceOrTwice('delete', host, {
      path: `/query/resultStore/${result.requestId}`,
      method: 'DELETE',
      as: result.owner,
    });
    if (isDone) result.deletedAtMs ??= this.#cluster.nowMs();
  }

  /** Now and then a request is sent again before its answer is there, perhaps to another host. */
  async #callOnceOrTwice(
    kind: string,
    host: string,
    { path, ...request }: { path: string; method: string; as: string; body?: object },
  ): Promise<boolean> {
    const { entries } = this.#cluster;
    const second = entries[this.#random.integer(entries.length)] ?? host;
    const hosts = this.#random.fraction() < 0.15 ? [host, second] : [host];
    const outcomes = await Promise.all(
      hosts.map(async (each) => {
        const outcome = await this.#cluster.call(each, path, request);
        this.#note(kind, each, outcome);
        return outcome;
      }),
    );
    return outcomes.some((outcome) => outcome?.status === 200);
  }

  /** The controller's list contains the live results of all brokers that answered it. */
  async #list(): Promise<void> {
    const host = 'controller';
    const startMs = this.#cluster.nowMs();
    const outcome = await this.#cluster.call(host, '/cluster/results', { as: 'root' });
    this.#note('list', host, outcome);
    if (outcome?.status !== 200) return;
    const { resultMetadataList, brokers } = outcome.json<ClusterList>();
    if (brokers.some(({ error }) => error !== null)) return;
    const listed = resultMetadataList.map(({ requestId }) => requestId);
    this.#laws.checkList(new Set(listed), startMs);
  }

  #firstOfNext(): number {
    this.#rows.first += 1000;
    return this.#rows.first;
  }

  #add(given: {
    readonly requestId: string;
    readonly rowCount: number;
    readonly first: number;
    readonly startMs: number;
  }): KnownResult {
    const { startMs, ...known } = given;
    const nowMs = this.#cluster.nowMs();
    const { minMs, maxMs } = this.#cluster.expirationSince(startMs);
    const result: KnownResult = {
      ...known,
      owner: this.#name,
      livesUntilMs: startMs + minMs,
      expiredByMs: nowMs + maxMs,
      isDeletionTried: false,
      deletedAtMs: undefined,
      isEvicted: false,
      confirmedAtMs: nowMs,
    };
    this.#laws.add(result);
    return result;
  }
}

function seenPage(outcome: CallOutcome): SeenPage {
  if (outcome === undefined) {
    return { status: 0, reason: undefined, rows: undefined, resultRowCount: undefined };
  }
  const { reason, resultTable, numRowsResultSet } = outcome.json<CursorAnswer>();
  return {
    status: outcome.status,
    reason,
    rows: resultTable?.rows,
    resultRowCount: numRowsResultSet,
  };
}
