import { brokerOperations, isReservedSegment, type QueryStatus } from '@quire/api';
import type { Principal } from '@quire/auth';
import { QuireError } from '@quire/core';
import { audit, principalOf, requestIdOf, routeOf } from '@quire/service';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { BrokerContext } from '../broker-context.ts';
import { openRequested } from '../own-results.ts';
import {
  entryOfRunning,
  statusOfFinished,
  statusOfResult,
  statusOfRunning,
} from '../query-status.ts';

/** GET /query/{requestId}. */
export function readQueryRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.readQuery, async (request, reply) => {
    if (isReservedSegment(requestIdOf(request))) {
      reply.callNotFound();
      return reply;
    }
    const status = await statusOf(context, request, principalOf(request));
    return reply.header('cache-control', 'no-store').send(status);
  });
}

/** GET /queries: all for admins, otherwise the caller's own. */
export function listQueriesRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.listQueries, async (request, reply) => {
    const queries = context.queries
      .list(principalOf(request))
      .map((query) => entryOfRunning(context, query));
    return reply.header('cache-control', 'no-store').send({ queries });
  });
}

/** DELETE /query/{requestId}. */
export function cancelQueryRoute(context: BrokerContext): RouteOptions {
  return routeOf(brokerOperations.cancelQuery, async (request, reply) => {
    if (isReservedSegment(requestIdOf(request))) {
      reply.callNotFound();
      return reply;
    }
    const principal = principalOf(request);
    const query = context.queries.running(principal, requestIdOf(request));
    if (query === undefined) throw hasFinished(await statusOf(context, request, principal));
    const by = principal.name === query.owner ? 'its owner' : 'an admin';
    const outcome = await query.cancel(`The query was cancelled by ${by}.`);
    if (outcome?.kind === 'done' || query.state !== 'CANCELLED') throw hasFinished(query);
    audit(request, 'query cancelled', { reason: 'cancelled', owner: query.owner });
    return reply
      .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      .send(`Query ${query.requestId} cancelled.`);
  });
}

/** Returns the status of a query in any state. @throws as `ResultStore.open` */
async function statusOf(
  context: BrokerContext,
  request: FastifyRequest,
  principal: Principal,
): Promise<QueryStatus> {
  const requestId = requestIdOf(request);
  const running = context.queries.running(principal, requestId);
  if (running !== undefined) return statusOfRunning(context, running);
  const ended = context.queries.ended(principal, requestId);
  if (ended !== undefined) {
    return statusOfFinished(context, ended, { isAdmin: principal.role === 'admin' });
  }
  return statusOfResult(await openRequested(context, request));
}

function hasFinished({
  requestId,
  state,
}: {
  readonly requestId: string;
  readonly state: string;
}): QuireError {
  const advice =
    state === 'DONE' ? `; delete its result with DELETE /query/resultStore/${requestId}` : '';
  return new QuireError(
    'CONFLICT',
    `The query ${requestId} has already ended as ${state}${advice}.`,
  );
}
