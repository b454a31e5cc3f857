import {
  brokerOperations,
  exceptionNumberOf,
  expirationHeader,
  type Operation,
  parseBooleanParameter,
  parseQueryOptions,
  parseQueryParameters,
  parseRowCount,
  pinotErrorCodeHeader,
  type QueryBody,
  type QueryResponse,
  takeSetStatements,
} from '@quire/api';
import { isQuireError, type Query, type RequestId } from '@quire/core';
import type { Result } from '@quire/results';
import { callContextOf, principalOf, publicMessage, queryOf, routeOf, signalOf, toQuireError } from '@quire/service';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { chooseFormat } from '../choose-format.ts';
import { cursorMembersOf } from '../cursor-members.ts';
import { metadataOfFailure, metadataOfResult } from '../metadata-record.ts';
import { sendPinotPage } from '../pinot/send-cursor.ts';
import { isFailedCall, runQuery } from '../query-runner.ts';
import { chooseRowsEncoding, type RowsReply, sendRows } from '../send-rows.ts';

/**
 * POST /query/sql. A plain query takes the same way as a paginated one: its answer is stored, sent whole and deleted again. So
 * memory stays flat whatever its size, and every failure of the query shows before the response begins.
 */
export function runQueryRoute(context: BrokerContext, operation: Operation = brokerOperations.runQuery): RouteOptions {
  return routeOf(operation, async (request, reply) => {
    const { query, answer, rowCount, format, timeoutMs } = parseCall(context, request);
    const isPaginated = answer !== 'whole';
    const owner = principalOf(request).name;
    const signal = signalOf(request);
    const running = runQuery(context, { query, timeoutMs, owner, requestId: request.id as RequestId, signal });
    // A shutdown also waits until a cancelled query has cleaned up after itself.
    context.calls.follow(running.then(ignore, ignore));
    let result: Result;
    try {
      result = await running;
    } catch (error) {
      if (isFailedCall(error, signal)) throw error;
      return replyWithException(context, request, reply, error);
    }
    const { requestId, rowCount: totalRowCount, sizeBytes } = result.entry;
    request.log.info({ rowCount: totalRowCount, sizeBytes, elapsedMs: result.statistics.elapsedMs }, 'query stored');
    const retention = { keepsResult: isPaginated };
    discardUnlessKept(context, request, result, retention);
    const asked = { offset: 0, rowCount: isPaginated ? rowCount : Math.max(1, totalRowCount) };
    const page = result.page(asked);
    if (answer === 'pinot-cursor') return sendStored(retention, () => sendPinotPage(context, request, reply, { result, page }));
    const cursor = cursorMembersOf(result, page, asked, context.advertised());
    const rows: RowsReply = {
      result,
      page,
      format,
      contentEncoding: chooseRowsEncoding(request, result, page),
      envelope: isPaginated ? cursor : metadataOfResult(result),
      members: isPaginated ? cursor : { requestId, numRows: totalRowCount },
      headers: {
        'cache-control': 'no-store',
        [pinotErrorCodeHeader]: '-1',
        ...(isPaginated && { [expirationHeader]: String(result.entry.expirationTimeMs) }),
      },
    };
    return sendStored(retention, () => sendRows(context, request, reply, rows));
  });
}

/** Resolves no sooner than the response has ended, by when the fate of the result is decided: it must stand before. */
async function sendStored(retention: { keepsResult: boolean }, send: () => Promise<FastifyReply>): Promise<FastifyReply> {
  try {
    return await send();
  } catch (error) {
    retention.keepsResult = false;
    throw error;
  }
}

const ignore = (): void => undefined;

interface QueryCall {
  readonly query: Query;
  /** All rows at once and nothing kept, or the first page of what is stored, in our way or in that of Apache Pinot. */
  readonly answer: 'whole' | 'page' | 'pinot-cursor';
  readonly rowCount: number;
  readonly format: RowsReply['format'];
  readonly timeoutMs: number;
}

/** Everything that can be refused is refused here, before the query runs. */
function parseCall({ options }: BrokerContext, request: FastifyRequest): QueryCall {
  const body = request.body as QueryBody; // validated against the schema
  const { sql, options: given } = takeSetStatements(body.sql);
  const inPath = queryOf(request);
  const queryOptions = parseQueryOptions(body.queryOptions ?? '', given);
  const { timeoutMs = Infinity } = queryOptions;
  const isPaginated = parseBooleanParameter('doPaginate', inPath['doPaginate']) ?? false;
  const isCursor = parseBooleanParameter('getCursor', inPath['getCursor']) ?? queryOptions.isCursor ?? false;
  return {
    query: {
      sql,
      ...(body.parameters !== undefined && { parameters: parseQueryParameters(body.parameters) }),
      options: { ...queryOptions.others, ...(String(body.trace) === 'true' && { trace: 'true' }) },
      isPaginated: isPaginated || isCursor,
    },
    answer: isPaginated ? 'page' : isCursor ? 'pinot-cursor' : 'whole',
    rowCount: parseRowCount(inPath['numRows']) ?? (isCursor ? queryOptions.cursorRowCount : undefined) ?? options.pageRowCount,
    format: chooseFormat(inPath['format'], request.headers),
    timeoutMs: Math.min(timeoutMs, options.queryTimeoutMs),
  };
}

/**
 * Deletes the result once the response has ended, unless it is to be kept. A response that did not arrive whole keeps nothing
 * either: its id stands at the end of the body, so nobody knows it.
 */
function discardUnlessKept(
  context: BrokerContext,
  request: FastifyRequest,
  result: Result,
  retention: { readonly keepsResult: boolean },
): void {
  const discard = async (): Promise<void> => {
    const outcome = await callContextOf(request).call.outcome;
    if (retention.keepsResult && outcome === 'finished') return;
    try {
      await context.options.results.delete(result.entry.requestId);
    } catch (error) {
      if (isQuireError(error) && error.kind === 'missing') return; // a cleaner or its owner was faster
      request.log.warn(
        { err: error },
        'the result of an ended call could not be deleted; the cleaner will delete it when it expires',
      );
    }
  };
  context.calls.follow(discard());
}

/** Answers a query that ran and failed: HTTP 200 with the exception, since the call itself is in order (SPECIFICATION.md section 7). */
function replyWithException(context: BrokerContext, request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = toQuireError(thrown);
  const errorCode = error.exceptionNumber ?? exceptionNumberOf(error.code);
  if (errorCode === 450) request.log.error({ err: error }, 'query failed unexpectedly');
  else if (error.code === 'ENGINE_UNAVAILABLE') request.log.warn({ err: error, errorCode }, 'query failed: no engine answers');
  else request.log.info({ reason: error.code, errorCode }, 'query failed');
  const response: QueryResponse = metadataOfFailure({
    requestId: request.id,
    brokerId: context.options.results.brokerId,
    exception: { errorCode, message: publicMessage(error, request.id) },
    elapsedMs: context.clock.monotonicMs() - callContextOf(request).startMs,
  });
  return reply.headers({ 'cache-control': 'no-store', [pinotErrorCodeHeader]: String(errorCode) }).send(response);
}
