import { createHash } from 'node:crypto';
import {
  type CallOptions,
  type Clock,
  isQuireError,
  type Query,
  type QuireError,
  type RequestId,
  writeExactJson,
} from '@quire/core';
import { unlessAborted } from '@quire/core/wait';
import type { AnsweredData, Result, ResultStore, StoringEngine } from '@quire/results';

/** The policy for reusing results. */
export interface ReusePolicy {
  /**
   * The maximum age of a result whose engine does not know if its data has changed; 0: such results
   * are not reused.
   */
  readonly ageMaxMs: number;
}

/**
 * A query and its principal: the same principal gets the same result for the same query on the same
 * data.
 */
export interface Question {
  readonly key: string;
  readonly sql: string;
  /** The maximum age that the caller accepts; undefined for a new answer. */
  readonly ageMaxMs: number | undefined;
  readonly policy: ReusePolicy;
}

/** A result that answers a question. */
interface CachedAnswer {
  readonly requestId: RequestId;
  readonly data: AnsweredData;
  /** The time before the engine read its data, by the monotonic clock. */
  readonly askedMs: number;
}

/**
 * The end of a running query for its followers: they may use its result, they share its failure, or
 * they continue by themselves.
 */
type FlightEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly error: QuireError }
  | { readonly kind: 'alone' };

type Flight = PromiseWithResolvers<FlightEnd>;

export interface SharingOptions extends CallOptions {
  /**
   * Called when the query starts to wait for an identical one; disposing the returned object
   * reports the end of the wait.
   */
  readonly onFollow: () => Disposable;
}

/** Runs a query, and reports the version of the data that it reads. */
export type RunPlanned = (onPlanned: (data: AnsweredData) => void) => Promise<Result>;

const cachedMax = 10_000;
/**
 * Matches words in the SQL whose value changes over time, for engines without versions. A column
 * with such a name costs a second run, but never gives a wrong answer.
 */
const changingWords =
  /\b(?:now|ago|agomv|rand\w*|uuid\w*|\w*uuid|current_?\w+|local_?time\w*|sysdate|today)\b/i;

/**
 * Answers an identical query with the same result: an existing one of the current data, or that of
 * a running query. Results are reused only for the same principal, because of its permissions. The
 * state is in memory only.
 */
export class ResultReuse {
  readonly #results: Pick<ResultStore, 'open'>;
  readonly #engine: StoringEngine;
  readonly #clock: Clock;
  readonly #cached = new Map<string, CachedAnswer>();
  /** The results that have answered a caller that did not create them. */
  readonly #shared = new Map<RequestId, true>();
  readonly #discarding = new Set<RequestId>();
  readonly #flights = new Map<string, Flight>();

  constructor(parts: {
    readonly results: Pick<ResultStore, 'open'>;
    readonly engine: StoringEngine;
    readonly clock: Clock;
  }) {
    this.#results = parts.results;
    this.#engine = parts.engine;
    this.#clock = parts.clock;
  }

