import { type CallOptions, QuireError, throwIfAborted } from '@quire/core';
import type { ResultEntry } from './result-entry.ts';

/** This many at once keep a store busy; the others wait in the listing. */
const removalsMax = 16;

/**
 * Removes the results of a listing with `expirationTimeMs <= cutoffMs`, a few at a time, going on
 * past failures; resolves to how many went. One that was renewed since the listing stays.
 *
 * @throws STORE_UNAVAILABLE when some could not be removed, after all others were
 */
export async function removeExpired(
  entries: AsyncIterable<ResultEntry>,
  cutoffMs: number,
  remove: (entry: ResultEntry) => Promise<'removed' | 'kept'>,
  { signal }: CallOptions,
): Promise<number> {
  let removedCount = 0;
  const failures: unknown[] = [];
  const underWay = new Set<Promise<void>>();
  const begin = (entry: ResultEntry): void => {
    const removal = remove(entry)
      .then((outcome) => void (removedCount += outcome === 'removed' ? 1 : 0))
      .catch((error: unknown) => void failures.push(error))
      .finally(() => underWay.delete(removal));
    underWay.add(removal);
  };
  try {
    for await (const entry of entries) {
      if (entry.expirationTimeMs > cutoffMs) continue;
      begin(entry);
      if (underWay.size >= removalsMax) await Promise.race(underWay);
    }
  } finally {
    await Promise.all(underWay);
  }
  if (failures.length === 0) return removedCount;
  throwIfAborted(signal);
  throw new QuireError(
    'STORE_UNAVAILABLE',
    `${failures.length} expired results could not be deleted; ${removedCount} were.`,
    {
      cause: new AggregateError(failures),
    },
  );
}
