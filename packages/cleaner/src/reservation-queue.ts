import { abortError, type Clock, formatBytes, QuireError } from '@quire/core';
import { Sleeper } from '@quire/core/wait';
import { ChangesSinceSweep } from './changes-since-sweep.ts';
import {
  planReservations,
  type ReservationState,
  type ReservationStep,
} from './plan-reservations.ts';
import type { QuotaPolicy } from './quota-policy.ts';
import type { PendingWait, PendingWrite, StorageUsage } from './storage-usage.ts';

/**
 * The start of a period in which writes are refused because the store has no space, and the reason.
 */
export interface Refusal {
  readonly sinceMs: number;
  readonly reason: string;
}

/**
 * The writes that wait for space. It grants space as it becomes free, requests sweeps, and refuses
 * a write if no sweep can free enough (`planReservations`).
 */
export class ReservationQueue {
  /** The policy; undefined if no quota is enforced. */
  policy: QuotaPolicy | undefined;
  /** Sweeps once; undefined if there is no cleaner, so that no write waits for a sweep. */
  sweep: (() => Promise<unknown>) | undefined;
  /** The changes since the last sweep, which decide whether another one could free anything. */
  readonly changes: ChangesSinceSweep;
  readonly #usage: StorageUsage;
  readonly #clock: Clock;
  #arrivals = 0;
  /** True while the queue waits for a sweep of its own, which may wait for others to end. */
  #isSweeping = false;
  /** The number of sweeps in progress, including those of others. */
  #sweepCount = 0;
  /** The number of waits that had started when the last sweep started. */
  #sweptArrivals = -1;
  #lastSweep = { endMs: 0, durationMs: 0 };
  readonly #pause: Sleeper;
  #refusedCount = 0;
  #refusedByShareCount = 0;
  #refusal: Refusal | undefined;
  /**
   * The refusal by the store itself, which was full regardless of the quota: it ends when a write
   * succeeds.
   */
  #fullStore: Refusal | undefined;

  constructor(usage: StorageUsage, clock: Clock) {
    this.#usage = usage;
    this.#clock = clock;
    this.#pause = new Sleeper(clock);
    this.changes = new ChangesSinceSweep(() => {
      if (this.#pause.isAsleep) this.#pause.wake();
    });
  }

  get waitingCount(): number {
    return this.#waiting().length;
  }

  /** The number of writes refused since the start. */
  get refusedCount(): number {
    return this.#refusedCount;
  }

  /** The number of them that were refused because the share of their owner was used up. */
  get refusedByShareCount(): number {
    return this.#refusedByShareCount;
  }

  /**
   * The start and the reason of the current refusals; undefined if writes succeed. Refusals end
   * when a write succeeds or, if only the quota was used up, when usage is below critical.
   */
  get refusal(): Refusal | undefined {
    return this.#fullStore ?? this.#refusal;
  }

  /**
   * Records that a sweep starts; it may not see later changes. Call the returned function when it
   * has ended.
   */
  beginSweep(): () => void {
    this.changes.clear();
    this.#sweptArrivals = this.#arrivals;
    this.#sweepCount += 1;
    return () => {
      this.#sweepCount -= 1;
      this.settle();
    };
  }

  /** Records that usage is below the critical threshold. */
  noteSpace(): void {
    this.#refusal = undefined;
  }

  /** Records that a write has failed because the store is full. */
  noteFullStore(): void {
    this.#refusedCount += 1;
    this.#fullStore ??= {
      sinceMs: this.#clock.nowMs(),
      reason: 'The result store is full.',
    };
  }

  /** Records that a write has succeeded. */
  noteStored(): void {
    this.#fullStore = undefined;
    this.#refusal = undefined;
  }

