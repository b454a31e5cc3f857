import { refusalReasonOf } from '@quire/auth';
import { errorStatuses } from '@quire/api';
import { isRequestId, type QuireError } from '@quire/core';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { findCallContext } from './call-context.ts';

/** Whose call a line of the audit log is about. */
export interface AuditedCall {
  readonly log: Pick<FastifyBaseLogger, 'info'>;
  readonly principal: string | undefined;
  readonly remoteAddress: string;
  /** The id that the call names, as it was sent. */
  readonly requestId?: unknown;
}

/**
 * Writes the line in the log that tells who did what to which result, and from where: `audit: true`
 * marks it. The credential is never in it, and of what the caller sent only an id that is one.
 */
export function audit(
  request: FastifyRequest,
  event: string,
  members: Readonly<Record<string, unknown>>,
): void {
  auditCall(auditedCallOf(request), event, members);
}

/** The same for a call of any protocol. */
export function auditCall(
  { log, principal, remoteAddress, requestId }: AuditedCall,
  event: string,
  members: Readonly<Record<string, unknown>>,
): void {
  const line = {
    audit: true,
    event,
    principal,
    ...(typeof requestId === 'string' && isRequestId(requestId) && { resultId: requestId }),
    remoteAddress,
    ...members,
  };
  log.info(line, event);
}

/** Audits a refusal: an error of which a caller is told less than the log, or to call less. */
export function auditRefusal(
  call: AuditedCall,
  error: QuireError,
  { method, route }: { readonly method: string; readonly route: string },
): void {
  const status = errorStatuses[error.code];
  const details = refusalReasonOf(error);
  const isRefusal = status === 401 || status === 403 || status === 429 || details !== undefined;
  if (!isRefusal) return;
  auditCall(call, 'call refused', {
    reason: error.code,
    ...(details !== undefined && { details }),
    method,
    route,
  });
}

/** Returns what the audit log says of a request. */
export function auditedCallOf(request: FastifyRequest): AuditedCall {
  const { requestId } = (request.params ?? {}) as { readonly requestId?: unknown };
  const principal = findCallContext(request)?.principal?.name;
  return { log: request.log, principal, remoteAddress: request.ip, requestId };
}
