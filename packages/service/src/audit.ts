import { isRequestId } from '@quire/core';
import type { FastifyRequest } from 'fastify';
import { findCallContext } from './call-context.ts';

/**
 * Writes the line in the log that tells who did what to which result, and from where: `audit: true`
 * marks it. The credential is never in it, and of what the caller sent only an id that is one.
 */
export function audit(
  request: FastifyRequest,
  event: string,
  members: Readonly<Record<string, unknown>>,
): void {
  const { requestId } = (request.params ?? {}) as { readonly requestId?: unknown };
  const line = {
    audit: true,
    event,
    principal: findCallContext(request)?.principal?.name,
    ...(typeof requestId === 'string' && isRequestId(requestId) && { resultId: requestId }),
    remoteAddress: request.ip,
    ...members,
  };
  request.log.info(line, event);
}
