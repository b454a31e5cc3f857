import { type Query, QuireError, type QueryParameters } from '@quire/core';
import type { FlightCall } from '@quire/flight';
import type { Result } from '@quire/results';
import { assertMayWork, followWork } from '@quire/service';
import type { BrokerContext } from '../broker-context.ts';
import { openNamedResults } from '../named-results.ts';
import { type QueryRun, type StartedQuery, startQuery } from '../query-runner.ts';
import { parseQueryText } from '../query-text.ts';
import type { Question } from '../result-reuse.ts';
import { discardUnlessKept, logStored, markRunning, questionOf } from '../routes/run-query.ts';
import type { FlightCaller } from './flight-caller.ts';
import type { FlightOptions } from '../flight-options.ts';

/** SQL with values for its parameters. */
export interface BoundStatement {
  readonly sql: string;
  readonly parameters?: QueryParameters | undefined;
}

/** The stored answer of a statement. */
export interface StatementResult {
  readonly result: Result;
  /** Whether an earlier query has computed it. */
  readonly isReused: boolean;
}

interface PlannedRun {
  readonly run: Omit<QueryRun, 'signal' | 'share' | 'growth'>;
  readonly question: Question | undefined;
}

/**
 * Runs a statement and stores its answer, or finds the answer of an earlier one: the same way as
 * `POST /query/sql?doPaginate=true`, with the expiration of Flight.
 */
export async function runStatement(
  context: BrokerContext,
  flight: FlightOptions,
  statement: BoundStatement,
  call: FlightCall<FlightCaller>,
): Promise<StatementResult> {
  const caller = call.context;
  const { run, question } = await planRun(context, flight, statement, call);
  const known = question && (await context.reuse.find(question, { signal: call.signal }));
  if (known !== undefined) return reused(context, caller, known);
  const { result: running } = startQuery(context, {
    ...run,
    signal: call.signal,
    share: question && ((start, options) => context.reuse.share(question, start, options)),
  });
  context.calls.follow(running.then(ignore, ignore));
  followWork(caller, running);
  const result = await running;
  if (result.entry.requestId !== run.requestId) return reused(context, caller, result);
  logStored(caller, result);
  // A client that has gone before it was told of its result cannot ask for it.
  discardUnlessKept(context, caller, result, true);
  return { result, isReused: false };
}

/** Starts a statement whose rows can be read while it runs; it goes on without its caller. */
export async function startStatement(
  context: BrokerContext,
  flight: FlightOptions,
  statement: BoundStatement,
  call: FlightCall<FlightCaller>,
): Promise<StartedQuery> {
  const caller = call.context;
  const { run, question } = await planRun(context, flight, statement, call);
  const controller = new AbortController();
  const growth = await context.results.grow(run.requestId);
  const started = startQuery(context, {
    ...run,
    growth,
    signal: controller.signal,
    share: question && ((start) => context.reuse.lead(question, start)),
  });
  const { query, result } = started;
  const marked = markRunning(context, caller.log, { query, timeoutMs: run.timeoutMs });
  const logged = result.then((stored) => logStored(caller, stored), ignore);
  followWork(caller, result);
  context.calls.follow(
    logged.then(() => marked.end()),
    controller,
  );
  await Promise.race([marked.written, query.hasEnded]);
  return started;
}

/** Everything that can be refused is refused here, before the query runs. */
async function planRun(
  context: BrokerContext,
  { expirationMs }: FlightOptions,
  { sql: text, parameters }: BoundStatement,
  { context: caller, signal, timeoutMs: clientTimeoutMs }: FlightCall<FlightCaller>,
): Promise<PlannedRun> {
  const { principal } = caller;
  const { sql, dialect, queryOptions } = parseQueryText(context, principal, { sql: text });
  if (sql.trim() === '') throw new QuireError('QUERY_SYNTAX', 'The statement is empty.');
  const { timeoutMs = Infinity, mayReuse, others } = queryOptions;
  const query: Query = { sql, dialect, parameters, options: others, isPaginated: true };
  const requestId = context.results.newRequestId(principal.name);
  caller.rename(requestId);
  assertMayWork(caller, caller.onRetryAfter);
  const run = {
    query,
    results: await openNamedResults(context, principal, sql, signal),
    principal,
    requestId,
    timeoutMs: Math.min(timeoutMs, clientTimeoutMs, context.options.queryTimeoutMs),
    expirationMs,
  };
  return {
    run,
    question: mayReuse === false ? undefined : questionOf(context, { principal, query }),
  };
}

function reused(context: BrokerContext, { log }: FlightCaller, result: Result): StatementResult {
  context.metrics.observeReused();
  log.info({ reusedId: result.entry.requestId }, 'query answered by a result that stands');
  return { result, isReused: true };
}

const ignore = (): void => undefined;
