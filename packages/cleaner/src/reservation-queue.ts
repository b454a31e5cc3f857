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

/** Since when, and why, writes have been refused because the store has no space for them. */
export interface Refusal {
  readonly sinceMs: number;
  readonly reason: string;
}

/**
 * The writes that wait for space: grants it as it becomes free, asks for a sweep, and refuses it when
 * no sweep can free enough (`planReservations`).
 */
export class ReservationQueue {
  /** Undefined while no quota is enforced. */
  policy: QuotaPolicy | undefined;
  /** Sweeps once; undefined when nothing sweeps, so that no write waits for it. */
  sweep: (() => Promise<unknown>) | undefined;
  /** What another sweep could free; note changes there. */
  readonly changes: ChangesSinceSweep;
  readonly #usage: StorageUsage;
  readonly #clock: Clock;
  #arrivals = 0;
  /** The queue has asked for a sweep, which may wait for others to end. */
  #isSweeping = false;
  /** Sweeps in progress, those that others asked for included. */
  #sweepCount = 0;
  /** How many waits had started when the last sweep did. */
  #sweptArrivals = -1;
  #lastSweep = { endMs: 0, durationMs: 0 };
  readonly #pause: Sleeper;
  #refusedCount = 0;
  #refusedByShareCount = 0;
  #refusal: Refusal | undefined;
  /** The store itself was full, whatever the quota says: only a write that succeeds ends that. */
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

  /** How many writes have been refused since the start. */
  get refusedCount(): number {
    return this.#refusedCount;
  }

  /** How many of these because the share of their owner was used up. */
  get refusedByShareCount(): number {
    return this.#refusedByShareCount;
  }

  /**
   * Since when, and why, writes are refused; undefined once one succeeds, and, where only the quota
   * was used up, once usage is below the critical threshold.
   */
  get refusal(): Refusal | undefined {
    return this.#fullStore ?? this.#refusal;
  }

  /**
   * A sweep starts; it may not see what changes from now on. Call the returned function when it has
   * ended.
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

  /** Usage is below the critical threshold. */
  noteSpace(): void {
    this.#refusal = undefined;
  }

  /** A write has failed because the store is full. */
  noteFullStore(): void {
    this.#refusedCount += 1;
    this.#fullStore ??= {
      sinceMs: this.#clock.nowMs(),
      reason: 'The result store has no room left.',
    };
  }

  /** A write has succeeded. */
  noteStored(): void {
    this.#fullStore = undefined;
    this.#refusal = undefined;
  }

  /**
   * Reserves bytes for a write, at once if possible; else the write waits for them.
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

  /** Lets every write go on that can; call it whenever space may have become free. */
  settle(): void {
    for (;;) {
      const step = this.#next();
      if (step.kind === 'grant') {
        step.write.wait?.end();
        continue;
      }
      if (step.kind === 'wait' || this.#isSweeping) return;
      if (step.kind === 'sweep') return void this.#sweep();
      // What a sweep in progress will free is not known yet; it reports each deletion as well.
      if (this.#sweepCount > 0) return;
      this.#refuse(step.write, step.policy);
    }
  }

  /** Undefined when the bytes are granted in the same turn. */
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
   * The common case, which is to cost nothing: all that is being written fits above the critical
   * threshold, so that no write can be stuck.
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

  /** Whether no sweep has started since this wait did, or since there was more to sweep. */
  #maySweepFor({ arrival }: PendingWait, ownerTag: number | undefined): boolean {
    return (
      this.sweep !== undefined && (this.changes.has(ownerTag) || arrival > this.#sweptArrivals)
    );
  }

  /** The writes that wait, in the order of their arrival. */
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
      // Reported by the sweep itself, in log and status. Here it is a sweep that freed nothing.
    }
    const endMs = this.#clock.monotonicMs();
    this.#lastSweep = { endMs, durationMs: endMs - startMs };
    this.#isSweeping = false;
    // It may not even have started: it counts all the same, or the writes would ask for ever.
    if (this.#sweptArrivals < before.arrivals) {
      this.#sweptArrivals = before.arrivals;
      if (this.changes.count === before.changeCount) this.changes.clear();
    }
    this.settle();
  }

  /**
   * Where only expiry can have made a difference, waits as long as the last sweep took, so that
   * refused writes do not keep the store listing all the time.
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
  /** What other writes hold or may have left. */
  readonly othersBytes: number;
  /** What would remain stored if a sweep freed all that it may. */
  readonly keptBytes: number;
  /** What the refused write has written. */
  readonly ownBytes: number;
}

/** The message to a query whose result found no space. */
function noSpaceMessage(account: LimitAccount): string {
  const where = account.policy.shareKey === undefined ? '' : " within its principal's share";
  return `There is no room for the result${where}: ${describe(account)}`;
}

/** The message to a query that would write `bytes` more than any result may have. */
function tooLarge(account: LimitAccount, bytes: number): string {
  const needed = formatBytes(account.ownBytes + bytes);
  const critical = formatBytes(account.policy.criticalBytes);
  return `The result, of ${needed} or more, could not stay, since it alone exceeds the critical ${critical}: ${describe(account)}`;
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