  /**
   * Runs the deletion of a result that its own caller does not need, unless it answers another one,
   * which none can become during the deletion.
   */
  async discard(requestId: RequestId, remove: () => Promise<void>): Promise<void> {
    if (this.#shared.has(requestId)) return;
    this.#discarding.add(requestId);
    try {
      await remove();
    } finally {
      this.#discarding.delete(requestId);
    }
  }

  /** Returns an existing result that answers the question. */
  async find(question: Question, options: CallOptions): Promise<Result | undefined> {
    const { key } = question;
    const kept = this.#cached.get(key);
    if (kept === undefined || !(await this.#answers(kept, question))) return undefined;
    if (this.#discarding.has(kept.requestId)) return undefined;
    // Before it is opened: it must not be discarded in the meantime.
    setLast(this.#shared, kept.requestId, true);
    try {
      const result = await this.#results.open(kept.requestId, options);
      // A newer answer may have been cached in the meantime.
      if (this.#cached.get(key) === kept) setLast(this.#cached, key, kept);
      return result;
    } catch (error) {
      if (!isQuireError(error) || error.kind !== 'missing') throw error;
      if (this.#cached.get(key) === kept) this.#cached.delete(key);
      return undefined;
    }
  }

  /**
   * Waits once for an identical running query; otherwise, or if its result cannot be used, runs the
   * query. The result may have another id than that of the run.
   *
   * @throws as `run`, and the failure of the running query if a retry would fail again
   */
  async share(
    question: Question,
    run: RunPlanned,
    { onFollow, ...options }: SharingOptions,
  ): Promise<Result> {
    const flight = question.ageMaxMs === undefined ? undefined : this.#flights.get(question.key);
    if (flight !== undefined) {
      const end = await endOf(flight, onFollow(), options);
      if (end.kind === 'failed') throw end.error;
      // The data may have changed in the meantime, as for any result.
      const result = end.kind === 'done' ? await this.find(question, options) : undefined;
      if (result !== undefined) return result;
    }
    return this.lead(question, run);
  }

  /** Runs a query whose result others may use. */
  async lead(question: Question, run: RunPlanned): Promise<Result> {
    const { key } = question;
    const flight: Flight = Promise.withResolvers();
    if (!this.#flights.has(key)) this.#flights.set(key, flight);
    const askedMs = this.#clock.monotonicMs();
    let data: AnsweredData | undefined;
    try {
      const result = await run((planned) => {
        if (this.#isSteady(planned, question)) data = planned;
        else flight.resolve({ kind: 'alone' });
      });
      const { requestId } = result.entry;
      if (data !== undefined) setLast(this.#cached, key, { requestId, data, askedMs });
      flight.resolve({ kind: 'done' });
      return result;
    } catch (error) {
      // A failure that depends on the time or the caller is not shared.
      const isForAll = isQuireError(error) && error.kind === 'invalid';
      flight.resolve(isForAll ? { kind: 'failed', error } : { kind: 'alone' });
      throw error;
    } finally {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    }
  }

  /** Reports whether an answer from this data may be reused. */
  #isSteady({ version }: AnsweredData, { sql, policy }: Question): boolean {
    if (version !== undefined) return true;
    // An engine with versions returns none for data that changes over time.
    return (
      this.#engine.dataVersion === undefined && policy.ageMaxMs > 0 && !changingWords.test(sql)
    );
  }

  async #answers({ data, askedMs }: CachedAnswer, question: Question): Promise<boolean> {
    const { ageMaxMs, policy } = question;
    if (ageMaxMs === undefined || !this.#isSteady(data, question)) return false;
    const limitMs = data.version === undefined ? Math.min(ageMaxMs, policy.ageMaxMs) : ageMaxMs;
    if (this.#clock.monotonicMs() - askedMs > limitMs) return false;
    return (
      data.version === undefined || (await this.#engine.dataVersion?.(data.tables)) === data.version
    );
  }
}

async function endOf(
  flight: Flight,
  following: Disposable,
  { signal }: CallOptions,
): Promise<FlightEnd> {
  using _ = following;
  return await unlessAborted(flight.promise, signal);
}

/** Sets a member as the last one; beyond `keptMax` members, the first one is removed. */
function setLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [first] = map.keys();
  if (map.size > cachedMax && first !== undefined) map.delete(first);
}

/** Returns the key of a question: the same text, values, options and principal. */
export function questionKey(
  principalName: string,
  { sql, dialect, parameters, options }: Query,
): string {
  const sorted = Object.entries(options ?? {}).toSorted(([left], [right]) =>
    left < right ? -1 : 1,
  );
  return createHash('sha256')
    .update(writeExactJson([principalName, sql, dialect ?? null, parameters ?? null, sorted]))
    .digest('base64url');
}

/**
 * Returns the maximum age of an answer in `Cache-Control` (RFC 9111 section 5.2.1); undefined for a
 * new answer. Directives without a meaning here are ignored.
 */
export function wantedAgeMs(cacheControl: string | undefined): number | undefined {
  let ageMs = Infinity;
  for (const directive of (cacheControl ?? '').toLowerCase().split(',')) {
    const [name = '', value = ''] = directive.trim().split('=');
    if (name === 'no-cache' || name === 'no-store') return undefined;
    if (name === 'max-age' && /^"?\d{1,10}"?$/.test(value)) {
      ageMs = Math.min(ageMs, Number(value.replaceAll('"', '')) * 1000);
    }
  }
  return ageMs;
}
