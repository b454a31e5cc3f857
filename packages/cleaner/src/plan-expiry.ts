import type { BrokerSnapshot } from './broker-snapshot.ts';

/**
 * Returns the results that have expired at `nowMs` (`expirationTimeMs <= nowMs`), as indexes into
 * the snapshot, in its order.
 */
export function planExpiry(snapshot: BrokerSnapshot, nowMs: number): readonly number[] {
  const expired: number[] = [];
  for (let index = 0; index < snapshot.length; index += 1) {
    if (snapshot.expirationTimeMsAt(index) <= nowMs) expired.push(index);
  }
  return expired;
}
