import { brokerOperations, parseIntegerParameter, type RawParameter } from '@quire/api';
import { requireRole } from '@quire/auth';
import { type PageRequest, QuireError } from '@quire/core';
import type { Result, ResultPage } from '@quire/results';
import { principalOf, queryOf, routeOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { openRequested } from '../own-results.ts';
import { pinotEntryOf, pinotResponseOf } from '../pinot/cursor-response.ts';
import { sendPinotPage } from '../pinot/send-cursor.ts';
import { sendList } from '../send-list.ts';

/** GET /responseStore/{requestId}/results. */
export function readPinotPageRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.readPinotPage, async (request, reply) => {
    const { pageRowCount } = context.options;
    const parameters = queryOf(request);
    const offset = parseIntegerParameter('offset', parameters['offset']) ?? 0;
    const rowCount = parseIntegerParameter('numRows', parameters['numRows']) ?? pageRowCount;
    const result = await openRequested(context, request);
    return sendPinotPage(context, request, reply, {
      result,
      page: pageOf(result, { offset, rowCount }, parameters['offset']),
    });
  });
}

/**
 * Returns the requested page. Unlike Quire's own API, this API refuses an offset after the last
 * row, except offset 0 of a result without rows.
 */
function pageOf(result: Result, asked: PageRequest, sentOffset: RawParameter): ResultPage {
  const { offset } = asked;
  const totalRowCount = result.entry.rowCount;
  if (offset > 0 && offset >= totalRowCount) {
    const shown = [sentOffset].flat()[0]?.slice(0, 40);
    throw new QuireError(
      'OFFSET_OUT_OF_RANGE',
      `Offset ${shown} should be lesser than totalRecords ${totalRowCount}`,
    );
  }
  return result.page(asked);
}

/** GET /responseStore/{requestId}. */
export function readPinotResponseRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.readPinotResponse, async (request, reply) => {
    const result = await openRequested(context, request);
    return reply.header('cache-control', 'no-store').send(pinotResponseOf(context, result));
  });
}

/** GET /responseStore: newest first, for admins. */
export function listPinotResponsesRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.listPinotResponses, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    return sendList(context, request, reply, {
      open: '[',
      itemOf: (entry) => pinotEntryOf(context, entry),
      close: ']',
    });
  });
}
