import { mayRead, type Principal } from '@quire/auth';
import { QuireError, type RequestId } from '@quire/core';
import type { FinishedQuery, RunningQuery } from './running-query.ts';

/** The number of remembered queries without a result. */
const rememberedMax = 4096;

/**
 * The waiting and running queries, and the reasons why the last ones ended without a result; in
 * memory only, like the queries.
 */
export class RunningQueries {
  readonly #running = new Map<string, RunningQuery>();
  readonly #ended = new Map<RequestId, FinishedQuery>();

  /** The number of queries whose rows can be read while they run. */
  get growingCount(): number {
    let count = 0;
    for (const { growth } of this.#running.values()) if (growth !== undefined) count += 1;
    return count;
  }

  add(query: RunningQuery): void {
    this.#running.set(query.requestId, query);
  }

  /** Removes a query: its result exists, or its failure is remembered from now on. */
  remove(query: RunningQuery): void {
    this.#running.delete(query.requestId);
    const remains = query.remains();
    if (remains === undefined) return;
    this.#ended.set(query.requestId, remains);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > rememberedMax && oldest !== undefined) this.#ended.delete(oldest);
  }

  /** Returns a waiting or running query; undefined for callers who may not read its result. */
  running(principal: Principal, requestId: string): RunningQuery | undefined {
    const query = this.#running.get(requestId);
    return query !== undefined && mayRead(principal, query.owner) ? query : undefined;
  }

  /** Returns a query that ended without a result, for callers who might have read it. */
  ended(principal: Principal, requestId: string): FinishedQuery | undefined {
    const query = this.#ended.get(requestId as RequestId);
    return query !== undefined && mayRead(principal, query.owner) ? query : undefined;
  }

  /** Returns the waiting and running queries that the principal may know of, newest first. */
  list(principal: Principal): readonly RunningQuery[] {
    return [...this.#running.values()]
      .filter(({ owner }) => mayRead(principal, owner))
      .toReversed();
  }

  /**
   * Checks that a query has ended, for calls that need a finished result.
   *
   * @throws CONFLICT while it runs
   */
  assertFinished(principal: Principal, requestId: string): void {
    const query = this.running(principal, requestId);
    if (query === undefined) return;
    const { state } = query;
    throw new QuireError(
      'CONFLICT',
      `The query ${query.requestId} is ${state}; wait for its end, or cancel it with DELETE /query/${query.requestId}.`,
    );
  }
}
