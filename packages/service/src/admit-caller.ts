import type { AdmittedCall, Principal } from '@quire/auth';
import { isQuireError, QuireError } from '@quire/core';
import type { ServerOptions } from './service-options.ts';

/** Who calls, and how the call counts for its principal. */
export interface AdmittedCaller {
  readonly principal: Principal;
  /** Absent where nothing is limited. */
  readonly admitted?: AdmittedCall | undefined;
}

/** What a call presents before it is known whose it is. */
export interface UnknownCaller {
  /** The value of the Authorization header. */
  readonly authorization: string | undefined;
  readonly address: string;
}

/** Takes note of when a call that is refused for now may be tried again. */
export type OnRetryAfter = (seconds: number) => void;

/**
 * Finds out who calls, and whether it may call just now. What is admitted must be released when the
 * call has ended.
 *
 * @param onPrincipal receives the caller once it is known, also when it is then refused: the audit
 * log names it
 * @throws UNAUTHENTICATED, AUTHENTICATION_UNAVAILABLE as `ServerOptions.authenticate`
 * @throws TOO_MANY_REQUESTS when the principal calls too much, or the address has guessed too much
 */
export async function admitCaller(
  { authenticate, limits }: Pick<ServerOptions, 'authenticate' | 'limits'>,
  { authorization, address }: UnknownCaller,
  onRetryAfter: OnRetryAfter,
  onPrincipal: (principal: Principal) => void,
): Promise<AdmittedCaller> {
  const waitMs = limits?.retryAfterFailuresMs(address, authorization) ?? 0;
  if (waitMs > 0) {
    throw tooMany(waitMs, 'Too many wrong credentials came from this address', onRetryAfter);
  }
  const principal = await authenticated({ authenticate, limits }, { authorization, address });
  onPrincipal(principal);
  if (limits === undefined) return { principal };
  limits.countSuccess(authorization);
  const admission = limits.admit(principal);
  if (admission.isAdmitted) return { principal, admitted: admission };
  throw tooMany(admission.retryAfterMs, `${principal.name} ${admission.problem}`, onRetryAfter);
}

async function authenticated(
  { authenticate, limits }: Pick<ServerOptions, 'authenticate' | 'limits'>,
  { authorization, address }: UnknownCaller,
): Promise<Principal> {
  try {
    return await authenticate(authorization);
  } catch (error) {
    if (isQuireError(error, 'UNAUTHENTICATED')) limits?.countFailure(address, authorization);
    throw error;
  }
}

/**
 * Lets a call start work of its own, such as a query. Calls that only read, watch or cancel do not
 * ask: a principal whose work fills its limit can still see to it.
 *
 * @throws TOO_MANY_REQUESTS when the principal has as much under way as it may, the work of earlier
 * calls included
 */
export function assertMayWork(
  { principal, admitted }: Partial<AdmittedCaller>,
  onRetryAfter: OnRetryAfter,
): void {
  const refusal = admitted?.refuseWork();
  if (refusal === undefined) return;
  throw tooMany(refusal.retryAfterMs, `${principal?.name} ${refusal.problem}`, onRetryAfter);
}

/** Counts the caller until the work has ended, however it ends, which may be after its call. */
export function followWork({ admitted }: Partial<AdmittedCaller>, work: Promise<unknown>): void {
  const ignore = (): void => undefined;
  admitted?.follow(work.then(ignore, ignore));
}

function tooMany(waitMs: number, what: string, onRetryAfter: OnRetryAfter): QuireError {
  const seconds = Math.ceil(waitMs / 1000);
  onRetryAfter(seconds);
  return new QuireError('TOO_MANY_REQUESTS', `${what}; try again in ${seconds} s.`);
}
