import { abortError, type Clock, formatBytes, QuireError } from '@quire/core';
import { Sleeper } from '@quire/core/wait';
import { planRoom, type RoomHolder, type RoomState, type RoomStep } from './plan-room.ts';
import type { QuotaPolicy } from './quota-policy.ts';

/** A write that holds room and may come to wait for more. */
export class QueuedWrite implements RoomHolder {
  heldBytes = 0;
  wait: Wait | undefined;
  readonly #queue: RoomQueue;

  constructor(queue: RoomQueue) {
    this.#queue = queue;
  }

  get wantedBytes(): number {
    return this.wait?.bytes ?? 0;
  }

  get maySweep(): boolean {
    return this.wait !== undefined && this.#queue.maySweepFor(this.wait);
  }
}

interface Wait {
  readonly bytes: number;
  /** Counts arrivals: tells who came before a sweep began. */
  readonly arrival: number;
  end(error?: unknown): void;
}

/** What the queue needs of the admission that keeps count. */
export interface RoomLedger {
  readonly policy: QuotaPolicy | undefined;
  readonly storedBytes: number;
  readonly doubtfulBytes: number;
  readonly writes: Iterable<QueuedWrite>;
  /** Sweeps once, and resolves when that is over; rejects when nothing could be swept. */
  readonly sweep: (() => Promise<unknown>) | undefined;
}

/** Since when, and why, writes have been refused because there is no room. */
export interface Refusal {
  readonly sinceMs: number;
  readonly reason: string;
}

/** Those who wait for room: lets them go on as room comes, has it swept for, and refuses when none will come (`planRoom`). */
export class RoomQueue {
  readonly #ledger: RoomLedger;
  readonly #clock: Clock;
  #arrivals = 0;
  /** Counts what a sweep could make room of: results that were stored, bytes that are in doubt. */
  #changes = 0;
  /** It has asked for a sweep, which may have to wait for others to end. */
  #isSweeping = false;
  /** Sweeps under way, those included that nobody here asked for. */
  #sweepCount = 0;
  /** What was known when the last sweep began. */
  #swept = { changes: -1, arrivals: -1 };
  #lastSweep = { endMs: 0, durationMs: 0 };
  /** The one before a sweep. */
  readonly #pause: Sleeper;
  #refusedCount = 0;
  #refusal: Refusal | undefined;
  /** The store itself had no room, whatever the quota says: only a write can show that it has some again. */
  #fullStore: Refusal | undefined;

