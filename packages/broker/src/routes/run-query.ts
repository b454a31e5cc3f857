import {
  expirationHeader,
  operations,
  parseBooleanParameter,
  parseQueryOptions,
  parseRowCount,
  type QueryBody,
} from '@quire/api';
import { isQuireError, type RequestId } from '@quire/core';
import type { Result } from '@quire/results';
import type { FastifyRequest, RouteOptions } from 'fastify';
import { callContextOf, principalOf, queryOf, routeOf, signalOf } from '@quire/service';
import type { BrokerContext } from '../broker-context.ts';
import { chooseFormat } from '../choose-format.ts';
import { cursorMembersOf } from '../cursor-members.ts';
import { replyWithException } from '../failed-query.ts';
import { metadataOfResult } from '../metadata-record.ts';
import { isFailedCall, runQuery } from '../run-query.ts';
import { chooseRowsEncoding, type RowsReply, sendRows } from '../send-rows.ts';

/**
 * POST /query/sql. A plain query takes the same way as a paginated one: its answer is stored, sent whole and deleted again. So
 * memory stays flat whatever its size, and every failure of the query shows before the response begins.
 */
export function runQueryRoute(context: BrokerContext): RouteOptions {
  return routeOf(operations.runQuery, async (request, reply) => {
    const { sql, isPaginated, rowCount, format, timeoutMs } = parseCall(context, request);
    const owner = principalOf(request).name;
    const signal = signalOf(request);
    const running = runQuery(context, { sql, timeoutMs, owner, requestId: request.id as RequestId, signal });
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
    const fate = { isKept: isPaginated };
    discardUnlessKept(context, request, result, fate);
    const asked = { offset: 0, rowCount: isPaginated ? rowCount : Math.max(1, totalRowCount) };
    const page = result.page(asked);
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
        ...(isPaginated && { [expirationHeader]: String(result.entry.expirationTimeMs) }),
      },
    };
    try {
      // Resolves no sooner than the response has ended, by when the fate of the result is decided: it must stand before.
      return await sendRows(context, request, reply, rows);
    } catch (error) {
      fate.isKept = false;
      throw error;
    }
  });
}

const ignore = (): void => undefined;

interface QueryCall {
  readonly sql: string;
  readonly isPaginated: boolean;
  readonly rowCount: number;
  readonly format: RowsReply['format'];
  readonly timeoutMs: number;
}

/** Everything that can be refused is refused here, before the query runs. */
function parseCall({ options }: BrokerContext, request: FastifyRequest): QueryCall {
  const { sql, queryOptions = '' } = request.body as QueryBody; // validated against the schema
  const parameters = queryOf(request);
  const { timeoutMs = Infinity } = parseQueryOptions(queryOptions);
  return {
    sql,
    isPaginated: parseBooleanParameter('doPaginate', parameters['doPaginate']) ?? false,
    rowCount: parseRowCount(parameters['numRows']) ?? options.pageRowCount,
    format: chooseFormat(parameters['format'], request.headers),
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
  fate: { readonly isKept: boolean },
): void {
  const discard = async (): Promise<void> => {
    const outcome = await callContextOf(request).call.outcome;
    if (fate.isKept && outcome === 'finished') return;
    try {
      await context.options.results.delete(result.entry.requestId);
    } catch (error) {
      if (isQuireError(error) && error.kind === 'missing') return; // a cleaner or its owner was faster
      request.log.warn({ err: error }, 'the result of an ended call could not be deleted; it goes when it expires');
    }
  };
  context.calls.follow(discard());
}
