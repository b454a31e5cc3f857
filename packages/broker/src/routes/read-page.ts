import { brokerOperations, expirationHeader, parseOffset, parseRowCount } from '@quire/api';
import { principalOf, queryOf, requestIdOf, routeOf, signalOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { chooseFormat } from '../choose-format.ts';
import { cursorMembersOf } from '../cursor-members.ts';
import { metadataOfResult } from '../metadata-record.ts';
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

/** Tells whether an If-None-Match header names the tag: by itself, in a list, weakly, or as `*` (RFC 9110 section 13.1.2). */
export function matchesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  // Our tags hold no comma, so a list can be cut at commas.
  const named = ifNoneMatch.split(',').map((candidate) => candidate.trim());
  return named.includes('*') || named.includes(tag) || named.includes(`W/${tag}`);
}

/** GET /query/{requestId}/metadata. */
export function readMetadataRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.readMetadata, async (request, reply) => {
    const { results } = context.options;
    const result = await openOwnResult(results, principalOf(request), requestIdOf(request), { signal: signalOf(request) });
    return reply.header('cache-control', 'no-store').send([metadataOfResult(result)]);
  });
}
