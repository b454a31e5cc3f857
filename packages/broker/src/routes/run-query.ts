import {
  brokerOperations,
  type Operation,
  parseBooleanParameter,
  parseQueryParameters,
  parseRowCount,
  pinotErrorCodeHeader,
  type QueryBody,
  type QueryResponse,
} from '@quire/api';
import type { Principal } from '@quire/auth';
import { isQuireError, type Query, QuireError, type RequestId } from '@quire/core';
import type { Result } from '@quire/results';
import {
  admitWork,
  type Call,
  callContextOf,
  countWork,
  principalOf,
  queryOf,
  renameCall,
  routeOf,
  signalOf,
  toQuireError,
} from '@quire/service';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { chooseForm, type RowsForm } from '../choose-format.ts';
import { metadataOfFailure } from '../metadata-record.ts';
import { isFailedCall, type QueryRun, startQuery } from '../query-runner.ts';
import { exceptionOf } from '../query-status.ts';
import { type Question, questionKey, wantedAgeMs } from '../result-reuse.ts';
import { parseQueryText } from '../query-text.ts';
import { openNamedResults } from '../named-results.ts';
import { type AnswerKind, sendFirstPage } from '../send-first-page.ts';
import { sendGrowingPage, waitOf } from '../send-growing-page.ts';
import type { RunningQuery } from '../running-query.ts';

/**
 * POST /query/sql. A plain query is handled like a paginated one: its answer is stored, sent
 * completely and deleted. So memory is constant whatever its size, and every failure of the query
 * is known before the response starts.
 */
export function runQueryRoute(
  context: BrokerContext,
  operation: Operation = brokerOperations.runQuery,
): RouteOptions {
  return routeOf(operation, async (request, reply) => {
    // Checked before the query runs, because its work would be lost otherwise.
    context.pageStreams.assertMayOpen(principalOf(request));
    renameCall(request, reply, context.options.results.newRequestId(principalOf(request).name));
    const parsed = parseCall(context, request);
    admitWork(request, reply);
    // Permission is checked even if the answer is already known.
    const results = await openNamedResults(
      context,
      principalOf(request),
      parsed.query.sql,
      signalOf(request),
    );
    const call = { ...parsed, results };
    const known =
      call.question && (await context.reuse.find(call.question, { signal: signalOf(request) }));
    if (known !== undefined) {
      return answerAgain(context, request, reply, { ...call, result: known });
    }
    return call.isAsync
      ? answerAsync(context, request, reply, call)
      : answerOnceStored(context, request, reply, call);
  });
}

/**
 * Answers with the result of another query, which is kept regardless of the outcome of this call.
 */
async function answerAgain(
  context: BrokerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  call: QueryCall & { readonly result: Result },
): Promise<FastifyReply> {
  const { requestId: reusedId } = call.result.entry;
  context.metrics.observeReused();
  request.log.info({ reusedId }, 'query answered with an existing result');
  return sendFirstPage(context, request, reply, { ...call, isReused: true });
}

async function answerOnceStored(
  context: BrokerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  call: QueryCall,
): Promise<FastifyReply> {
  const signal = signalOf(request);
  const { question } = call;
  const { result: running } = startQuery(context, {
    ...runOf(request, call),
    signal,
    share: question && ((run, options) => context.reuse.share(question, run, options)),
  });
  // A shutdown also waits until a cancelled query has cleaned up.
  context.calls.follow(running.then(ignore, ignore));
  countWork(request, running);
  let result: Result;
  try {
    result = await running;
  } catch (error) {
    if (isFailedCall(error, signal)) throw error;
    return replyWithException(context, request, reply, error);
  }
  if (result.entry.requestId !== request.id) {
    return answerAgain(context, request, reply, { ...call, result });
  }
  logStored(request, result);
  const sending = sendFirstPage(context, request, reply, { ...call, result });
  const isKept =
    call.answer === 'whole'
      ? false
      : sending.then(
          () => true,
          () => false,
        );
  const { call: response } = callContextOf(request);
  discardUnlessNeeded(context, { call: response, log: request.log }, result, isKept);
  return sending;
}

/**
 * Answers as soon as the first rows exist. The query continues if its caller disconnects, and its
 * result is stored: the lists of queries and results show it.
 */
