import { expirationHeader, pagePath } from '@quire/api';
import { answerOf } from '../call.ts';

/**
 * Reads when a result expires. Every page has the expiration of its result; a page of one row is
 * the fastest.
 *
 * @throws CallError when the result no longer exists, or cannot be read
 */
export async function readExpirationMs(
  send: typeof fetch,
  requestId: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const response = await send(`${pagePath(requestId)}?offset=0&numRows=1&format=arrow`, {
    signal,
    // Pages are immutable, so a cached one would have the expiration before a renewal.
    cache: 'no-store',
  });
  if (!response.ok) {
    const contentType = response.headers.get('content-type') ?? '';
    answerOf(response.status, await response.text(), contentType);
  }
  await response.arrayBuffer();
  const text = response.headers.get(expirationHeader);
  return text === null ? undefined : Number(text);
}

/** An expiration that a renewal has set. */
export interface Renewal {
  readonly expirationMs: number;
  /** The expiration that was read before. */
  readonly replacedMs: number | undefined;
}

/** Returns when a result expires: as renewed here, until a later read has another expiration. */
export function expirationOf(
  readMs: number | undefined,
  renewal: Renewal | undefined,
): number | undefined {
  return renewal !== undefined && renewal.replacedMs === readMs ? renewal.expirationMs : readMs;
}
