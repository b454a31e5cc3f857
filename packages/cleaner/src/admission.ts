import { formatBytes, QuireError, type RequestId } from '@quire/core';
import type { ResultAdmission, RoomReservation } from '@quire/results';
import type { BrokerSnapshot } from './broker-snapshot.ts';
import type { QuotaPolicy } from './quota-policy.ts';

/**
 * Keeps count of a broker's bytes between listings, those of writes in flight included, and refuses what would exceed the quota.
 *
 * Every write counts as it grows. Crossing the critical threshold asks for a sweep at once; crossing the quota fails the write that
 * crosses it. A listing sets the count right again: see `beginListing`.
 */
export class StorageAdmission implements ResultAdmission {
  /** Undefined while no quota is enforced. */
  policy: QuotaPolicy | undefined;
  /** Asks for a sweep. */
  onCritical: () => void = () => undefined;
  #settledBytes = 0;
  readonly #writes = new Map<RequestId, number>();
  #listing: ChangesMeanwhile | undefined;
  #askedAtBytes = Number.POSITIVE_INFINITY;

  /** Every byte that is stored or being written, as far as is known. */
  get usageBytes(): number {
    return this.#sum(() => true);
  }

  /** The usage that eviction goes by: writes that are too large to be made room for do not count. */
  get evictableUsageBytes(): number {
    const { policy } = this;
    return this.#sum((bytes) => policy === undefined || bytes <= policy.writeBytesMax);
  }

  /** Whether a result of this id is being written. */
  isWriting(requestId: RequestId): boolean {
    return this.#writes.has(requestId);
  }

  reserve(requestId: RequestId): RoomReservation {
    this.#writes.set(requestId, 0);
    let isOpen = true;
    const end = (keptBytes: (bytes: number) => number): void => {
      if (!isOpen) return;
      isOpen = false;
      const bytes = keptBytes(this.#writes.get(requestId) ?? 0);
      this.#writes.delete(requestId);
      this.#settledBytes += bytes;
      this.#listing?.settled.set(requestId, bytes);
      this.#askIfCritical();
    };
    return {
      grow: (bytes) => this.#grow(requestId, bytes),
      commit: () => end((bytes) => bytes),
      // What could not be taken back stays counted until a listing tells what is really there.
      release: (isFreed) => end((bytes) => (isFreed ? 0 : bytes)),
    };
  }

  removed(requestId: RequestId, sizeBytes: number): void {
    this.#settledBytes = Math.max(0, this.#settledBytes - sizeBytes);
    this.#listing?.removed.add(requestId);
  }

  /** Orphans have been deleted. */
  freed(sizeBytes: number): void {
    this.#settledBytes = Math.max(0, this.#settledBytes - sizeBytes);
  }

  /** Call before a listing begins; the function that comes back takes what it showed and sets the count right. */
  beginListing(): (snapshot: BrokerSnapshot) => void {
    const listing: ChangesMeanwhile = { settled: new Map(), removed: new Set() };
    this.#listing = listing;
    return (snapshot) => {
      if (this.#listing === listing) this.#listing = undefined;
      let bytes = snapshot.sizeBytes;
      // A result that came or went meanwhile may or may not have shown.
      for (const [requestId, addedBytes] of listing.settled) {
        if (!listing.removed.has(requestId) && snapshot.find(requestId) === -1) bytes += addedBytes;
      }
      for (const requestId of listing.removed) {
        const index = snapshot.find(requestId);
        if (index !== -1) bytes -= snapshot.sizeBytesAt(index);
      }
      // Data that shows before its commit record counts already as a write in flight, or as one that has settled.
      for (const { requestId, sizeBytes } of snapshot.orphans) {
        if (this.#writes.has(requestId) || listing.settled.has(requestId) || listing.removed.has(requestId)) bytes -= sizeBytes;
      }
      for (const requestId of this.#writes.keys()) {
        const index = snapshot.find(requestId);
        if (index !== -1) bytes -= snapshot.sizeBytesAt(index);
      }
      this.#settledBytes = Math.max(0, bytes);
    };
  }

  #grow(requestId: RequestId, bytes: number): void {
    const writtenBytes = (this.#writes.get(requestId) ?? 0) + bytes;
    const { policy } = this;
    if (policy !== undefined && this.usageBytes + bytes > policy.quotaBytes) {
      const all = formatBytes(policy.quotaBytes);
      const reason =
        writtenBytes > policy.quotaBytes
          ? `The result is larger than the quota of ${all} that all results of this broker have.`
          : `There is no room for the result: of the quota of ${all}, ${formatBytes(this.usageBytes)} are used.`;
      throw new QuireError('QUERY_LIMIT_EXCEEDED', reason);
    }
    this.#writes.set(requestId, writtenBytes);
    this.#askIfCritical();
  }

  #askIfCritical(): void {
    const { policy } = this;
    if (policy === undefined) return;
    const usageBytes = this.evictableUsageBytes;
    if (usageBytes <= policy.criticalBytes) this.#askedAtBytes = Number.POSITIVE_INFINITY;
    // A sweep that could not free enough is asked for again only when a further hundredth of the quota is used: no spinning.
    else if (this.#askedAtBytes === Number.POSITIVE_INFINITY || usageBytes > this.#askedAtBytes + policy.quotaBytes / 100) {
      this.#askedAtBytes = usageBytes;
      this.onCritical();
    }
  }

  #sum(counts: (writtenBytes: number) => boolean): number {
    let bytes = this.#settledBytes;
    for (const writtenBytes of this.#writes.values()) if (counts(writtenBytes)) bytes += writtenBytes;
    return bytes;
  }
}

/** What happened while a listing ran. */
interface ChangesMeanwhile {
  readonly settled: Map<RequestId, number>;
  readonly removed: Set<RequestId>;
}
