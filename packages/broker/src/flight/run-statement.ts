import { abortError, type Query, QuireError, type QueryParameters } from '@quire/core';
import type { FlightCall } from '@quire/flight';
import type { GrowingResult, Result } from '@quire/results';
import { assertMayWork, followWork } from '@quire/service';
import type { BrokerContext } from '../broker-context.ts';
import { openNamedResults } from '../named-results.ts';
import { type QueryRun, type StartedQuery, startQuery } from '../query-runner.ts';
import { parseQueryText } from '../query-text.ts';
import type { Question } from '../result-reuse.ts';
import type { RunningQuery } from '../running-query.ts';
import { discardUnlessNeeded, logStored, markRunning, questionOf } from '../routes/run-query.ts';
import type { FlightCaller } from './flight-caller.ts';
import type { FlightOptions } from '../flight-options.ts';

/** SQL with the values of its parameters. */
export interface BoundStatement {
  readonly sql: string;
  readonly parameters?: QueryParameters | undefined;
}

/** The answer of a statement: stored, or growing and readable. */
export type StatementAnswer =
  | { readonly kind: 'growing'; readonly growth: GrowingResult }
  | {
      readonly kind: 'stored';
      readonly result: Result;
      /** True if an earlier query has computed it. */
      readonly isReused: boolean;
    };

interface PlannedRun {
  readonly run: Omit<QueryRun, 'signal' | 'share' | 'growth'>;
  readonly question: Question | undefined;
}

/**
 * Runs a statement, or finds the answer of an earlier one, like `POST /query/sql?doPaginate=true`,
 * with the expiration of Flight. Resolves once a whole batch of rows can be read, or the whole
 * answer is stored. The query is cancelled when its caller leaves before that, and later when the
 * readers of its rows leave.
 */
export async function runStatement(
  context: BrokerContext,
  flight: FlightOptions,
  statement: BoundStatement,
  call: FlightCall<FlightCaller>,
): Promise<StatementAnswer> {
  const caller = call.context;
  const { run, question } = await planRun(context, flight, statement, call);
  const known = question && (await context.reuse.find(question, { signal: call.signal }));
  if (known !== undefined) return reused(context, caller, known);
  const { query, result, marked } = await start(context, call, {
    ...run,
    endsWithReaders: true,
    share:
      question && ((runPlanned, options) => context.reuse.share(question, runPlanned, options)),
  });
  await query.untilFirstBatch({ signal: call.signal });
  const { growth } = query;
  if (query.outcome === undefined && growth !== undefined) {
    // From now on, brokers of a shared store know the broker that serves its rows.
    await marked();
    if (query.outcome === undefined) return { kind: 'growing', growth };
  }
  const stored = await result;
  if (stored.entry.requestId !== run.requestId) return reused(context, caller, stored);
  return { kind: 'stored', result: stored, isReused: false };
}

/** Starts a statement whose rows can be read while it runs; it continues without its caller. */
export async function startStatement(
  context: BrokerContext,
  flight: FlightOptions,
  statement: BoundStatement,
  call: FlightCall<FlightCaller>,
): Promise<RunningQuery> {
  const { run, question } = await planRun(context, flight, statement, call);
  const { query, marked } = await start(context, call, {
    ...run,
    share: question && ((runPlanned) => context.reuse.lead(question, runPlanned)),
  });
  await marked();
  return query;
}

interface Started extends StartedQuery {
  /** Resolves when other brokers know the broker that runs the query, or it has ended. */
  readonly marked: () => Promise<void>;
}

/** Starts a query that can outlive its call; a shutdown waits for it. */
async function start(
  context: BrokerContext,
  { context: caller, signal }: FlightCall<FlightCaller>,
  { share, ...run }: PlannedRun['run'] & Pick<QueryRun, 'share'>,
): Promise<Started> {
  const { endsWithReaders } = run;
  const controller = new AbortController();
  const growth = await context.results.grow(run.requestId);
  const started = startQuery(context, { ...run, growth, signal: controller.signal, share });
  const { query, result } = started;
  if (endsWithReaders === true) abortWithCall(caller, signal, controller);
  followWork(caller, result);
  let mark: ReturnType<typeof markRunning> | undefined;
  const logged = result.then((stored) => {
    if (stored.entry.requestId !== run.requestId) return;
    logStored(caller, stored);
    // A client that left before the answer cannot request the result.
    if (endsWithReaders === true) discardUnlessNeeded(context, caller, stored, true);
  }, ignore);
  context.calls.follow(
    logged.then(() => mark?.end()),
    controller,
  );
  return {
    ...started,
    marked: async () => {
      mark = markRunning(context, caller.log, { query, timeoutMs: run.timeoutMs });
      await Promise.race([mark.written, query.hasFinished]);
    },
  };
}

/** Aborts a query whose caller leaves, or whose deadline passes, before it is answered. */
function abortWithCall(
  { call }: FlightCaller,
  signal: AbortSignal,
  controller: AbortController,
): void {
  const abort = (): void =>
    controller.abort(
      signal.aborted
        ? abortError(signal)
        : new QuireError('ABORTED', 'The client disconnected before its query was answered.'),
    );
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  void call.outcome.then((outcome) => {
    signal.removeEventListener('abort', abort);
    if (outcome !== 'finished') abort();
  });
}

/** Performs all checks that can refuse the statement, before the query runs. */
async function planRun(
  context: BrokerContext,
  { expirationMs }: FlightOptions,
  { sql: text, parameters }: BoundStatement,
  { context: caller, signal }: FlightCall<FlightCaller>,
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
    timeoutMs: Math.min(timeoutMs, context.options.queryTimeoutMs),
    expirationMs,
  };
  return {
    run,
    question: mayReuse === false ? undefined : questionOf(context, { principal, query }),
  };
}

function reused(context: BrokerContext, { log }: FlightCaller, result: Result): StatementAnswer {
  context.metrics.observeReused();
  log.info({ reusedId: result.entry.requestId }, 'query answered by a stored result');
  return { kind: 'stored', result, isReused: true };
}

const ignore = (): void => undefined;