async function answerAsync(
  context: BrokerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  call: QueryCall,
): Promise<FastifyReply> {
  const controller = new AbortController();
  const run = runOf(request, call);
  const growth = await context.results.grow(run.requestId);
  const { question } = call;
  const { query, result: running } = startQuery(context, {
    ...run,
    growth,
    signal: controller.signal,
    // The caller reads and cancels the query by its own id, so the query cannot share the run of an
    // identical one.
    share: question && ((runPlanned) => context.reuse.lead(question, runPlanned)),
  });
  const marked = markRunning(context, request.log, { query, timeoutMs: call.timeoutMs });
  const logged = running.then((result) => logStored(request, result), ignore);
  countWork(request, running);
  context.calls.follow(
    logged.then(() => marked.end()),
    controller,
  );
  const { rowCount, form, waitMs } = call;
  const growingCall = {
    query,
    asked: { offset: 0, rowCount },
    form,
    waitMs,
    known: marked.written,
    isAdmitted: true,
  };
  const isSent = await sendGrowingPage(context, request, reply, growingCall);
  context.metrics.observeFirstRows(query.elapsedMs);
  if (isSent) return reply;
  try {
    return await sendFirstPage(context, request, reply, { ...call, result: await running });
  } catch (error) {
    if (query.state === 'DONE' || isFailedCall(error, signalOf(request))) throw error;
    return replyWithException(context, request, reply, error);
  }
}

/**
 * Marks a query as running on this broker for the other brokers of a shared store: from its answer
 * on, a client may ask any of them. A query that ends immediately, such as a refused one, is not
 * marked.
 */
export function markRunning(
  context: BrokerContext,
  log: Pick<FastifyBaseLogger, 'warn'>,
  { query, timeoutMs }: { readonly query: RunningQuery; readonly timeoutMs: number },
): { readonly written: Promise<void>; end(): Promise<void> } {
  const warn = (err: unknown): void =>
    log.warn(
      { err },
      'other brokers may have missing or outdated information about a running query',
    );
  const { results, clock } = context;
  const place = {
    owner: query.owner,
    broker: context.address(),
    endsBeforeMs: clock.nowMs() + timeoutMs,
  };
  const thisTurn = new Promise((resolve) => setImmediate(resolve));
  const made = thisTurn.then(() =>
    query.outcome === undefined ? results.markRunning(query.requestId, place) : undefined,
  );
  return {
    written: made.then((mark) => mark?.written).catch(warn),
    end: async () => (await made)?.end().catch(warn),
  };
}

function runOf(
  request: FastifyRequest,
  { query, results, timeoutMs }: QueryCall,
): Omit<QueryRun, 'signal'> {
  return {
    query,
    results,
    timeoutMs,
    principal: principalOf(request),
    requestId: request.id as RequestId,
  };
}

export function logStored(
  { log }: Pick<FastifyRequest, 'log'>,
  { entry, statistics }: Result,
): void {
  const { rowCount, sizeBytes } = entry;
  log.info({ rowCount, sizeBytes, elapsedMs: statistics.elapsedMs }, 'query stored');
}

const ignore = (): void => undefined;

interface QueryCall {
  readonly query: Query;
  /** The results that the query references. */
  readonly results: readonly Result[];
  readonly answer: AnswerKind;
  /** True to answer as soon as the rows of the first page exist. */
  readonly isAsync: boolean;
  readonly waitMs: number;
  readonly rowCount: number;
  readonly form: RowsForm;
  readonly timeoutMs: number;
  /** The question that an existing result may answer; undefined if none may. */
  readonly question: Question | undefined;
}

