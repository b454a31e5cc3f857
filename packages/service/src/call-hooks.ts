import { QuireError } from '@quire/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { callContextOf, setCallContext } from './call-context.ts';
import { errorStatuses } from '@quire/api';
import { toQuireError } from './error-reply.ts';
import type { ServiceContext } from './service-context.ts';
import type { ServerOptions } from './service-options.ts';

/** What happens to every call: it is counted in, let in or refused, and logged and measured when it has ended. */
export function addCallHooks(
  server: FastifyInstance,
  context: ServiceContext,
  authenticate: ServerOptions['authenticate'],
): void {
  const { clock, calls } = context;

  server.addHook('onRequest', async (request, reply) => {
    const call = calls.begin(reply.raw);
    setCallContext(request, { call, startMs: clock.monotonicMs() });
    reply.header('x-request-id', request.id);
    void call.outcome.then((outcome) => observeEnd(context, request, outcome === 'broken' ? 'broken' : reply.statusCode));
    if (calls.isDraining) throw new QuireError('SHUTTING_DOWN', 'The server shuts down; call another one.');
  });

  server.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.isPublic === true) return;
    callContextOf(request).principal = await authenticate(request.headers.authorization);
  });
}

/** One line in the log and one point in the metrics per call. The URL shows in neither: it may hold what is nobody's business. */
function observeEnd({ clock, metrics }: ServiceContext, request: FastifyRequest, end: number | 'broken'): void {
  const { startMs, principal, failure, notes } = callContextOf(request);
  const durationMs = clock.monotonicMs() - startMs;
  const brokenStatus = errorStatuses[failure === undefined ? 'ABORTED' : toQuireError(failure).code];
  const status = end === 'broken' ? brokenStatus : end;
  const { method } = request;
  const route = request.routeOptions.url ?? 'none';
  metrics.observeCall({ method, route, status, durationMs });
  if (end === 'broken' && status >= 500) request.log.error({ err: failure }, 'response cut off');
  request.log.info(
    { method, route, status, durationMs, principal: principal?.name, ...notes },
    end === 'broken' ? 'call broken off' : 'call ended',
  );
}
