import { type Clock, isQuireError, ownerTagOf, type RequestId, systemClock } from '@quire/core';
import type { ResultAdmission, SpaceReservation } from '@quire/results';
import type { BrokerSnapshot } from './broker-snapshot.ts';
import { OwnerUsage } from './owner-usage.ts';
import type { QuotaPolicy } from './quota-policy.ts';
import { QueuedWrite, type Refusal, type RoomLedger, RoomQueue } from './room-queue.ts';

/**
 * Keeps count of a broker's bytes between listings, those of writes in flight included, and holds back what would exceed the quota.
 *
 * Every write counts as it grows. Crossing the critical threshold asks for a sweep at once. A write that would cross the quota waits
 * for room (`RoomQueue`), and fails only when no sweep can make any. A listing sets the count right again: see `beginListing`. The same goes for the
 * share of each owner, which ids tell (`ownerTagOf`).
 */
export class StorageAdmission implements ResultAdmission {
  /** Asks for a sweep, when usage has crossed the critical threshold. */
  onCritical: () => void = () => undefined;
  /** Told of results that were renewed or deleted, or may have been, by this process. */
  onChanged: (requestId: RequestId) => void = () => undefined;
  /** Sweeps for those who wait; undefined when nobody sweeps, so that they need not wait. */
  sweep: (() => Promise<unknown>) | undefined;
  readonly #queue: RoomQueue;
  #policy: QuotaPolicy | undefined;
  #storedBytes = 0;
  /** Results only: whose orphans are is nobody's business. */
  #owners = new OwnerUsage();
  readonly #writes = new Map<RequestId, QueuedWrite>();
  /** What failed writes could not take back, perhaps: it counts as used until a listing tells what is really there. */
  readonly #doubtful = new Map<RequestId, number>();
  #listing: ChangesMeanwhile | undefined;
  /** Stored bytes when a sweep was last asked for, while usage is above critical. */
  #askedAtBytes: number | undefined;
  /** The same for owners, while they use more than is critical for their share. */
  readonly #askedAtBytesOf = new Map<number, number>();

  constructor({ clock = systemClock }: { readonly clock?: Clock } = {}) {
    const ledgerOf = (admission: StorageAdmission): RoomLedger => ({
      get policy() {
        return admission.#policy;
      },
      get storedBytes() {
        return admission.#storedBytes;
      },
      get doubtfulBytes() {
        return admission.#doubtfulBytes;
      },
      bytesOf: (ownerTag) => ({
        storedBytes: admission.#owners.bytesOf(ownerTag),
        doubtfulBytes: admission.#doubtfulBytesOf(ownerTag),
      }),
      get writes() {
        return admission.#writes.values();
      },
      get sweep() {
        return admission.sweep;
      },
    });
    this.#queue = new RoomQueue(ledgerOf(this), clock);
  }

  /** Undefined while no quota is enforced. */
  get policy(): QuotaPolicy | undefined {
    return this.#policy;
  }

  set policy(policy: QuotaPolicy | undefined) {
    const isSame = policy === undefined ? this.#policy === undefined : this.#policy?.isSameAs(policy) === true;
    this.#policy = policy;
    if (isSame) return;
    this.#askedAtBytes = undefined;
    this.#askedAtBytesOf.clear();
    this.#queue.noteChange();
    this.#settle();
    this.#askForShares();
  }

  /** Every byte that is stored or being written, as far as is known. */
  get usageBytes(): number {
    return this.#storedBytes + this.#writtenBytes + this.#doubtfulBytes;
  }

  /** Usage, and what writes wait for: eviction begins when this exceeds the critical threshold. */
  get pressureBytes(): number {
    return this.usageBytes + this.#queue.wantedBytes;
  }

  /** Results and orphans, without what is being written: eviction ends when these are at most the target. */
  get storedBytes(): number {
    return this.#storedBytes;
  }

  /** What each owner stores in results. */
  get owners(): OwnerUsage {
    return this.#owners;
  }

  /** As `usageBytes`, of one owner. */
  usageBytesOf(ownerTag: number | undefined): number {
    return this.#owners.bytesOf(ownerTag) + this.#heldBytesOf(ownerTag) + this.#doubtfulBytesOf(ownerTag);
  }

