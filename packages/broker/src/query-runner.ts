import { type Clock, isQuireError, type Query, QuireError, type RequestId } from '@quire/core';
import { Slots, withDeadline } from '@quire/core/wait';
import type { Result, StoringEngine } from '@quire/results';
import type { BrokerMetrics } from './broker-metrics.ts';

/** One query that somebody may run. */
export interface QueryRun {
  readonly query: Query;
  readonly owner: string;
  readonly requestId: RequestId;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface QueryRunner {
  readonly engine: StoringEngine;
  /** Its slots are for queries that run. */
  readonly queue: Slots;
  readonly metrics: BrokerMetrics;
  readonly clock: Clock;
}

/**
 * Runs a query when its turn comes and stores its whole answer. When it fails, times out or is aborted, nothing stays behind.
 *
 * @throws TOO_MANY_QUERIES when it may not even wait
 * @throws QUERY_TIMED_OUT when waiting, running and storing together took too long
 * @throws whatever the engine and the store throw
 */
export async function runQuery(runner: QueryRunner, run: QueryRun): Promise<Result> {
  const startMs = runner.clock.monotonicMs();
  const observe = (outcome: string): void => runner.metrics.observeQuery(outcome, runner.clock.monotonicMs() - startMs);
  try {
    const { timeoutMs, signal: caller } = run;
    const result = await withDeadline({ clock: runner.clock, timeoutMs, signal: caller, error: timedOut }, (signal) =>
      runner.queue.run(() => executeAndStore(runner, run, signal, startMs), signal),
    );
    observe('ok');
    return result;
  } catch (error) {
    observe(isQuireError(error) ? error.code : 'INTERNAL');
    throw error;
  }
}

async function executeAndStore(runner: QueryRunner, run: QueryRun, signal: AbortSignal, startMs: number): Promise<Result> {
  // The wait has used up some of the time; the engine stops by itself at about the same moment.
  const timeoutMs = Math.max(1, Math.ceil(run.timeoutMs - (runner.clock.monotonicMs() - startMs)));
  const { owner, requestId } = run;
  return runner.engine.store(run.query, { signal, limits: { timeoutMs }, owner, requestId });
}

/** Tells whether a failed query is answered as a failed call: it never ran, or nobody is there to be told. */
export function isFailedCall(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted || isQuireError(error, 'TOO_MANY_QUERIES');
}

/** Queries that run, and those that wait for their turn. A query that may not even wait is refused with TOO_MANY_QUERIES. */
export function createQueryQueue({ runningMax, queuedMax }: { readonly runningMax: number; readonly queuedMax: number }): Slots {
  return new Slots(runningMax, {
    waitingMax: queuedMax,
    error: ({ takenCount, waitingCount }) =>
      new QuireError(
        'TOO_MANY_QUERIES',
        `${takenCount} queries run and ${waitingCount} wait, which is the limit; try again later.`,
      ),
  });
}

/** What a query fails with that waits, runs and stores for too long. */
export function timedOut(timeoutMs: number): QuireError {
  return new QuireError('QUERY_TIMED_OUT', `The query took longer than its ${timeoutMs} ms.`);
}
