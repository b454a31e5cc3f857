import { ownerTagOf, type RequestId } from '@quire/core';
import type { BrokerSnapshot } from './broker-snapshot.ts';
import { OwnerUsage } from './owner-usage.ts';

/** A write in progress. */
export class PendingWrite {
  /** The tag of its owner; undefined if it is unknown. */
  readonly ownerTag: number | undefined;
  heldBytes = 0;
  wait: PendingWait | undefined;

  constructor(ownerTag: number | undefined) {
    this.ownerTag = ownerTag;
  }

  /** The bytes that it waits for; 0 while it does not wait. */
  get wantedBytes(): number {
    return this.wait?.bytes ?? 0;
  }
}

/** A write's wait for more bytes. */
export interface PendingWait {
  readonly bytes: number;
  /** The arrival number, which shows if a wait is older than a sweep. */
  readonly arrival: number;
  end(error?: unknown): void;
}

/** The bytes in one limit: the quota, or the share of an owner. */
export interface LimitUsage {
  readonly storedBytes: number;
  /**
   * The bytes that failed writes may have left behind. They count as used until the next listing.
   */
  readonly unconfirmedBytes: number;
  readonly heldBytes: number;
  readonly wantedBytes: number;
}

/**
 * Counts a broker's bytes between listings: stored, being written, and unconfirmed; in total and by
 * owner, which ids name (`ownerTagOf`). A listing corrects the count.
 */
export class StorageUsage {
  #storedBytes = 0;
  #unseen = new OwnerUsage();
  #owners = new OwnerUsage();
  readonly #writes = new Map<RequestId, PendingWrite>();
  readonly #unconfirmed = new Map<RequestId, number>();
  #listing: ChangesDuringListing | undefined;

  /**
   * The size of results and orphans, without writes in progress: eviction reduces it to the target.
   */
  get storedBytes(): number {
    return this.#storedBytes;
  }

  /** The results stored since the last listing started that it did not show. */
  get unseen(): OwnerUsage {
    return this.#unseen;
  }

  /** The stored results of each owner; orphans have no owner. */
  get owners(): OwnerUsage {
    return this.#owners;
  }

  /** The writes in progress, in the order in which they started. */
  get writes(): Iterable<PendingWrite> {
    return this.#writes.values();
  }

  /** The known number of bytes that are stored or being written. */
  get totalBytes(): number {
    return totalOf(this.all());
  }

  /** `totalBytes` plus the bytes that writes wait for: eviction starts when this is critical. */
  get pressureBytes(): number {
    const usage = this.all();
    return totalOf(usage) + usage.wantedBytes;
  }

  /** Returns the `totalBytes` of one owner. */
  totalBytesOf(ownerTag: number | undefined): number {
    return totalOf(this.of(ownerTag));
  }

  /** Returns the `pressureBytes` of one owner. */
  pressureBytesOf(ownerTag: number | undefined): number {
    const usage = this.of(ownerTag);
    return totalOf(usage) + usage.wantedBytes;
  }