  /** As `pressureBytes`, of one owner. */
  pressureBytesOf(ownerTag: number | undefined): number {
    let bytes = this.usageBytesOf(ownerTag);
    for (const write of this.#writes.values()) if (write.ownerTag === ownerTag) bytes += write.wantedBytes;
    return bytes;
  }

  /** How many writes wait for room. */
  get waitingCount(): number {
    return this.#queue.waitingCount;
  }

  /** How many writes have been refused since the start. */
  get refusedCount(): number {
    return this.#queue.refusedCount;
  }

  /** How many of these because their owner's share had no room. */
  get refusedByShareCount(): number {
    return this.#queue.refusedByShareCount;
  }

  /**
   * Since when, and why, writes are refused because there is no room; undefined once one succeeds, and, where only the quota had none, once
   * usage is below the critical threshold.
   */
  get refusal(): Refusal | undefined {
    return this.#queue.refusal;
  }

  /** Whether a result of this id is being written. */
  isWriting(requestId: RequestId): boolean {
    return this.#writes.has(requestId);
  }

  reserve(requestId: RequestId): SpaceReservation {
    const ownerTag = ownerTagOf(requestId);
    const write = new QueuedWrite(this.#queue, ownerTag);
    this.#writes.set(requestId, write);
    let isOpen = true;
    const end = (settle: (bytes: number) => void): void => {
      if (!isOpen) return;
      isOpen = false;
      this.#writes.delete(requestId);
      settle(write.heldBytes);
      this.#settle();
      this.#askForShare(ownerTag);
    };
    return {
      extend: (bytes, options) => {
        const waiting = this.#queue.take(write, bytes, options?.signal);
        this.#askIfCritical();
        this.#askForShare(ownerTag);
        return waiting;
      },
      hasAmpleSpace: (bytes) => {
        const policy = this.#policy;
        if (policy === undefined) return true;
        const isAmple = ({ criticalBytes, guaranteedBytes }: QuotaPolicy, pressureBytes: number): boolean =>
          pressureBytes + bytes <= criticalBytes && write.heldBytes + bytes <= guaranteedBytes;
        const share = policy.shareOf(ownerTag);
        return isAmple(policy, this.pressureBytes) && (share === undefined || isAmple(share, this.pressureBytesOf(ownerTag)));
      },
      commit: (sizeBytes) =>
        end((heldBytes) => {
          const bytes = sizeBytes ?? heldBytes;
          this.#storedBytes += bytes;
          this.#owners.add(ownerTag, bytes);
          this.#listing?.settled.set(requestId, bytes);
          this.#queue.noteChange();
          this.#queue.noteStored();
        }),
      release: (isFreed, error) =>
        end((bytes) => {
          if (isQuireError(error, 'STORE_FULL')) this.#queue.noteFullStore();
          this.#listing?.settled.set(requestId, 0);
          if (isFreed || bytes === 0) return;
          this.#doubtful.set(requestId, bytes);
          this.#queue.noteChange();
        }),
    };
  }

  removed(requestId: RequestId, sizeBytes: number): void {
    this.#listing?.removed.add(requestId);
    this.#owners.add(ownerTagOf(requestId), -sizeBytes, -1);
    this.freed(sizeBytes);
  }

  changed(requestId: RequestId): void {
    this.onChanged(requestId);
  }

  /** Orphans have been deleted. */
  freed(sizeBytes: number): void {
    this.#setStored(this.#storedBytes - sizeBytes);
    this.#settle();
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
      const owners = new OwnerUsage(snapshot.owners);
      const count = (requestId: RequestId, sizeBytes: number): void => {
        if (sizeBytes === 0) return;
        bytes += sizeBytes;
        owners.add(ownerTagOf(requestId), sizeBytes, Math.sign(sizeBytes));
      };
      // A result that came or went meanwhile may or may not have shown.
      for (const [requestId, addedBytes] of listing.settled) {
        if (!listing.removed.has(requestId) && shownBytes(requestId) === 0) count(requestId, addedBytes);
      }
      for (const requestId of listing.removed) count(requestId, -shownBytes(requestId));
      // Data that shows before its commit record counts already as a write in flight, or as one that has settled.
      for (const { requestId, sizeBytes } of snapshot.orphans) {
        if (this.#writes.has(requestId) || listing.settled.has(requestId) || listing.removed.has(requestId)) bytes -= sizeBytes;
      }
      for (const requestId of this.#writes.keys()) count(requestId, -shownBytes(requestId));
      for (const requestId of doubtfulBefore) this.#doubtful.delete(requestId);
      for (const requestId of this.#doubtful.keys()) if (shownBytes(requestId) > 0) this.#doubtful.delete(requestId);
      this.#owners = owners;
      this.#setStored(bytes);
      this.#settle();
      this.#askForShares();
    };
  }

  /** A sweep begins that frees what it can: what changes from now on, it may not see. Call the function that comes back when it has ended. */
  beginSweep(): () => void {
    return this.#queue.beginSweep();
  }

  /** A sweep has left results above the target that it could have evicted, because there was no need. */
  noteSpared(): void {
    this.#queue.noteChange();
  }

  get #writtenBytes(): number {
    let sum = 0;
    for (const { heldBytes } of this.#writes.values()) sum += heldBytes;
    return sum;
  }

  get #doubtfulBytes(): number {
    let sum = 0;
    for (const bytes of this.#doubtful.values()) sum += bytes;
    return sum;
  }

  #heldBytesOf(ownerTag: number | undefined): number {
    let sum = 0;
    for (const write of this.#writes.values()) if (write.ownerTag === ownerTag) sum += write.heldBytes;
    return sum;
  }

  #doubtfulBytesOf(ownerTag: number | undefined): number {
    let sum = 0;
    for (const [requestId, bytes] of this.#doubtful) if (ownerTagOf(requestId) === ownerTag) sum += bytes;
    return sum;
  }

  #setStored(bytes: number): void {
    this.#storedBytes = Math.max(0, bytes);
    if (this.#askedAtBytes !== undefined) this.#askedAtBytes = Math.min(this.#askedAtBytes, this.#storedBytes);
  }

  #settle(): void {
    this.#queue.settle();
    this.#askIfCritical();
  }

  #askIfCritical(): void {
    const policy = this.#policy;
    if (policy === undefined || this.usageBytes <= policy.criticalBytes) {
      this.#askedAtBytes = undefined;
      this.#queue.noteRoom();
      return;
    }
    // A sweep that could not free enough is asked for again only when a further hundredth of the quota is stored: no spinning.
    if (this.#askedAtBytes !== undefined && this.#storedBytes <= this.#askedAtBytes + policy.quotaBytes / 100) return;
    this.#askedAtBytes = this.#storedBytes;
    this.onCritical();
  }

  /** As `#askIfCritical`, for the share of one owner. */
  #askForShare(ownerTag: number | undefined): void {
    const share = this.#policy?.shareOf(ownerTag);
    if (share === undefined || ownerTag === undefined) return;
    if (this.usageBytesOf(ownerTag) <= share.criticalBytes) {
      this.#askedAtBytesOf.delete(ownerTag);
      return;
    }
    const storedBytes = this.#owners.bytesOf(ownerTag);
    const askedAtBytes = this.#askedAtBytesOf.get(ownerTag);
    const isAskedFor = askedAtBytes !== undefined && storedBytes <= askedAtBytes + share.quotaBytes / 100;
    this.#askedAtBytesOf.set(ownerTag, isAskedFor ? Math.min(askedAtBytes, storedBytes) : storedBytes);
    if (!isAskedFor) this.onCritical();
  }

  #askForShares(): void {
    if (this.#policy?.hasShares !== true) return;
    for (const [ownerTag] of this.#owners) this.#askForShare(ownerTag);
  }
}

/** What happened while a listing ran. */
interface ChangesMeanwhile {
  /** Writes that ended, with the bytes that they added. */
  readonly settled: Map<RequestId, number>;
  readonly removed: Set<RequestId>;
}
