import { refusalReasonOf } from '@quire/auth';
import { errorStatuses } from '@quire/api';
import { isRequestId, type QuireError } from '@quire/core';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { findCallContext } from './call-context.ts';

/** The caller and the action of a line in the audit log. */
export interface AuditedCall {
  readonly log: Pick<FastifyBaseLogger, 'info'>;
  readonly principal: string | undefined;
  readonly remoteAddress: string;
  /** The id in the call, as it was sent. */
  readonly requestId?: unknown;
}

/**
 * Writes the audit line that records who did what to which result, and from where; it is marked
 * with `audit: true`. It never contains the credential. Of the caller's input, it contains only a
 * valid id.
 */
export function audit(
  request: FastifyRequest,
  event: string,
  members: Readonly<Record<string, unknown>>,
): void {
  auditCall(auditedCallOf(request), event, members);
}

/** Writes the audit line for a call of any protocol. */
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

/**
 * Audits a refusal: an error with less detail for the caller than in the log, or a request to call
 * less often.
 */
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

/** Returns the data of a request for the audit log. */
export function auditedCallOf(request: FastifyRequest): AuditedCall {
  const { requestId } = (request.params ?? {}) as { readonly requestId?: unknown };
  const principal = findCallContext(request)?.principal?.name;
  return { log: request.log, principal, remoteAddress: request.ip, requestId };
}
