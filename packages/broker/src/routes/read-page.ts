import {
  brokerOperations,
  expirationHeader,
  type MetadataRecord,
  pageFormats,
  parseOffset,
  parseRowCount,
} from '@quire/api';
import type { Principal } from '@quire/auth';
import { resolveRowRange } from '@quire/core';
import { tracedSync } from '@quire/core/trace';
import { principalOf, queryOf, requestIdOf, routeOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { askedRange } from '../byte-range.ts';
import { chooseForm, formTagOf } from '../choose-format.ts';
import { cursorMembersOf } from '../cursor-members.ts';
import { metadataOfResult, metadataOfStatus } from '../metadata-record.ts';
import { openRequested } from '../own-results.ts';
import { statusOfFinished, statusOfRunning } from '../query-status.ts';
import { assertNotFailed, sendGrowingPage, waitOf } from '../send-growing-page.ts';
import { sendRange } from '../send-range.ts';
import { chooseRowsEncoding, rowsVary, sendRows } from '../send-rows.ts';

/**
 * GET /query/{requestId}/results. The same call returns the same bytes while the result is live.
 * The tag identifies the page, its format and its compression, and nothing is read if the caller
 * already has it.
 */
export function readPageRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.readPage, async (request, reply) => {
    const parameters = queryOf(request);
    const asked = {
      offset: parseOffset(parameters['offset']),
      rowCount: parseRowCount(parameters['numRows']) ?? context.options.pageRowCount,
    };
    const form = chooseForm(parameters, request.headers);
    const { format } = form;
    const waitMs = waitOf(context, parameters['wait']);
    const principal = principalOf(request);
    const growing = context.queries.running(principal, requestIdOf(request));
    if (growing !== undefined) {
      const isSent = await sendGrowingPage(context, request, reply, {
        query: growing,
        asked,
        form,
        waitMs,
      });
      if (isSent) return reply;
    }
    assertNotFailed(context, principal, requestIdOf(request));
    const result = await openRequested(context, request);
    resolveRowRange(asked, result.entry.rowCount, [parameters['offset']].flat()[0]?.slice(0, 40));
    const page = tracedSync('page.plan', () => result.page(asked));
    const { requestId, expirationTimeMs } = result.entry;
    const tagOf = (encoding: string): string =>
      `"${requestId}-${asked.offset}-${asked.rowCount}-${formTagOf(form)}-${encoding}"`;
    // A range applies to the uncompressed page, because compression is not reproducible.
    const wanted =
      request.method === 'GET' ? askedRange(request.headers, format, tagOf('identity')) : undefined;
    const contentEncoding =
      wanted === undefined ? chooseRowsEncoding(request, result.entry, page) : 'identity';
    const entityTag = tagOf(contentEncoding);
    const secondsLeft = Math.max(0, Math.floor((expirationTimeMs - context.clock.nowMs()) / 1000));
    const headers = {
      etag: entityTag,
      'cache-control': `private, max-age=${secondsLeft}, immutable`,
      [expirationHeader]: String(expirationTimeMs),
      ...(!pageFormats[format].hasEnvelope && { 'accept-ranges': 'bytes' }),
    };
    if (matchesEntityTag(request.headers['if-none-match'], entityTag)) {
      return reply
        .code(304)
        .headers({ vary: rowsVary, ...headers })
        .send();
    }
    const members = cursorMembersOf(result, page, asked, context.advertised());
    const { schema } = result;
    const rows = {
      requestId,
      schema,
      page,
      ...form,
      contentEncoding,
      envelope: members,
      members,
      headers,
    } as const;
    if (wanted !== undefined) return sendRange(context, request, reply, { rows, wanted });
    return sendRows(context, request, reply, rows);
  });
}

/**
 * Reports whether an If-None-Match header contains the tag: alone, in a list, weakly, or as `*`
 * (RFC 9110 section 13.1.2).
 */
export function matchesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  // These tags contain no comma, so a list can be split at commas.
  const named = ifNoneMatch.split(',').map((candidate) => candidate.trim());
  return named.includes('*') || named.includes(tag) || named.includes(`W/${tag}`);
}

/** Returns the metadata of a query that is running, or has ended without a result. */
function ongoingMetadataOf(
  context: BrokerContext,
  principal: Principal,
  requestId: string,
): MetadataRecord | undefined {
  const running = context.queries.running(principal, requestId);
  if (running !== undefined) return metadataOfStatus(statusOfRunning(context, running));
  const ended = context.queries.ended(principal, requestId);
  return ended === undefined ? undefined : metadataOfStatus(statusOfFinished(context, ended));
}

/** GET /query/{requestId}/metadata. */
export function readMetadataRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.readMetadata, async (request, reply) => {
    const principal = principalOf(request);
    reply.header('cache-control', 'no-store');
    const ongoing = ongoingMetadataOf(context, principal, requestIdOf(request));
    if (ongoing !== undefined) return reply.send([ongoing]);
    const result = await openRequested(context, request);
    return reply.send([metadataOfResult(result)]);
  });
}
