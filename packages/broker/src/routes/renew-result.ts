import { brokerOperations, type RenewBody } from '@quire/api';
import { parseDurationMs, QuireError } from '@quire/core';
import type { RouteOptions } from 'fastify';
import { principalOf, requestIdOf, routeOf, signalOf } from '@quire/service';
import type { BrokerContext } from '../broker-context.ts';
import { openOwnResult, hideFromOthers } from '../own-results.ts';
import { storedResultOf } from '../stored-result-entry.ts';

/** PATCH /query/resultStore/{requestId}: for admins, and for its owner. */
export function renewResultRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.renewResult, async (request, reply) => {
    const durationMs = parseExpiration((request.body as RenewBody).expiration); // validated against the schema
    const { results, storeLocation } = context.options;
    const principal = principalOf(request);
    const requestId = requestIdOf(request);
    context.queries.assertEnded(principal, requestId);
    await openOwnResult(results, principal, requestId, { signal: signalOf(request) });
    const renewed = await hideFromOthers(results, principal, requestId, () => results.renew(requestId, durationMs));
    request.log.info({ resultId: renewed.requestId, expirationTimeMs: renewed.expirationTimeMs }, 'result renewed');
    return reply.header('cache-control', 'no-store').send(storedResultOf(renewed, storeLocation));
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
    const expected = "'expiration' in the request body is not a duration; expected for example 30m, 2h or 1d.";
    throw new QuireError('INVALID_BODY', expected, { cause });
  }
}
