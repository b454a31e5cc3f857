import type { Principal } from '@quire/auth';
import { type Clock, isQuireError, type Query, QuireError, type RequestId } from '@quire/core';
import { traced } from '@quire/core/trace';
import { type FairSlots, withDeadline } from '@quire/core/wait';
import type { GrowingResult, Result, StoringEngine, StoringOptions } from '@quire/results';
import { claimOf } from '@quire/service';
import type { BrokerMetrics } from './broker-metrics.ts';
import type { RunPlanned, SharingOptions } from './result-reuse.ts';
import type { RunningQueries } from './running-queries.ts';
import { failureOf, type QueryOutcome, RunningQuery } from './running-query.ts';

/** One query to run. */
export interface QueryRun {
  readonly query: Query;
  /** The results that it references. */
  readonly results?: readonly Result[];
  readonly principal: Principal;
  readonly requestId: RequestId;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The lifetime of its result; default: that of the store of results. */
  readonly expirationMs?: number | undefined;
  /** The growing result that shows its rows while it runs; it ends with the query. */
  readonly growth?: GrowingResult | undefined;
  /** As in `RunningQueryParts.endsWithReaders`. */
  readonly endsWithReaders?: boolean | undefined;
  /** Runs it, unless its answer is already known, or an identical query is running. */
  readonly share?: ((run: RunPlanned, options: SharingOptions) => Promise<Result>) | undefined;
}

export interface QueryRunner {
  readonly engine: StoringEngine;
  /** The slots for running queries; principals share them. */
  readonly queue: FairSlots;
  readonly queries: RunningQueries;
  readonly metrics: BrokerMetrics;
  readonly clock: Clock;
}

/** A running query, and its stored answer. */
export interface StartedQuery {
  readonly query: RunningQuery;
  /**
   * Resolves once the answer is stored; if it rejects, nothing is left behind.
   *
   * @throws TOO_MANY_QUERIES when it may not wait
   * @throws QUERY_TIMED_OUT when waiting, running and storing together exceeded the timeout
   * @throws QUERY_CANCELLED when it was cancelled
   * @throws any error of the engine and the store
   */
  readonly result: Promise<Result>;
}

/**
 * Runs a query when its turn comes and stores its whole answer; until then, it can be monitored and
 * cancelled.
 */
export function startQuery(runner: QueryRunner, run: QueryRun): StartedQuery {
  const { requestId, growth, query: asked } = run;
  const owner = run.principal.name;
  const isPaginated = asked.isPaginated === true;
  const query = new RunningQuery({
    requestId,
    owner,
    sql: asked.sql,
    isPaginated,
    growth,
    endsWithReaders: run.endsWithReaders,
    clock: runner.clock,
  });
  runner.queries.add(query);
  const running = traced(
    'query',
    async (span) => {
      const result = await runQuery(runner, query, run);
      span?.set({ 'db.response.returned_rows': result.entry.rowCount });
      return result;
    },
    { attributes: { 'quire.request_id': requestId, 'quire.principal': owner } },
  );
  return { query, result: watched(runner, query, running) };
}

async function watched(
  runner: QueryRunner,
  query: RunningQuery,
  running: Promise<Result>,
): Promise<Result> {
  try {
    const result = await running;
    await ended(runner, query, { kind: 'done', result }, 'ok');
    return result;
  } catch (error) {
    await ended(runner, query, failureOf(error), isQuireError(error) ? error.code : 'INTERNAL');
    throw error;
  }
}

async function ended(
  runner: QueryRunner,
  query: RunningQuery,
  outcome: QueryOutcome,
  label: string,
): Promise<void> {
  runner.metrics.observeQuery(label, query.elapsedMs);
  const ending = query.end(outcome);
  // Synchronously: from now on, a caller finds its result, or the reason why there is none.
  runner.queries.remove(query);
  await ending;
}

function runQuery(runner: QueryRunner, query: RunningQuery, run: QueryRun): Promise<Result> {
  const { queue, clock } = runner;
  const claim = claimOf(run.principal);
  const limit = {
    clock,
    timeoutMs: run.timeoutMs,
    signal: AbortSignal.any([run.signal, query.signal]),
    error: timedOut,
  };
  return withDeadline(limit, (signal) => {
    const inTurn = async (onPlanned?: StoringOptions['onPlanned']): Promise<Result> => {
      const release = await traced('query.queue', () => queue.acquire(claim, signal));
      try {
        return await executeAndStore(runner, query, run, { signal, onPlanned });
      } finally {
        release();
      }
    };
    if (run.share === undefined) return inTurn();
    return run.share(inTurn, { signal, onFollow: () => query.follow() });
  });
}

async function executeAndStore(
  runner: QueryRunner,
  query: RunningQuery,
  run: QueryRun,
  options: Pick<StoringOptions, 'signal' | 'onPlanned'>,
): Promise<Result> {
  query.start();
  // The time in the queue counts towards the timeout, so the engine receives only the rest of it.
  const timeoutMs = Math.max(1, Math.ceil(run.timeoutMs - query.elapsedMs));
  const { requestId, growth, results, expirationMs } = run;
  return runner.engine.store(run.query, {
    ...options,
    limits: { timeoutMs },
    owner: query.owner,
    requestId,
    expirationMs,
    growth,
    results,
    // Only callers who can read the rows of a running query see its progress.
    ...(growth !== undefined && { onProgress: query.advance }),
  });
}

/** The codes of a referenced result that was removed between the call and its turn. */
const missingCodes = [
  'RESULT_NOT_FOUND',
  'RESULT_EXPIRED',
  'RESULT_EVICTED',
  'RESULT_DELETED',
] as const;

/**
 * Reports whether a failed query is answered as a failed call: it never ran, or its caller has
 * disconnected.
 */
export function isFailedCall(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted || isQuireError(error, 'TOO_MANY_QUERIES', ...missingCodes);
}

/** Returns the error for a query that exceeded its timeout. */
export function timedOut(timeoutMs: number): QuireError {
  return new QuireError('QUERY_TIMED_OUT', `The query exceeded its timeout of ${timeoutMs} ms.`);
}