  all(): LimitUsage {
    let [unconfirmedBytes, heldBytes, wantedBytes] = [0, 0, 0];
    for (const bytes of this.#unconfirmed.values()) unconfirmedBytes += bytes;
    for (const write of this.#writes.values()) {
      heldBytes += write.heldBytes;
      wantedBytes += write.wantedBytes;
    }
    return { storedBytes: this.#storedBytes, unconfirmedBytes, heldBytes, wantedBytes };
  }

  of(ownerTag: number | undefined): LimitUsage {
    let [unconfirmedBytes, heldBytes, wantedBytes] = [0, 0, 0];
    for (const [requestId, bytes] of this.#unconfirmed) {
      if (ownerTagOf(requestId) === ownerTag) unconfirmedBytes += bytes;
    }
    for (const write of this.#writes.values()) {
      if (write.ownerTag !== ownerTag) continue;
      heldBytes += write.heldBytes;
      wantedBytes += write.wantedBytes;
    }
    const storedBytes = this.#owners.bytesOf(ownerTag);
    return { storedBytes, unconfirmedBytes, heldBytes, wantedBytes };
  }

  isWriting(requestId: RequestId): boolean {
    return this.#writes.has(requestId);
  }

  startWrite(requestId: RequestId): PendingWrite {
    const write = new PendingWrite(ownerTagOf(requestId));
    this.#writes.set(requestId, write);
    return write;
  }

  /** Records that a write has succeeded. */
  commitWrite(requestId: RequestId, sizeBytes: number): void {
    this.#writes.delete(requestId);
    const ownerTag = ownerTagOf(requestId);
    this.#storedBytes += sizeBytes;
    this.#unseen.add(ownerTag, sizeBytes);
    this.#owners.add(ownerTag, sizeBytes);
    this.#listing?.settled.set(requestId, sizeBytes);
  }

  /** Records that a write has failed, and how many bytes it may have left behind. */
  failWrite(requestId: RequestId, unconfirmedBytes: number): void {
    this.#writes.delete(requestId);
    this.#listing?.settled.set(requestId, 0);
    if (unconfirmedBytes > 0) this.#unconfirmed.set(requestId, unconfirmedBytes);
  }

  /** Records that a result has been deleted. */
  removeResult(requestId: RequestId, sizeBytes: number): void {
    this.#listing?.removed.add(requestId);
    this.#owners.add(ownerTagOf(requestId), -sizeBytes, -1);
    this.removeOrphan(sizeBytes);
  }

  /** Records that an orphan has been deleted. */
  removeOrphan(sizeBytes: number): void {
    this.#storedBytes = Math.max(0, this.#storedBytes - sizeBytes);
  }

  /**
   * Call before a listing starts. The returned function takes the snapshot of the listing and
   * corrects the count.
   */
  beginListing(): (snapshot: BrokerSnapshot) => void {
    const listing: ChangesDuringListing = { settled: new Map(), removed: new Set() };
    const unconfirmedBefore = [...this.#unconfirmed.keys()];
    this.#listing = listing;
    return (snapshot) => {
      if (this.#listing === listing) this.#listing = undefined;
      const { settled, removed } = listing;
      const shownBytes = (requestId: RequestId): number => {
        const index = snapshot.find(requestId);
        return index === -1 ? 0 : snapshot.sizeBytesAt(index);
      };
      let bytes = snapshot.sizeBytes;
      const owners = new OwnerUsage(snapshot.owners);
      const count = (requestId: RequestId, sizeBytes: number): void => {
        if (sizeBytes === 0) return;
        bytes += sizeBytes;
        owners.add(ownerTagOf(requestId), sizeBytes, Math.sign(sizeBytes));
      };
      // The listing may or may not show a result that was stored or removed while it ran.
      this.#unseen = new OwnerUsage();
      for (const [requestId, addedBytes] of settled) {
        if (removed.has(requestId) || shownBytes(requestId) > 0) continue;
        count(requestId, addedBytes);
        if (addedBytes > 0) this.#unseen.add(ownerTagOf(requestId), addedBytes);
      }
      for (const requestId of removed) count(requestId, -shownBytes(requestId));
      // Data that the listing shows without its commit record already counts, as a write in
      // progress or settled.
      for (const { requestId, sizeBytes } of snapshot.orphans) {
        const isCounted =
          this.#writes.has(requestId) || settled.has(requestId) || removed.has(requestId);
        if (isCounted) bytes -= sizeBytes;
      }
      for (const requestId of this.#writes.keys()) count(requestId, -shownBytes(requestId));
      for (const requestId of unconfirmedBefore) this.#unconfirmed.delete(requestId);
      for (const requestId of this.#unconfirmed.keys()) {
        if (shownBytes(requestId) > 0) this.#unconfirmed.delete(requestId);
      }
      this.#owners = owners;
      this.#storedBytes = Math.max(0, bytes);
    };
  }
}

function totalOf({ storedBytes, unconfirmedBytes, heldBytes }: LimitUsage): number {
  return storedBytes + unconfirmedBytes + heldBytes;
}

/** The changes while a listing ran. */
interface ChangesDuringListing {
  /** The writes that ended, with the bytes that they added. */
  readonly settled: Map<RequestId, number>;
  readonly removed: Set<RequestId>;
}
