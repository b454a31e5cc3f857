import { mayRead, type Principal, RefusalReason } from '@quire/auth';
import { type CallOptions, isQuireError, QuireError } from '@quire/core';
import type { Result, ResultStore } from '@quire/results';

/**
 * Opens a result for a principal. To whom it does not belong, it never existed: strangers cannot
 * tell the ids of others' results, living or gone, from ids that nobody ever had.
 *
 * @throws RESULT_NOT_FOUND when there is no such result, or it is somebody else's, or was
 * @throws RESULT_EXPIRED, RESULT_EVICTED, RESULT_DELETED when it is gone, and the principal may
 * know
 */
export async function openOwnResult(
  results: ResultStore,
  principal: Principal,
  requestId: string,
  options: CallOptions,
): Promise<Result> {
  const atHand = results.openAtHand(requestId, (owner) => mayRead(principal, owner));
  if (atHand !== undefined) return atHand;
  const result = await hideFromOthers(results, principal, requestId, () =>
    results.open(requestId, { ...options, mayRead: (owner) => mayRead(principal, owner) }),
  );
  if (!mayRead(principal, result.owner)) throw notFound(requestId, foreign);
  return result;
}

/**
 * Does something to a result; what it says about results that are gone is only for those whose
 * result it was.
 */
export async function hideFromOthers<T>(
  results: ResultStore,
  principal: Principal,
  requestId: string,
  task: () => Promise<T>,
): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (isQuireError(error, 'RESULT_NOT_FOUND')) throw notFound(requestId);
    if (!isQuireError(error, 'RESULT_EXPIRED', 'RESULT_EVICTED', 'RESULT_DELETED')) throw error;
    const owner = results.ownerOfRemoved(requestId);
    const mayKnow = owner === undefined ? principal.role === 'admin' : mayRead(principal, owner);
    throw mayKnow ? error : notFound(requestId, owner === undefined ? undefined : foreign);
  }
}

/** What the log is told of those who ask for somebody else's result, instead of what they hear. */
const foreign = new RefusalReason("the result is or was somebody else's");

function notFound(requestId: string, cause?: RefusalReason): QuireError {
  // A hostile id may be long or hold control characters: it is shown escaped and cut.
  const shown = JSON.stringify(
    requestId.length > 64 ? `${requestId.slice(0, 64)}…` : requestId,
  ).slice(1, -1);
  return new QuireError('RESULT_NOT_FOUND', `Query results for ${shown} not found.`, { cause });
}
