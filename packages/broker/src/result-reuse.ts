import { createHash } from 'node:crypto';
import {
  type CallOptions,
  type Clock,
  isQuireError,
  type Query,
  type QuireError,
  type RequestId,
} from '@quire/core';
import { unlessAborted } from '@quire/core/wait';
import type { AnsweredData, Result, ResultStore, StoringEngine } from '@quire/results';

/** How results are used again. */
export interface ReusePolicy {
  /**
   * How old a result may be whose engine cannot tell whether its data has changed; 0: such results
   * are not used again.
   */
  readonly ageMaxMs: number;
}

/**
 * What is asked, and by whom: the same principal gets the same result for the same question about
 * the same data.
 */
export interface Question {
  readonly key: string;
  readonly sql: string;
  /** How old the caller wants the answer to be at most; undefined when it wants a new one. */
  readonly ageMaxMs: number | undefined;
  readonly policy: ReusePolicy;
}

/** A result that answers a question. */
interface CachedAnswer {
  readonly requestId: RequestId;
  readonly data: AnsweredData;
  /** By the monotonic clock, before the engine looked at its data. */
  readonly askedMs: number;
}

/**
 * How a query under way ended for those who wait for it: its result may be theirs, its failure is,
 * or they go on by themselves.
 */
type FlightEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly error: QuireError }
  | { readonly kind: 'alone' };

type Flight = PromiseWithResolvers<FlightEnd>;

export interface SharingOptions extends CallOptions {
  /**
   * Notified when the query begins to wait for the same one under way; disposing what it returns
   * says that the wait is over.
   */
  readonly onFollow: () => Disposable;
}

/** Has a query run, and tells its data. */
export type RunPlanned = (onPlanned: (data: AnsweredData) => void) => Promise<Result>;

const cachedMax = 10_000;
/**
 * What changes by itself in the SQL of engines that do not say so. A column of such a name costs a
 * second run, and no wrong answer.
 */
const changingWords =
  /\b(?:now|ago|agomv|rand\w*|uuid\w*|\w*uuid|current_?\w+|local_?time\w*|sysdate|today)\b/i;

/**
 * Answers the same question by the same result: one that stands and is of the data that there is
 * now, or that of a query under way. Only for one principal at a time, whose rights the result has;
 * what is known is in memory, and goes with the process.
 */
export class ResultReuse {
  readonly #results: Pick<ResultStore, 'open'>;
  readonly #engine: StoringEngine;
  readonly #clock: Clock;
  readonly #cached = new Map<string, CachedAnswer>();
  readonly #shared = new Map<RequestId, true>();
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

  /** Whether somebody has been answered with this result who did not have it made. */
  isShared(requestId: RequestId): boolean {
    return this.#shared.has(requestId);
  }

  /** A result that stands and answers the question. */
  async find(question: Question, options: CallOptions): Promise<Result | undefined> {
    const kept = this.#cached.get(question.key);
    if (kept === undefined || !(await this.#answers(kept, question))) return undefined;
    try {
      const result = await this.#results.open(kept.requestId, options);
      setLast(this.#shared, kept.requestId, true);
      setLast(this.#cached, question.key, kept);
      return result;
    } catch (error) {
      if (!isQuireError(error) || error.kind !== 'missing') throw error;
      this.#cached.delete(question.key);
      return undefined;
    }
  }

  /**
   * Waits for the same query where it is under way, once; else, or when that is of no use, runs it.
   * The result may have another id than that of the run.
   *
   * @throws as `run`, also what the query under way failed with, when it would fail again
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
      // What has changed since is seen here, as of any result.
      const result = end.kind === 'done' ? await this.find(question, options) : undefined;
      if (result !== undefined) return result;
    }
    return this.lead(question, run);
  }

  /** Runs a query whose result others may get. */
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
      // What depends on the moment, or on its caller, is not for others.
      const isForAll = isQuireError(error) && error.kind === 'invalid';
      flight.resolve(isForAll ? { kind: 'failed', error } : { kind: 'alone' });
      throw error;
    } finally {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    }
  }

  /** Whether an answer of this data may be used again at all. */
  #isSteady({ version }: AnsweredData, { sql, policy }: Question): boolean {
    if (version !== undefined) return true;
    // An engine that tells versions has none for what changes by itself.
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

/** Sets a member as the last one; there are at most `keptMax`, and the first one goes. */
function setLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [first] = map.keys();
  if (map.size > cachedMax && first !== undefined) map.delete(first);
}

/** The same text, values, options and principal make the same question. */
export function questionKey(
  principalName: string,
  { sql, dialect, parameters, options }: Query,
): string {
  const sorted = Object.entries(options ?? {}).toSorted(([left], [right]) =>
    left < right ? -1 : 1,
  );
  return createHash('sha256')
    .update(JSON.stringify([principalName, sql, dialect ?? null, parameters ?? null, sorted]))
    .digest('base64url');
}

/**
 * How old an answer a request wants at most, by `Cache-Control` (RFC 9111 section 5.2.1); undefined
 * when it wants a new one. Directives that mean nothing here are passed over.
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