/** Parses a call and refuses everything that can be refused before the query runs. */
function parseCall(context: BrokerContext, request: FastifyRequest): Omit<QueryCall, 'results'> {
  const { options } = context;
  const body = request.body as QueryBody; // validated against the schema
  const inPath = queryOf(request);
  const { sql, dialect, queryOptions } = parseQueryText(context, principalOf(request), body);
  const { timeoutMs = Infinity } = queryOptions;
  const isPaginated = parseBooleanParameter('doPaginate', inPath['doPaginate']) ?? false;
  const isCursor =
    parseBooleanParameter('getCursor', inPath['getCursor']) ?? queryOptions.isCursor ?? false;
  const isAsync = parseBooleanParameter('async', inPath['async']) ?? false;
  if (isAsync && !isPaginated) {
    throw new QuireError(
      'INVALID_PARAMETER',
      'async is true without doPaginate; use it with doPaginate=true.',
    );
  }
  const query: Query = {
    sql,
    ...(dialect !== undefined && { dialect }),
    ...(body.parameters !== undefined && { parameters: parseQueryParameters(body.parameters) }),
    options: { ...queryOptions.others, ...(String(body.trace) === 'true' && { trace: 'true' }) },
    isPaginated: isPaginated || isCursor,
  };
  const mayReuse = isPaginated && queryOptions.mayReuse !== false;
  return {
    query,
    question: mayReuse
      ? questionOf(context, {
          principal: principalOf(request),
          query,
          cacheControl: request.headers['cache-control'],
        })
      : undefined,
    answer: isPaginated ? 'page' : isCursor ? 'pinot-cursor' : 'whole',
    isAsync,
    waitMs: waitOf(context, inPath['wait']),
    rowCount:
      parseRowCount(inPath['numRows']) ??
      (isCursor ? queryOptions.cursorRowCount : undefined) ??
      options.pageRowCount,
    form: chooseForm(inPath, request.headers),
    timeoutMs: Math.min(timeoutMs, options.queryTimeoutMs),
  };
}

/**
 * Returns the question, if results are reused. For a caller that requests a new answer, the query
 * runs, and the next caller may reuse it.
 */
export function questionOf(
  { options }: BrokerContext,
  asked: {
    readonly principal: Principal;
    readonly query: Query;
    readonly cacheControl?: string | undefined;
  },
): Question | undefined {
  const { principal, query, cacheControl } = asked;
  const { reuse: policy } = options;
  if (policy === undefined) return undefined;
  const key = questionKey(principal.name, query);
  return { key, sql: query.sql, ageMaxMs: wantedAgeMs(cacheControl), policy };
}

/**
 * Deletes the result once the response has ended, unless it must stay. It is also deleted if the
 * response was not received completely: the id is at the end of the body, so the client does not
 * know it.
 */
export function discardUnlessNeeded(
  context: BrokerContext,
  { call, log }: { readonly call: Pick<Call, 'outcome'>; readonly log: FastifyRequest['log'] },
  { entry }: Result,
  isKept: boolean | Promise<boolean>,
): void {
  const discard = async (): Promise<void> => {
    const outcome = await call.outcome;
    if (outcome === 'finished' && (await isKept)) return;
    const { requestId } = entry;
    try {
      await context.reuse.discard(requestId, async () => {
        await context.results.delete(requestId);
      });
    } catch (error) {
      if (isQuireError(error) && error.kind === 'missing') return; // already deleted
      log.warn(
        { err: error },
        'the result of an ended call could not be deleted; the cleaner will delete it when it expires',
      );
    }
  };
  context.calls.follow(discard());
}

/**
 * Answers a query that ran and failed: HTTP 200 with the exception, because the call itself is
 * valid (SPECIFICATION.md section 7).
 */
function replyWithException(
  context: BrokerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
): FastifyReply {
  const error = toQuireError(thrown);
  const isAdmin = principalOf(request).role === 'admin';
  const exception = exceptionOf(error, request.id, { isAdmin });
  const { errorCode } = exception;
  if (errorCode === 450) request.log.error({ err: error }, 'query failed unexpectedly');
  else if (error.code === 'ENGINE_UNAVAILABLE') {
    request.log.warn({ err: error, errorCode }, 'query failed: no engine answers');
  } else request.log.info({ reason: error.code, errorCode }, 'query failed');
  const response: QueryResponse = metadataOfFailure({
    requestId: request.id,
    brokerId: context.options.results.brokerId,
    exception,
    elapsedMs: context.clock.monotonicMs() - callContextOf(request).startMs,
  });
  return reply
    .headers({ 'cache-control': 'no-store', [pinotErrorCodeHeader]: String(errorCode) })
    .send(response);
}