  constructor(ledger: RoomLedger, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#pause = new Sleeper(clock);
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

  /** Undefined while there is room. */
  get refusal(): Refusal | undefined {
    return this.#fullStore ?? this.#refusal;
  }

  /** A sweep might free more from now on. */
  noteChange(): void {
    this.#changes += 1;
    if (this.#pause.isAsleep) this.#pause.wake();
  }

  beginSweep(): () => void {
    this.#swept = { changes: this.#changes, arrivals: this.#arrivals };
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
    this.#fullStore ??= { sinceMs: this.#clock.nowMs(), reason: 'The result store has no room left.' };
  }

  /** A write has succeeded. */
  noteStored(): void {
    this.#fullStore = undefined;
    this.noteRoom();
  }

  /** Whether no sweep has begun since this wait did, or since there was more to sweep. */
  maySweepFor({ arrival }: Wait): boolean {
    return this.#ledger.sweep !== undefined && (this.#hasMoreToSweep || arrival > this.#swept.arrivals);
  }

  /** Takes room for a write, at once when there is some; else the write waits for it. @throws QUERY_LIMIT_EXCEEDED, ABORTED */
  take(write: QueuedWrite, bytes: number, signal: AbortSignal | undefined): Promise<void> | undefined {
    const { policy } = this.#ledger;
    if (policy !== undefined && write.heldBytes + bytes > policy.criticalBytes) {
      this.#refusedCount += 1;
      throw new QuireError('QUERY_LIMIT_EXCEEDED', this.#tooLarge(policy, write, bytes));
    }
    if (this.#isForTheTaking(policy, bytes)) {
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
      // What a sweep under way will free is not known yet. It may be the schedule's: that one tells of each deletion as well.
      if (this.#sweepCount > 0) return;
      this.#refuse(step.write);
    }
  }

  /** The common case, which is to cost nothing: all that is being written fits above the critical threshold, so that nobody can be stuck. */
  #isForTheTaking(policy: QuotaPolicy | undefined, bytes: number): boolean {
    if (policy === undefined) return true;
    let heldBytes = bytes;
    for (const each of this.#ledger.writes) {
      if (each.wait !== undefined) return false;
      heldBytes += each.heldBytes;
    }
    const { storedBytes, doubtfulBytes } = this.#ledger;
    return heldBytes <= policy.quotaBytes - policy.criticalBytes && storedBytes + doubtfulBytes + heldBytes <= policy.quotaBytes;
  }

  #next(): RoomStep<QueuedWrite> {
    const { policy } = this.#ledger;
    const waiting = this.#waiting();
    const [first] = waiting;
    if (first === undefined) return { kind: 'wait' };
    return policy === undefined ? { kind: 'grant', write: first } : planRoom(this.#state(policy, waiting));
  }

  #state(policy: QuotaPolicy, waiting: readonly QueuedWrite[]): RoomState<QueuedWrite> {
    const { storedBytes, doubtfulBytes, writes } = this.#ledger;
    const atWork = [...writes].filter(({ wait }) => wait === undefined);
    return { policy, storedBytes, doubtfulBytes, writes: [...waiting, ...atWork] };
  }

  #waiting(): QueuedWrite[] {
    const waiting = [...this.#ledger.writes].filter(({ wait }) => wait !== undefined);
    return waiting.toSorted((one, other) => (one.wait?.arrival ?? 0) - (other.wait?.arrival ?? 0));
  }

  async #sweep(): Promise<void> {
    this.#isSweeping = true;
    await this.#pauseBeforeSweep();
    const asked = { changes: this.#changes, arrivals: this.#arrivals };
    const startMs = this.#clock.monotonicMs();
    try {
      await this.#ledger.sweep?.();
    } catch {
      // Said by the sweep itself, in log and status. For those who wait it is a sweep that freed nothing.
    }
    const endMs = this.#clock.monotonicMs();
    this.#lastSweep = { endMs, durationMs: endMs - startMs };
    this.#isSweeping = false;
    // It may not even have begun: then it counts as one all the same, or they would ask for ever.
    if (this.#swept.arrivals < asked.arrivals) this.#swept = asked;
    this.settle();
  }

  /** Those who can only hope that something has expired wait as long as the last sweep took: or refusals would keep the store listing all the time. */
  async #pauseBeforeSweep(): Promise<void> {
    const pauseMs = this.#lastSweep.endMs + this.#lastSweep.durationMs - this.#clock.monotonicMs();
    if (this.#hasMoreToSweep || pauseMs <= 0) return;
    await this.#pause.sleep(pauseMs);
  }

  get #hasMoreToSweep(): boolean {
    return this.#changes > this.#swept.changes;
  }

  #refuse(write: QueuedWrite): void {
    const { policy } = this.#ledger;
    if (policy === undefined) return;
    const reason = `There is no room for the result: ${this.#account(policy, write)}`;
    this.#refusedCount += 1;
    this.#refusal = { sinceMs: this.#refusal?.sinceMs ?? this.#clock.nowMs(), reason };
    write.wait?.end(new QuireError('QUERY_LIMIT_EXCEEDED', reason));
  }

  #tooLarge(policy: QuotaPolicy, write: QueuedWrite, bytes: number): string {
    const needed = formatBytes(write.heldBytes + bytes);
    const critical = formatBytes(policy.criticalBytes);
    return `The result, of ${needed} or more, could not stay, since it alone exceeds the critical ${critical}: ${this.#account(policy, write)}`;
  }

  #account(policy: QuotaPolicy, write: QueuedWrite): string {
    const { storedBytes, doubtfulBytes, writes } = this.#ledger;
    const othersBytes = [...writes].reduce((sum, each) => (each === write ? sum : sum + each.heldBytes), doubtfulBytes);
    const keptBytes = this.#hasMoreToSweep ? Math.min(storedBytes, policy.targetBytes) : storedBytes;
    const largestBytes = Math.max(0, Math.min(policy.criticalBytes, policy.quotaBytes - keptBytes - othersBytes));
    const others = othersBytes === 0 ? '' : `other queries are writing ${formatBytes(othersBytes)}, `;
    return (
      `of the quota of ${formatBytes(policy.quotaBytes)}, ${formatBytes(storedBytes)} are stored, ${others}` +
      `this query has written ${formatBytes(write.heldBytes)}, and a result of at most ${formatBytes(largestBytes)} would fit.`
    );
  }
}
