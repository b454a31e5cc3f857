import type { AdmittedCall, Principal } from '@quire/auth';
import { isQuireError, QuireError } from '@quire/core';
import type { ServerOptions } from './service-options.ts';

/** The principal of a call, and its accounting. */
export interface AdmittedCaller {
  readonly principal: Principal;
  /** The accounting of the call; absent if nothing is limited. */
  readonly admitted?: AdmittedCall | undefined;
}

/** The credentials and the address of a call before it is authenticated. */
export interface UnknownCaller {
  /** The value of the Authorization header. */
  readonly authorization: string | undefined;
  readonly address: string;
}

/** Receives the seconds after which a refused call may be retried. */
export type OnRetryAfter = (seconds: number) => void;

/**
 * Authenticates the caller and checks its limits. An admitted call must be released when it has
 * ended.
 *
 * @param onPrincipal receives the caller once it is known, even if it is then refused, for the
 *   audit log
 * @throws UNAUTHENTICATED, AUTHENTICATION_UNAVAILABLE as `ServerOptions.authenticate`
 * @throws TOO_MANY_REQUESTS when the principal makes too many calls, or the address too many wrong
 *   guesses
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
 * Checks that a caller may start work such as a query. Calls that only read, watch or cancel are
 * not checked, so that a principal at its limit can still manage its work.
 *
 * @throws TOO_MANY_REQUESTS when the running work of the principal, including that of earlier
 *   calls, has reached its limit
 */
export function assertMayWork(
  { principal, admitted }: Partial<AdmittedCaller>,
  onRetryAfter: OnRetryAfter,
): void {
  const refusal = admitted?.refuseWork();
  if (refusal === undefined) return;
  throw tooMany(refusal.retryAfterMs, `${principal?.name} ${refusal.problem}`, onRetryAfter);
}

/** Counts work for its caller until it has ended, which may be after the call. */
export function followWork({ admitted }: Partial<AdmittedCaller>, work: Promise<unknown>): void {
  const ignore = (): void => undefined;
  admitted?.follow(work.then(ignore, ignore));
}

function tooMany(waitMs: number, what: string, onRetryAfter: OnRetryAfter): QuireError {
  const seconds = Math.ceil(waitMs / 1000);
  onRetryAfter(seconds);
  return new QuireError('TOO_MANY_REQUESTS', `${what}; try again in ${seconds} s.`);
}
