import { abortError, type Clock, QuireError } from '@quire/core';
import { Sleeper } from '@quire/core/wait';
import { planRoom, type RoomHolder, type RoomState, type RoomStep } from './plan-room.ts';
import type { QuotaPolicy } from './quota-policy.ts';
import { noRoom, type RoomAccount, tooLarge } from './room-account.ts';
import { SweepNews } from './sweep-news.ts';

/** A write that holds room and may come to wait for more. */
export class QueuedWrite implements RoomHolder {
  heldBytes = 0;
  wait: Wait | undefined;
  /** Of whom it is; undefined: of no known owner. */
  readonly ownerTag: number | undefined;
  readonly #queue: RoomQueue;

  constructor(queue: RoomQueue, ownerTag: number | undefined) {
    this.#queue = queue;
    this.ownerTag = ownerTag;
  }

  get wantedBytes(): number {
    return this.wait?.bytes ?? 0;
  }

  maySweep({ shareKey }: QuotaPolicy): boolean {
    if (this.wait === undefined) return false;
    return this.#queue.maySweepFor(this.wait, shareKey === undefined ? undefined : this.ownerTag);
  }
}

interface Wait {
  readonly bytes: number;
  /** Counts arrivals: tells who came before a sweep began. */
  readonly arrival: number;
  end(error?: unknown): void;
}

/** What one owner stores, and what failed writes of it may have left. */
export interface OwnerBytes {
  readonly storedBytes: number;
  readonly doubtfulBytes: number;
}

/** What the queue needs of the admission that keeps count. */
export interface RoomLedger extends OwnerBytes {
  readonly policy: QuotaPolicy | undefined;
  readonly bytesOf: (ownerTag: number | undefined) => OwnerBytes;
  readonly writes: Iterable<QueuedWrite>;
  /** Sweeps once, and resolves when that is over; rejects when nothing could be swept. */
  readonly sweep: (() => Promise<unknown>) | undefined;
}

/** Since when, and why, writes have been refused because there is no room. */
export interface Refusal {
  readonly sinceMs: number;
  readonly reason: string;
}

/**
 * Those who wait for room: lets them go on as room comes, has it swept for, and refuses when none
 * will come (`planRoom`).
 */
export class RoomQueue {
  readonly #ledger: RoomLedger;
  readonly #clock: Clock;
  #arrivals = 0;
  /** What a sweep could make room of; note there what changes. */
  readonly news: SweepNews;
  /** It has asked for a sweep, which may have to wait for others to end. */
  #isSweeping = false;
  /** Sweeps under way, those included that nobody here asked for. */
  #sweepCount = 0;
  /** How many had arrived when the last sweep began. */
  #sweptArrivals = -1;
  #lastSweep = { endMs: 0, durationMs: 0 };
  /** The one before a sweep. */
  readonly #pause: Sleeper;
  #refusedCount = 0;
  #refusedByShareCount = 0;
  #refusal: Refusal | undefined;
  /**
   * The store itself had no room, whatever the quota says: only a write can show that it has some
   * again.
   */
  #fullStore: Refusal | undefined;