  /**
   * Reserves bytes for a write, immediately if possible; otherwise the write waits for them.
   *
   * @throws QUERY_LIMIT_EXCEEDED, ABORTED
   */
  reserve(
    write: PendingWrite,
    bytes: number,
    signal: AbortSignal | undefined,
  ): Promise<void> | undefined {
    const { policy } = this;
    const share = policy?.shareOf(write.ownerTag);
    const exceeded = [share, policy].find(
      (limit) => limit !== undefined && write.heldBytes + bytes > limit.criticalBytes,
    );
    if (exceeded !== undefined) {
      this.#countRefusal(exceeded);
      const message = tooLarge(this.#accountOf(exceeded, write), bytes);
      throw new QuireError('QUERY_LIMIT_EXCEEDED', message);
    }
    if (
      this.#isUncontended(policy, bytes) &&
      (share === undefined || this.#isUncontended(share, bytes, write.ownerTag))
    ) {
      write.heldBytes += bytes;
      return undefined;
    }
    return this.#wait(write, bytes, signal);
  }

  /** Lets all writes continue that fit; call it whenever space may have become free. */
  settle(): void {
    for (;;) {
      const step = this.#next();
      if (step.kind === 'grant') {
        step.write.wait?.end();
        continue;
      }
      if (step.kind === 'wait' || this.#isSweeping) return;
      if (step.kind === 'sweep') return void this.#sweep();
      // The space that a sweep in progress will free is not known yet; it also reports each
      // deletion.
      if (this.#sweepCount > 0) return;
      this.#refuse(step.write, step.policy);
    }
  }

  /** Waits for bytes; undefined if they are granted synchronously. */
  #wait(
    write: PendingWrite,
    bytes: number,
    signal: AbortSignal | undefined,
  ): Promise<void> | undefined {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let isGranted = false;
    const stopWaiting = (): void => {
      write.wait?.end(abortError(signal as AbortSignal));
      this.settle();
    };
    write.wait = {
      bytes,
      arrival: (this.#arrivals += 1),
      end: (error) => {
        write.wait = undefined;
        signal?.removeEventListener('abort', stopWaiting);
        if (error !== undefined) return reject(error);
        isGranted = true;
        write.heldBytes += bytes;
        return resolve();
      },
    };
    if (signal?.aborted === true) stopWaiting();
    else signal?.addEventListener('abort', stopWaiting, { once: true });
    this.settle();
    return isGranted ? undefined : promise;
  }

  /**
   * Reports the common case, which must cost nothing: everything that is being written fits above
   * the critical threshold, so that no write can be stuck.
   */
  #isUncontended(policy: QuotaPolicy | undefined, bytes: number, ownerTag?: number): boolean {
    if (policy === undefined) return true;
    const usage = ownerTag === undefined ? this.#usage.all() : this.#usage.of(ownerTag);
    const heldBytes = usage.heldBytes + bytes;
    return (
      usage.wantedBytes === 0 &&
      heldBytes <= policy.quotaBytes - policy.criticalBytes &&
      usage.storedBytes + usage.unconfirmedBytes + heldBytes <= policy.quotaBytes
    );
  }

  #next(): ReservationStep<PendingWrite> {
    const { policy } = this;
    const waiting = this.#waiting();
    const [first] = waiting;
    if (first === undefined) return { kind: 'wait' };
    return policy === undefined
      ? { kind: 'grant', write: first }
      : planReservations(this.#state(policy, waiting));
  }

  #state(policy: QuotaPolicy, waiting: readonly PendingWrite[]): ReservationState<PendingWrite> {
    const others = [...this.#usage.writes].filter(({ wait }) => wait === undefined);
    const writes = [...waiting, ...others];
    const state = {
      policy,
      ...this.#usage.all(),
      writes,
      maySweep: ({ ownerTag, wait }: PendingWrite, { shareKey }: QuotaPolicy) =>
        wait !== undefined &&
        this.#maySweepFor(wait, shareKey === undefined ? undefined : ownerTag),
    };
    if (!policy.hasShares) return state;
    const shares = new Map<number | undefined, ReservationState<PendingWrite> | undefined>();
    for (const { ownerTag } of waiting) {
      const share = policy.shareOf(ownerTag);
      const own = writes.filter((write) => write.ownerTag === ownerTag);
      shares.set(
        ownerTag,
        share && { ...state, ...this.#usage.of(ownerTag), policy: share, writes: own },
      );
    }
    return { ...state, shareOf: ({ ownerTag }) => shares.get(ownerTag) };
  }

  /**
   * Reports whether a sweep may still help a wait: none has started since the wait began, or there
   * have been changes since the last one.
   */
  #maySweepFor({ arrival }: PendingWait, ownerTag: number | undefined): boolean {
    return (
      this.sweep !== undefined && (this.changes.has(ownerTag) || arrival > this.#sweptArrivals)
    );
  }

  /** Returns the writes that wait, in order of arrival. */
  #waiting(): PendingWrite[] {
    const waiting = [...this.#usage.writes].filter(({ wait }) => wait !== undefined);
    return waiting.toSorted((one, other) => (one.wait?.arrival ?? 0) - (other.wait?.arrival ?? 0));
  }

  async #sweep(): Promise<void> {
    this.#isSweeping = true;
    await this.#pauseBeforeSweep();
    const before = { arrivals: this.#arrivals, changeCount: this.changes.count };
    const startMs = this.#clock.monotonicMs();
    try {
      await this.sweep?.();
    } catch {
      // The sweep itself has reported the error in log and status. Here it counts as a sweep that
      // freed nothing.
    }
    const endMs = this.#clock.monotonicMs();
    this.#lastSweep = { endMs, durationMs: endMs - startMs };
    this.#isSweeping = false;
    // The sweep may not even have started. It counts nevertheless, because the writes would
    // otherwise request sweeps forever.
    if (this.#sweptArrivals < before.arrivals) {
      this.#sweptArrivals = before.arrivals;
      if (this.changes.count === before.changeCount) this.changes.clear();
    }
    this.settle();
  }

  /**
   * Waits for the duration of the last sweep if nothing but expiry can have changed, so that
   * refused writes do not cause continuous listings.
   */
  async #pauseBeforeSweep(): Promise<void> {
    const pauseMs = this.#lastSweep.endMs + this.#lastSweep.durationMs - this.#clock.monotonicMs();
    const { changes } = this;
    const hasChanges = this.#waiting().some(
      ({ ownerTag }) => changes.has(undefined) || changes.has(ownerTag),
    );
    if (hasChanges || pauseMs <= 0) return;
    await this.#pause.sleep(pauseMs);
  }

  #refuse(write: PendingWrite, policy: QuotaPolicy): void {
    const reason = noSpaceMessage(this.#accountOf(policy, write));
    this.#countRefusal(policy);
    // An owner that has used up its share does not make the broker unhealthy.
    if (policy.shareKey === undefined) {
      this.#refusal = { sinceMs: this.#refusal?.sinceMs ?? this.#clock.nowMs(), reason };
    }
    write.wait?.end(new QuireError('QUERY_LIMIT_EXCEEDED', reason));
  }

  #accountOf(policy: QuotaPolicy, write: PendingWrite): LimitAccount {
    const isShare = policy.shareKey !== undefined;
    const usage = isShare ? this.#usage.of(write.ownerTag) : this.#usage.all();
    const { storedBytes, unconfirmedBytes, heldBytes } = usage;
    const othersBytes = heldBytes - write.heldBytes + unconfirmedBytes;
    const mayFree = this.changes.has(isShare ? write.ownerTag : undefined);
    const keptBytes = mayFree ? Math.min(storedBytes, policy.targetBytes) : storedBytes;
    return { policy, storedBytes, othersBytes, keptBytes, ownBytes: write.heldBytes };
  }

  #countRefusal({ shareKey }: QuotaPolicy): void {
    this.#refusedCount += 1;
    if (shareKey !== undefined) this.#refusedByShareCount += 1;
  }
}

