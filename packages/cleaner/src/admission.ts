import { type Clock, isQuireError, ownerTagOf, type RequestId, systemClock } from '@quire/core';
import type { ResultAdmission, SpaceReservation } from '@quire/results';
import type { BrokerSnapshot } from './broker-snapshot.ts';
import { CriticalWatch } from './critical-watch.ts';
import { OwnerUsage } from './owner-usage.ts';
import type { QuotaPolicy } from './quota-policy.ts';
import { QueuedWrite, type Refusal, type RoomLedger, RoomQueue } from './room-queue.ts';
import { WritesUnderWay } from './writes-under-way.ts';

/**
 * Keeps count of a broker's bytes between listings, those of writes in flight included, and holds
 * back what would exceed the quota.
 *
 * Every write counts as it grows. Crossing the critical threshold asks for a sweep at once. A write
 * that would cross the quota waits for room (`RoomQueue`), and fails only when no sweep can make
 * any. A listing sets the count right again: see `beginListing`. The same goes for the share of
 * each owner, which ids tell (`ownerTagOf`).
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
  #unseen = new OwnerUsage();
  /** Results only: whose orphans are is nobody's business. */
  #owners = new OwnerUsage();
  readonly #writes = new WritesUnderWay();
  #listing: ChangesMeanwhile | undefined;
  readonly #critical = new CriticalWatch();

  constructor({ clock = systemClock }: { readonly clock?: Clock } = {}) {
    const ledgerOf = (admission: StorageAdmission): RoomLedger => ({
      get policy() {
        return admission.#policy;
      },
      get storedBytes() {
        return admission.#storedBytes;
      },
      get doubtfulBytes() {
        return admission.#writes.doubtfulBytes();
      },
      bytesOf: (ownerTag) => ({
        storedBytes: admission.#owners.bytesOf(ownerTag),
        doubtfulBytes: admission.#writes.doubtfulBytesOf(ownerTag),
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
    const isSame =
      policy === undefined ? this.#policy === undefined : this.#policy?.isSameAs(policy) === true;
    this.#policy = policy;
    if (isSame) return;
    this.#critical.clear();
    this.#queue.news.noteAll();
    this.#settle();
    this.#askForShares();
  }

  /** Every byte that is stored or being written, as far as is known. */
  get usageBytes(): number {
    return this.#storedBytes + this.#writes.heldBytes() + this.#writes.doubtfulBytes();
  }

  /** Usage, and what writes wait for: eviction begins when this exceeds the critical threshold. */
  get pressureBytes(): number {
    return this.usageBytes + this.#queue.wantedBytes;
  }

  /**
   * Results and orphans, without what is being written: eviction ends when these are at most the
   * target.
   */
  get storedBytes(): number {
    return this.#storedBytes;
  }

  /** The results that were stored since the last listing began, and that it did not show. */
  get unseen(): OwnerUsage {
    return this.#unseen;
  }

  /** What each owner stores in results. */
  get owners(): OwnerUsage {
    return this.#owners;
  }

  /** As `usageBytes`, of one owner. */
  usageBytesOf(ownerTag: number | undefined): number {
    return (
      this.#owners.bytesOf(ownerTag) +
      this.#writes.bytesOf(ownerTag).heldBytes +
      this.#writes.doubtfulBytesOf(ownerTag)
    );
  }

  /** As `pressureBytes`, of one owner. */
  pressureBytesOf(ownerTag: number | undefined): number {
    return this.usageBytesOf(ownerTag) + this.#writes.bytesOf(ownerTag).wantedBytes;
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
   * Since when, and why, writes are refused because there is no room; undefined once one succeeds,
   * and, where only the quota had none, once usage is below the critical threshold.
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
    this.#writes.begin(requestId, write);
    let isOpen = true;
    const end = (settle: (bytes: number) => void): void => {
      if (!isOpen) return;
      isOpen = false;
      this.#writes.end(requestId);
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
        const isAmple = (
          { criticalBytes, guaranteedBytes }: QuotaPolicy,
          pressureBytes: number,
        ): boolean =>
          pressureBytes + bytes <= criticalBytes && write.heldBytes + bytes <= guaranteedBytes;
        const share = policy.shareOf(ownerTag);
        return (
          isAmple(policy, this.pressureBytes) &&
          (share === undefined || isAmple(share, this.pressureBytesOf(ownerTag)))
        );
      },
      commit: (sizeBytes) =>
        end((heldBytes) => {
          const bytes = sizeBytes ?? heldBytes;
          this.#storedBytes += bytes;
          this.#unseen.add(ownerTag, bytes);
          this.#owners.add(ownerTag, bytes);
          this.#listing?.settled.set(requestId, bytes);
          this.#queue.news.noteOwner(ownerTag);
          this.#queue.noteStored();
        }),
      release: (isFreed, error) =>
        end((bytes) => {
          if (isQuireError(error, 'STORE_FULL')) this.#queue.noteFullStore();
          this.#listing?.settled.set(requestId, 0);
          if (isFreed || bytes === 0) return;
          this.#writes.doubt(requestId, bytes);
          this.#queue.news.noteOwner(ownerTag);
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

  /**
   * Call before a listing begins; the function that comes back takes what it showed and sets the
   * count right.
   */
  beginListing(): (snapshot: BrokerSnapshot) => void {
    const listing: ChangesMeanwhile = { settled: new Map(), removed: new Set() };
    const doubtfulBefore = this.#writes.doubted();
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
      this.#unseen = new OwnerUsage();
      for (const [requestId, addedBytes] of listing.settled) {
        if (listing.removed.has(requestId) || shownBytes(requestId) > 0) continue;
        count(requestId, addedBytes);
        if (addedBytes > 0) this.#unseen.add(ownerTagOf(requestId), addedBytes);
      }
      for (const requestId of listing.removed) count(requestId, -shownBytes(requestId));
      // Data that shows before its commit record counts already as a write in flight, or as one
      // that has settled.
      for (const { requestId, sizeBytes } of snapshot.orphans) {
        if (
          this.#writes.has(requestId) ||
          listing.settled.has(requestId) ||
          listing.removed.has(requestId)
        ) {
          bytes -= sizeBytes;
        }
      }
      for (const requestId of this.#writes.requestIds()) count(requestId, -shownBytes(requestId));
      for (const requestId of doubtfulBefore) this.#writes.settleDoubt(requestId);
      for (const requestId of this.#writes.doubted()) {
        if (shownBytes(requestId) > 0) this.#writes.settleDoubt(requestId);
      }
      this.#owners = owners;
      this.#setStored(bytes);
      this.#settle();
      this.#askForShares();
    };
  }

  /**
   * A sweep begins that frees what it can: what changes from now on, it may not see. Call the
   * function that comes back when it has ended.
   */
  beginSweep(): () => void {
    return this.#queue.beginSweep();
  }

  /**
   * A sweep has left results above the target that it could have evicted, because there was no
   * need: of the quota, or with a tag of the share of that owner.
   */
  noteSpared(ownerTag?: number): void {
    this.#queue.news.noteSpared(ownerTag);
  }

  #setStored(bytes: number): void {
    this.#storedBytes = Math.max(0, bytes);
  }

  #settle(): void {
    this.#queue.settle();
    this.#askIfCritical();
  }

  #askIfCritical(): void {
    const { usageBytes, storedBytes } = this;
    const policy = this.#policy;
    if (policy === undefined || usageBytes <= policy.criticalBytes) this.#queue.noteRoom();
    if (
      policy !== undefined &&
      this.#critical.asks(undefined, policy, { usageBytes, storedBytes })
    ) {
      this.onCritical();
    }
  }

  /** As `#askIfCritical`, for the share of one owner. */
  #askForShare(ownerTag: number | undefined): void {
    const share = this.#policy?.shareOf(ownerTag);
    if (share === undefined) return;
    const usage = {
      usageBytes: this.usageBytesOf(ownerTag),
      storedBytes: this.#owners.bytesOf(ownerTag),
    };
    if (this.#critical.asks(ownerTag, share, usage)) this.onCritical();
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