  constructor(ledger: RoomLedger, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#pause = new Sleeper(clock);
    this.news = new SweepNews(() => {
      if (this.#pause.isAsleep) this.#pause.wake();
    });
  }

  /** Bytes that writes wait for. */
  get wantedBytes(): number {
    return this.#waiting().reduce((sum, { wantedBytes }) => sum + wantedBytes, 0);
  }

  get waitingCount(): number {
    return this.#waiting().length;
  }

  /** How many writes have been refused, for whatever reason. */
  get refusedCount(): number {
    return this.#refusedCount;
  }

  /** How many of them because their owner's share had no room. */
  get refusedByShareCount(): number {
    return this.#refusedByShareCount;
  }

  /** Undefined while there is room in the quota. */
  get refusal(): Refusal | undefined {
    return this.#fullStore ?? this.#refusal;
  }

  beginSweep(): () => void {
    this.news.clear();
    this.#sweptArrivals = this.#arrivals;
    this.#sweepCount += 1;
    return () => {
      this.#sweepCount -= 1;
      this.settle();
    };
  }

  noteRoom(): void {
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
    this.noteRoom();
  }

  /**
   * Whether no sweep has begun since this wait did, or since there was more to sweep: of the quota,
   * or of the share of one owner.
   */
  maySweepFor({ arrival }: Wait, ownerTag: number | undefined): boolean {
    return (
      this.#ledger.sweep !== undefined && (this.news.has(ownerTag) || arrival > this.#sweptArrivals)
    );
  }

  /**
   * Takes room for a write, at once when there is some; else the write waits for it. @throws
   * QUERY_LIMIT_EXCEEDED, ABORTED
   */
  take(
    write: QueuedWrite,
    bytes: number,
    signal: AbortSignal | undefined,
  ): Promise<void> | undefined {
    const { policy } = this.#ledger;
    const share = policy?.shareOf(write.ownerTag);
    const exceeded = [share, policy].find(
      (limit) => limit !== undefined && write.heldBytes + bytes > limit.criticalBytes,
    );
    if (exceeded !== undefined) {
      this.#countRefusal(exceeded);
      throw new QuireError(
        'QUERY_LIMIT_EXCEEDED',
        tooLarge(this.#accountOf(exceeded, write), bytes),
      );
    }
    if (
      this.#isForTheTaking(policy, bytes) &&
      (share === undefined || this.#isForTheTaking(share, bytes, write.ownerTag))
    ) {
      write.heldBytes += bytes;
      return undefined;
    }
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

  /** Lets everybody go on who can; call it whenever there may be more room. */
  settle(): void {
    for (;;) {
      const step = this.#next();
      if (step.kind === 'grant') {
        step.write.wait?.end();
        continue;
      }
      if (step.kind === 'wait' || this.#isSweeping) return;
      if (step.kind === 'sweep') return void this.#sweep();
      // What a sweep under way will free is not known yet. It may be the schedule's: that one tells
      // of each deletion as well.
      if (this.#sweepCount > 0) return;
      this.#refuse(step.write, step.policy);
    }
  }

  /**
   * The common case, which is to cost nothing: all that is being written fits above the critical
   * threshold, so that nobody can be stuck.
   */
  #isForTheTaking(policy: QuotaPolicy | undefined, bytes: number, ownerTag?: number): boolean {
    if (policy === undefined) return true;
    const isShare = ownerTag !== undefined;
    let heldBytes = bytes;
    for (const each of this.#ledger.writes) {
      if (isShare && each.ownerTag !== ownerTag) continue;
      if (each.wait !== undefined) return false;
      heldBytes += each.heldBytes;
    }
    const { storedBytes, doubtfulBytes } = isShare ? this.#ledger.bytesOf(ownerTag) : this.#ledger;
    return (
      heldBytes <= policy.quotaBytes - policy.criticalBytes &&
      storedBytes + doubtfulBytes + heldBytes <= policy.quotaBytes
    );
  }

  #next(): RoomStep<QueuedWrite> {
    const { policy } = this.#ledger;
    const waiting = this.#waiting();
    const [first] = waiting;
    if (first === undefined) return { kind: 'wait' };
    return policy === undefined
      ? { kind: 'grant', write: first }
      : planRoom(this.#state(policy, waiting));
  }

  #state(policy: QuotaPolicy, waiting: readonly QueuedWrite[]): RoomState<QueuedWrite> {
    const { storedBytes, doubtfulBytes } = this.#ledger;
    const atWork = [...this.#ledger.writes].filter(({ wait }) => wait === undefined);
    const writes = [...waiting, ...atWork];
    const state = { policy, storedBytes, doubtfulBytes, writes };
    if (!policy.hasShares) return state;
    const shares = new Map<number | undefined, RoomState<QueuedWrite> | undefined>();
    for (const { ownerTag } of waiting) {
      const share = policy.shareOf(ownerTag);
      const own = writes.filter((write) => write.ownerTag === ownerTag);
      shares.set(
        ownerTag,
        share && { policy: share, ...this.#ledger.bytesOf(ownerTag), writes: own },
      );
    }
    return { ...state, shareOf: ({ ownerTag }) => shares.get(ownerTag) };
  }

  #waiting(): QueuedWrite[] {
    const waiting = [...this.#ledger.writes].filter(({ wait }) => wait !== undefined);
    return waiting.toSorted((one, other) => (one.wait?.arrival ?? 0) - (other.wait?.arrival ?? 0));
  }

  async #sweep(): Promise<void> {
    this.#isSweeping = true;
    await this.#pauseBeforeSweep();
    const asked = { arrivals: this.#arrivals, newsCount: this.news.count };
    const startMs = this.#clock.monotonicMs();
    try {
      await this.#ledger.sweep?.();
    } catch {
      // Said by the sweep itself, in log and status. For those who wait it is a sweep that freed
      // nothing.
    }
    const endMs = this.#clock.monotonicMs();
    this.#lastSweep = { endMs, durationMs: endMs - startMs };
    this.#isSweeping = false;
    // It may not even have begun: then it counts as one all the same, or they would ask for ever.
    if (this.#sweptArrivals < asked.arrivals) {
      this.#sweptArrivals = asked.arrivals;
      if (this.news.count === asked.newsCount) this.news.clear();
    }
    this.settle();
  }

  /**
   * Those who can only hope that something has expired wait as long as the last sweep took: or
   * refusals would keep the store listing all the time.
   */
  async #pauseBeforeSweep(): Promise<void> {
    const pauseMs = this.#lastSweep.endMs + this.#lastSweep.durationMs - this.#clock.monotonicMs();
    const hasNews = this.#waiting().some(
      ({ ownerTag }) => this.news.has(undefined) || this.news.has(ownerTag),
    );
    if (hasNews || pauseMs <= 0) return;
    await this.#pause.sleep(pauseMs);
  }

  #refuse(write: QueuedWrite, policy: QuotaPolicy): void {
    const reason = noRoom(this.#accountOf(policy, write));
    this.#countRefusal(policy);
    // An owner that has used up its share does not make the broker unhealthy.
    if (policy.shareKey === undefined) {
      this.#refusal = { sinceMs: this.#refusal?.sinceMs ?? this.#clock.nowMs(), reason };
    }
    write.wait?.end(new QuireError('QUERY_LIMIT_EXCEEDED', reason));
  }

  #accountOf(policy: QuotaPolicy, write: QueuedWrite): RoomAccount {
    const isShare = policy.shareKey !== undefined;
    const { storedBytes, doubtfulBytes } = isShare
      ? this.#ledger.bytesOf(write.ownerTag)
      : this.#ledger;
    const others = [...this.#ledger.writes].filter(
      (each) => each !== write && (!isShare || each.ownerTag === write.ownerTag),
    );
    const othersBytes = others.reduce((sum, { heldBytes }) => sum + heldBytes, doubtfulBytes);
    const mayFree = this.news.has(isShare ? write.ownerTag : undefined);
    const keptBytes = mayFree ? Math.min(storedBytes, policy.targetBytes) : storedBytes;
    return { policy, storedBytes, othersBytes, keptBytes, ownBytes: write.heldBytes };
  }

  #countRefusal({ shareKey }: QuotaPolicy): void {
    this.#refusedCount += 1;
    if (shareKey !== undefined) this.#refusedByShareCount += 1;
  }
}
