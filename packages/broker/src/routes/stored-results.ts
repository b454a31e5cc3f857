import {
  brokerOperations,
  type LinkResponse,
  type Operation,
  parseBooleanParameter,
  parseIntegerParameter,
  type RenewBody,
} from '@quire/api';
import { requireRole } from '@quire/auth';
import { parseDurationMs, QuireError } from '@quire/core';
import { audit, principalOf, queryOf, requestIdOf, routeOf } from '@quire/service';
import type { RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import type { BrokerOptions } from '../broker-options.ts';
import { openRequested, OwnResults } from '../own-results.ts';
import { sendList, sendOwnList } from '../send-list.ts';
import { ownedResultOf, storedResultOf } from '../stored-result-entry.ts';

/** GET /query/resultStore: newest first, for admins; with `own`, the caller's, for everyone. */
export function listResultsRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.listResults, async (request, reply) => {
    if (parseBooleanParameter('own', queryOf(request)['own']) === true) {
      return sendOwnList(context, request, reply);
    }
    requireRole(principalOf(request), 'admin');
    return sendList(context, request, reply, {
      open: '{"resultMetadataList":[',
      itemOf: (entry) => storedResultOf(entry, context.options),
      close: ']}',
    });
  });
}

/** GET /query/usage: for everyone, about itself. */
export function readUsageRoute(usageOf: NonNullable<BrokerOptions['usageOf']>): RouteOptions {
  return routeOf(brokerOperations.readUsage, async (request, reply) =>
    reply.header('cache-control', 'no-store').send(usageOf(principalOf(request).name)),
  );
}

/** GET /query/resultStore/{requestId}: for admins, and for its owner. */
export function readResultRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.readResult, async (request, reply) => {
    const result = await openRequested(context, request);
    return reply.header('cache-control', 'no-store').send(ownedResultOf(result, context.options));
  });
}

/** The shortest lifetime of a link that stores accept. */
const lifetimeMinMs = 1000;

/**
 * GET /query/{requestId}/link: for callers who may read the result. The link is only in the
 * response, and never in a log.
 */
export function readLinkRoute(
  context: BrokerContext,
  links: NonNullable<BrokerOptions['links']>,
): RouteOptions {
  return routeOf(brokerOperations.readLink, async (request, reply) => {
    const format = queryOf(request)['format'] ?? 'arrow';
    if (format !== 'arrow') {
      throw new QuireError(
        'INVALID_PARAMETER',
        "'format' is not arrow, but a link returns the data file, which is in that format.",
      );
    }
    const { entry } = await openRequested(context, request);
    const nowMs = context.clock.nowMs();
    const lifetimeMs = Math.max(
      lifetimeMinMs,
      Math.min(links.lifetimeMs, entry.expirationTimeMs - nowMs),
    );
    const url = await links.signer.signLink(entry.dataKey, lifetimeMs);
    const response: LinkResponse = { url, expirationTimeMs: nowMs + lifetimeMs };
    return reply.header('cache-control', 'no-store').send(response);
  });
}

/** PATCH /query/resultStore/{requestId}: for admins, and for its owner. */
export function renewResultRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.renewResult, async (request, reply) => {
    const durationMs = parseExpiration((request.body as RenewBody).expiration); // validated against the schema
    const { results } = context.options;
    const principal = principalOf(request);
    const requestId = requestIdOf(request);
    context.queries.assertFinished(principal, requestId);
    const renewed = await new OwnResults(results, principal).renew(requestId, durationMs);
    request.log.info(
      { resultId: renewed.requestId, expirationTimeMs: renewed.expirationTimeMs },
      'result renewed',
    );
    return reply.header('cache-control', 'no-store').send(storedResultOf(renewed, context.options));
  });
}

function parseExpiration(text: string): number {
  const durationMs = readDurationMs(text);
  if (durationMs > 0) return durationMs;
  throw new QuireError(
    'INVALID_BODY',
    "'expiration' in the request body is zero; expected a positive duration. To remove the result, delete it.",
  );
}

function readDurationMs(text: string): number {
  try {
    return parseDurationMs(text);
  } catch (cause) {
    const expected =
      "'expiration' in the request body is not a duration; expected for example 30m, 2h or 1d.";
    throw new QuireError('INVALID_BODY', expected, { cause });
  }
}

/** DELETE /query/resultStore/{requestId}: for admins, and for its owner. */
export function deleteResultRoute(
  context: BrokerContext,
  operation: Operation = brokerOperations.deleteResult,
): RouteOptions {
  return routeOf(operation, async (request, reply) => {
    const { results } = context.options;
    const principal = principalOf(request);
    const requestId = requestIdOf(request);
    context.queries.assertFinished(principal, requestId);
    const deleted = await new OwnResults(results, principal).delete(requestId);
    audit(request, 'result deleted', {
      resultId: deleted.requestId,
      reason: 'deleted',
      sizeBytes: deleted.sizeBytes,
    });
    return reply
      .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      .send(`Query Results for ${deleted.requestId} deleted.`);
  });
}

/** DELETE /query/resultStore?expiredBefore=ms: for admins. Continues if the caller disconnects. */
export function deleteExpiredResultsRoute(
  context: BrokerContext,
  operation: Operation = brokerOperations.deleteExpiredResults,
): RouteOptions {
  return routeOf(operation, async (request, reply) => {
    requireRole(principalOf(request), 'admin');
    const cutoffMs =
      parseIntegerParameter('expiredBefore', queryOf(request)['expiredBefore']) ??
      context.clock.nowMs();
    const deletedCount = await context.options.results.deleteExpired(cutoffMs);
    audit(request, 'expired results deleted', { reason: 'expired', deletedCount, cutoffMs });
    return reply
      .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      .send(`Deleted ${deletedCount} expired response(s).`);
  });
}