/** The state of a quota, or of a share, when a write was refused. */
interface LimitAccount {
  readonly policy: QuotaPolicy;
  readonly storedBytes: number;
  /** The bytes that other writes hold or may have left behind. */
  readonly othersBytes: number;
  /** The bytes that would remain stored if a sweep freed everything it may. */
  readonly keptBytes: number;
  /** The bytes that the refused write has written. */
  readonly ownBytes: number;
}

/** Returns the message for a query whose result does not fit. */
function noSpaceMessage(account: LimitAccount): string {
  const where = account.policy.shareKey === undefined ? '' : " within its principal's share";
  return `There is no space for the result${where}: ${describe(account)}`;
}

/** Returns the message for a query whose result would exceed the largest size with `bytes` more. */
function tooLarge(account: LimitAccount, bytes: number): string {
  const needed = formatBytes(account.ownBytes + bytes);
  const critical = formatBytes(account.policy.criticalBytes);
  return `The result, of ${needed} or more, is too large to store: it exceeds the critical ${critical}: ${describe(account)}`;
}

function describe({ policy, storedBytes, othersBytes, keptBytes, ownBytes }: LimitAccount): string {
  const { shareKey, quotaBytes, criticalBytes } = policy;
  const largestBytes = Math.max(0, Math.min(criticalBytes, quotaBytes - keptBytes - othersBytes));
  const limit = shareKey === undefined ? 'the quota of' : "the principal's share of";
  const setting = shareKey === undefined ? '' : ` (${shareKey})`;
  const others = othersBytes === 0 ? '' : `other queries are writing ${formatBytes(othersBytes)}, `;
  return (
    `of ${limit} ${formatBytes(quotaBytes)}${setting}, ${formatBytes(storedBytes)} are stored, ${others}` +
    `this query has written ${formatBytes(ownBytes)}, and a result of at most ${formatBytes(largestBytes)} would fit.`
  );
}
