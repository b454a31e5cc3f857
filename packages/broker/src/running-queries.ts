import { mayRead, type Principal } from '@quire/auth';
import { QuireError, type RequestId } from '@quire/core';
import type { FinishedQuery, RunningQuery } from './running-query.ts';

/** How many queries without a result are remembered, by their ids. */
const rememberedMax = 4096;

/**
 * The queries that wait or run, and why the last ones ended that have no result; in memory only, as
 * the queries themselves.
 */
export class RunningQueries {
  readonly #running = new Map<string, RunningQuery>();
  readonly #ended = new Map<RequestId, FinishedQuery>();

  /** How many can be read while they run. */
  get growingCount(): number {
    let count = 0;
    for (const { growth } of this.#running.values()) if (growth !== undefined) count += 1;
    return count;
  }

  add(query: RunningQuery): void {
    this.#running.set(query.requestId, query);
  }

  /** Its result stands, or its failure is remembered from now on. */
  remove(query: RunningQuery): void {
    this.#running.delete(query.requestId);
    const remains = query.remains();
    if (remains === undefined) return;
    this.#ended.set(query.requestId, remains);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > rememberedMax && oldest !== undefined) this.#ended.delete(oldest);
  }

  /** A query that waits or runs; for those who may not read its result there is none. */
  running(principal: Principal, requestId: string): RunningQuery | undefined {
    const query = this.#running.get(requestId);
    return query !== undefined && mayRead(principal, query.owner) ? query : undefined;
  }

  /** A query that ended without a result, for those who might have read it. */
  ended(principal: Principal, requestId: string): FinishedQuery | undefined {
    const query = this.#ended.get(requestId as RequestId);
    return query !== undefined && mayRead(principal, query.owner) ? query : undefined;
  }

  /** The queries that wait or run and that the principal may know of, newest first. */
  list(principal: Principal): readonly RunningQuery[] {
    return [...this.#running.values()]
      .filter(({ owner }) => mayRead(principal, owner))
      .toReversed();
  }

  /**
   * For what can only be done with a result that stands.
   *
   * @throws CONFLICT while its query runs
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
