import { brokerOperations, expirationHeader, parseOffset, parseRowCount } from '@quire/api';
import type { RouteOptions } from 'fastify';
import { principalOf, queryOf, requestIdOf, routeOf, signalOf } from '@quire/service';
import type { BrokerContext } from '../broker-context.ts';
import { chooseFormat } from '../choose-format.ts';
import { cursorMembersOf } from '../cursor-members.ts';
import { matchesEntityTag } from '../entity-tag.ts';
import { openOwnResult } from '../own-results.ts';
import { chooseRowsEncoding, rowsVary, sendRows } from '../send-rows.ts';

/**
 * GET /query/{requestId}/results. The same call gives the same bytes while the result lives: the tag names the page, as asked
 * for, its format and its compression, and nothing is read when the caller has it already.
 */
export function readPageRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.readPage, async (request, reply) => {
    const parameters = queryOf(request);
    const asked = {
      offset: parseOffset(parameters['offset']),
      rowCount: parseRowCount(parameters['numRows']) ?? context.options.pageRowCount,
    };
    const format = chooseFormat(parameters['format'], request.headers);
    const { results } = context.options;
    const result = await openOwnResult(results, principalOf(request), requestIdOf(request), { signal: signalOf(request) });
    const page = result.page(asked);
    const contentEncoding = chooseRowsEncoding(request, result, page);
    const { requestId, expirationTimeMs } = result.entry;
    const entityTag = `"${requestId}-${asked.offset}-${asked.rowCount}-${format}-${contentEncoding}"`;
    const secondsLeft = Math.max(0, Math.floor((expirationTimeMs - context.clock.nowMs()) / 1000));
    const headers = {
      etag: entityTag,
      'cache-control': `private, max-age=${secondsLeft}, immutable`,
      [expirationHeader]: String(expirationTimeMs),
    };
    if (matchesEntityTag(request.headers['if-none-match'], entityTag)) {
      return reply
        .code(304)
        .headers({ vary: rowsVary, ...headers })
        .send();
    }
    const members = cursorMembersOf(result, page, asked, context.advertised());
    return sendRows(context, request, reply, { result, page, format, contentEncoding, envelope: members, members, headers });
  });
}
