import { formatBytes, QuireError, type RequestId } from '@quire/core';
import type { ResultAdmission, RoomReservation } from '@quire/results';
import type { BrokerSnapshot } from './broker-snapshot.ts';
import type { QuotaPolicy } from './quota-policy.ts';

/**
 * Keeps count of a broker's bytes between listings, those of writes in flight included, and refuses what would exceed the quota.
 *
 * Every write counts as it grows. Crossing the critical threshold asks for a sweep at once; crossing the quota fails the write that
 * crosses it. But eviction goes by what is stored: nobody knows how large a write in flight will become, and one that turns out
 * larger than the quota must not have cost a live result its place. A listing sets the count right again: see `beginListing`.
 */
export class StorageAdmission implements ResultAdmission {
  /** Undefined while no quota is enforced. */
  policy: QuotaPolicy | undefined;
  /** Asks for a sweep. */
  onCritical: () => void = () => undefined;
  #storedBytes = 0;
  readonly #writes = new Map<RequestId, number>();
  /** What failed writes could not take back, perhaps: it counts as used until a listing tells what is really there. */
  readonly #doubtful = new Map<RequestId, number>();
  #listing: ChangesMeanwhile | undefined;
  /** Stored bytes when a sweep was last asked for, while these are above critical. */
  #askedAtBytes: number | undefined;
  #hasAskedForWrites = false;

  /** Every byte that is stored or being written, as far as is known. */
  get usageBytes(): number {
    return this.#storedBytes + sumOf(this.#writes) + sumOf(this.#doubtful);
  }

  /** The usage that eviction goes by: results and orphans, without what is being written. */
  get storedBytes(): number {
    return this.#storedBytes;
  }

  /** Whether a result of this id is being written. */
  isWriting(requestId: RequestId): boolean {
    return this.#writes.has(requestId);
  }

  reserve(requestId: RequestId): RoomReservation {
    this.#writes.set(requestId, 0);
    let isOpen = true;
    const end = (settle: (bytes: number) => void): void => {
      if (!isOpen) return;
      isOpen = false;
      const bytes = this.#writes.get(requestId) ?? 0;
      this.#writes.delete(requestId);
      settle(bytes);
      this.#askIfCritical();
    };
    return {
      grow: (bytes) => {
        this.#grow(requestId, bytes);
        return undefined;
      },
      commit: () =>
        end((bytes) => {
          this.#storedBytes += bytes;
          this.#listing?.settled.set(requestId, bytes);
        }),
      release: (isFreed) =>
        end((bytes) => {
          if (!isFreed) this.#doubtful.set(requestId, bytes);
          this.#listing?.settled.set(requestId, 0);
        }),
    };
  }

  removed(requestId: RequestId, sizeBytes: number): void {
    this.#storedBytes = Math.max(0, this.#storedBytes - sizeBytes);
    this.#listing?.removed.add(requestId);
  }

  /** Orphans have been deleted. */
  freed(sizeBytes: number): void {
    this.#storedBytes = Math.max(0, this.#storedBytes - sizeBytes);
  }

  /** Call before a listing begins; the function that comes back takes what it showed and sets the count right. */
  beginListing(): (snapshot: BrokerSnapshot) => void {
    const listing: ChangesMeanwhile = { settled: new Map(), removed: new Set() };
    const doubtfulBefore = [...this.#doubtful.keys()];
    this.#listing = listing;
    return (snapshot) => {
      if (this.#listing === listing) this.#listing = undefined;
      const shownBytes = (requestId: RequestId): number => {
        const index = snapshot.find(requestId);
        return index === -1 ? 0 : snapshot.sizeBytesAt(index);
      };
      let bytes = snapshot.sizeBytes;
      // A result that came or went meanwhile may or may not have shown.
      for (const [requestId, addedBytes] of listing.settled) {
        if (!listing.removed.has(requestId) && shownBytes(requestId) === 0) bytes += addedBytes;
      }
      for (const requestId of listing.removed) bytes -= shownBytes(requestId);
      // Data that shows before its commit record counts already as a write in flight, or as one that has settled.
      for (const { requestId, sizeBytes } of snapshot.orphans) {
        if (this.#writes.has(requestId) || listing.settled.has(requestId) || listing.removed.has(requestId)) bytes -= sizeBytes;
      }
      for (const requestId of this.#writes.keys()) bytes -= shownBytes(requestId);
      this.#storedBytes = Math.max(0, bytes);
      for (const requestId of doubtfulBefore) this.#doubtful.delete(requestId);
      for (const requestId of this.#doubtful.keys()) if (shownBytes(requestId) > 0) this.#doubtful.delete(requestId);
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
    const { criticalBytes, quotaBytes } = policy;
    const isAbove = this.usageBytes > criticalBytes;
    const isStoredAbove = this.#storedBytes > criticalBytes;
    if (!isStoredAbove) this.#askedAtBytes = undefined;
    // What is being written has what expired go, once: asking again would free nothing more.
    const hasNewWrites = isAbove && !this.#hasAskedForWrites;
    // A sweep that could not free enough is asked for again only when a further hundredth of the quota is used: no spinning.
    const hasMoreStored =
      isStoredAbove && (this.#askedAtBytes === undefined || this.#storedBytes > this.#askedAtBytes + quotaBytes / 100);
    this.#hasAskedForWrites = isAbove;
    if (!hasNewWrites && !hasMoreStored) return;
    if (isStoredAbove) this.#askedAtBytes = this.#storedBytes;
    this.onCritical();
  }
}

function sumOf(bytes: ReadonlyMap<RequestId, number>): number {
  let sum = 0;
  for (const each of bytes.values()) sum += each;
  return sum;
}

/** What happened while a listing ran. */
interface ChangesMeanwhile {
  /** Writes that ended, with the bytes that they added. */
  readonly settled: Map<RequestId, number>;
  readonly removed: Set<RequestId>;
}
