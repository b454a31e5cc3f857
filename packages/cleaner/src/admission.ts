import { type Clock, isQuireError, QuireError, type RequestId, systemClock } from '@quire/core';
import type { ResultAdmission, SpaceReservation } from '@quire/results';
import type { BrokerSnapshot } from './broker-snapshot.ts';
import type { QuotaPolicy } from './quota-policy.ts';
import { ReservationQueue } from './reservation-queue.ts';
import { StorageUsage } from './storage-usage.ts';

/** The cleaner of the broker whose writes are admitted. */
export interface AdmissionCleaner {
  /** Called when usage crosses the critical threshold: sweeps as soon as possible. */
  onCritical(): void;
  /** Sweeps once for the writes that wait; rejects if nothing could be swept. */
  sweep(): Promise<unknown>;
  /** Called when this process renewed or deleted a result, or may have done so. */
  onChanged(requestId: RequestId): void;
}

/**
 * Admits the writes of a broker: counts them as they grow (`usage`), and delays those that would
 * exceed the quota or the share of an owner (`queue`).
 *
 * Crossing the critical threshold requests a sweep immediately. A write that would exceed the quota
 * waits, and fails only if no sweep can free enough.
 */
export class StorageAdmission implements ResultAdmission {
  readonly usage = new StorageUsage();
  readonly queue: ReservationQueue;
  readonly #critical = new CriticalWatch();
  #cleaner: AdmissionCleaner | undefined;

  constructor({ clock = systemClock }: { readonly clock?: Clock } = {}) {
    this.queue = new ReservationQueue(this.usage, clock);
  }

  /** Connects the cleaner; without one, no write waits for a sweep. */
  attach(cleaner: AdmissionCleaner | undefined): void {
    this.#cleaner = cleaner;
    this.queue.sweep = cleaner && (() => cleaner.sweep());
  }

  /** The policy; undefined if no quota is enforced. */
  get policy(): QuotaPolicy | undefined {
    return this.queue.policy;
  }

  set policy(policy: QuotaPolicy | undefined) {
    const { policy: before } = this.queue;
    const isSame = policy === undefined ? before === undefined : before?.isSameAs(policy) === true;
    this.queue.policy = policy;
    if (isSame) return;
    this.#critical.clear();
    this.queue.changes.noteAll();
    this.#settle();
    this.#watchShares();
  }

  reserve(requestId: RequestId): SpaceReservation {
    const { usage, queue } = this;
    const write = usage.startWrite(requestId);
    const { ownerTag } = write;
    let isOpen = true;
    const end = (settle: (heldBytes: number) => void): void => {
      if (!isOpen) return;
      isOpen = false;
      // A store that gives up early does not wait for the source, which may be waiting for space.
      write.wait?.end(new QuireError('ABORTED', 'The write that waited for space has ended.'));
      settle(write.heldBytes);
      this.#settle();
      this.#watchShare(ownerTag);
    };
    return {
      extend: (bytes, options) => {
        const waiting = queue.reserve(write, bytes, options?.signal);
        this.#watchQuota();
        this.#watchShare(ownerTag);
        return waiting;
      },
      hasAmpleSpace: (bytes) => {
        const { policy } = queue;
        const share = policy?.shareOf(ownerTag);
        const isAmple = (limit: QuotaPolicy, pressureBytes: number): boolean =>
          pressureBytes + bytes <= limit.criticalBytes &&
          write.heldBytes + bytes <= limit.guaranteedBytes;
        return (
          (policy === undefined || isAmple(policy, usage.pressureBytes)) &&
          (share === undefined || isAmple(share, usage.pressureBytesOf(ownerTag)))
        );
      },
      commit: (sizeBytes) =>
        end((heldBytes) => {
          usage.commitWrite(requestId, sizeBytes ?? heldBytes);
          queue.changes.noteOwner(ownerTag);
          queue.noteStored();
        }),
      release: (isFreed, error) =>
        end((heldBytes) => {
          const unconfirmedBytes = isFreed ? 0 : heldBytes;
          usage.failWrite(requestId, unconfirmedBytes);
          if (isQuireError(error, 'STORE_FULL')) queue.noteFullStore();
          if (unconfirmedBytes > 0) queue.changes.noteOwner(ownerTag);
        }),
    };
  }

  removed(requestId: RequestId, sizeBytes: number): void {
    this.usage.removeResult(requestId, sizeBytes);
    this.#settle();
  }

  changed(requestId: RequestId): void {
    this.#cleaner?.onChanged(requestId);
  }

  /** Records that an orphan has been deleted. */
  removedOrphan(sizeBytes: number): void {
    this.usage.removeOrphan(sizeBytes);
    this.#settle();
  }

  /**
   * Starts a listing as `StorageUsage.beginListing` does; waiting writes continue as the count
   * allows.
   */
  beginListing(): (snapshot: BrokerSnapshot) => void {
    const correct = this.usage.beginListing();
    return (snapshot) => {
      correct(snapshot);
      this.#settle();
      this.#watchShares();
    };
  }

  #settle(): void {
    this.queue.settle();
    this.#watchQuota();
  }

  #watchQuota(): void {
    const { policy } = this.queue;
    const { totalBytes, storedBytes } = this.usage;
    if (policy === undefined || totalBytes <= policy.criticalBytes) this.queue.noteSpace();
    if (policy !== undefined && this.#critical.asks(undefined, policy, totalBytes, storedBytes)) {
      this.#cleaner?.onCritical();
    }
  }

  #watchShare(ownerTag: number | undefined): void {
    const share = this.policy?.shareOf(ownerTag);
    if (share === undefined) return;
    const totalBytes = this.usage.totalBytesOf(ownerTag);
    const storedBytes = this.usage.owners.bytesOf(ownerTag);
    if (this.#critical.asks(ownerTag, share, totalBytes, storedBytes)) this.#cleaner?.onCritical();
  }

  #watchShares(): void {
    if (this.policy?.hasShares !== true) return;
    for (const [ownerTag] of this.usage.owners) this.#watchShare(ownerTag);
  }
}

/**
 * Decides when crossing a critical threshold requests a sweep, for a broker (`undefined`) or an
 * owner's tag.
 */
class CriticalWatch {
  /**
   * The stored bytes at the last request for a sweep while usage is above critical; lower if some
   * have been freed since.
   */
  readonly #askedAtBytes = new Map<number | undefined, number>();

  /** Forgets earlier requests because thresholds have changed. */
  clear(): void {
    this.#askedAtBytes.clear();
  }

  /**
   * Reports whether to request a sweep now. After a sweep that could not free enough, only once
   * another hundredth of the quota has been stored.
   */
  asks(
    scope: number | undefined,
    { criticalBytes, quotaBytes }: QuotaPolicy,
    totalBytes: number,
    storedBytes: number,
  ): boolean {
    if (totalBytes <= criticalBytes) {
      this.#askedAtBytes.delete(scope);
      return false;
    }
    const askedAtBytes = this.#askedAtBytes.get(scope);
    const isAskedFor = askedAtBytes !== undefined && storedBytes <= askedAtBytes + quotaBytes / 100;
    this.#askedAtBytes.set(scope, isAskedFor ? Math.min(askedAtBytes, storedBytes) : storedBytes);
    return !isAskedFor;
  }
}
