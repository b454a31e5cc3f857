import type { BrokerSnapshot } from './broker-snapshot.ts';
import { idByteCount, writeId } from './id-bytes.ts';

/**
 * The number of shares of results. One share is listed again in each sweep; the last digit of an
 * id, which is random, selects its share.
 */
const shareCount = 16;

/**
 * The results of the last sweep that do not change. Data and commit record of a result are never
 * rewritten, so its folder changes only when the result is renewed or deleted. While the folder
 * exists, it need not be listed in each sweep.
 *
 * This information may be outdated: another process or an operator may have renewed the result or
 * deleted a part of it. So every decision based on it must check before it deletes, as the removal
 * of a result does. All folders are listed again within 16 sweeps or a given time, whichever is
 * first.
 */
export class RememberedResults {
  #snapshots: ReadonlyMap<string, BrokerSnapshot> = new Map();
  /** Results that have changed since the current listing started. */
  readonly #changed = new Set<string>();
  #isListing = false;
  #nextShare = 0;
  #lastMs = Number.NEGATIVE_INFINITY;

  /**
   * Returns the results that one listing need not list, without the shares that are due. With
   * `ageMaxMs`, every share is due within about that time.
   */
  selectSkippable(monotonicMs: number, ageMaxMs: number): SkippableResults {
    this.#changed.clear();
    this.#isListing = true;
    const elapsedMs = monotonicMs - this.#lastMs;
    const dueCount = Math.min(
      shareCount,
      Math.max(1, Math.ceil((shareCount * elapsedMs) / Math.max(1, ageMaxMs))),
    );
    const isDue = new Uint8Array(shareCount);
    for (let count = 0; count < dueCount; count += 1) {
      isDue[(this.#nextShare + count) % shareCount] = 1;
    }
    return new SkippableResults(this.#snapshots, isDue);
  }

  /**
   * Remembers the outcome of a listing that started at `startMs` and did not list the `skippable`
   * results; without them, it has listed everything.
   */
  keep(
    snapshots: ReadonlyMap<string, BrokerSnapshot>,
    startMs: number,
    skippable?: SkippableResults,
  ): void {
    this.#snapshots = snapshots;
    this.#isListing = false;
    for (const requestId of this.#changed) this.forget(requestId);
    this.#nextShare = (this.#nextShare + (skippable?.dueCount ?? 0)) % shareCount;
    this.#lastMs = startMs;
  }

  /** Forgets a result that has changed: the next listing lists its folder. */
  forget(requestId: string): void {
    if (this.#isListing) this.#changed.add(requestId);
    for (const snapshot of this.#snapshots.values()) {
      const index = snapshot.find(requestId);
      if (index !== -1) snapshot.unsettle(index);
    }
  }
}

/** The results that one listing need not list. */
export class SkippableResults {
  readonly #isDue: Uint8Array;
  readonly #brokers = new Map<string, RecalledBroker>();
  /** The broker of the last query, which is likely to be that of the next. */
  #last: RecalledBroker | undefined;
  readonly #id = new Uint8Array(idByteCount);

  constructor(snapshots: ReadonlyMap<string, BrokerSnapshot>, isDue: Uint8Array) {
    this.#isDue = isDue;
    for (const [brokerId, snapshot] of snapshots) {
      this.#brokers.set(brokerId, new RecalledBroker(snapshot));
    }
  }

  /** The number of shares that are listed. */
  get dueCount(): number {
    return this.#isDue.reduce((sum, isDue) => sum + isDue, 0);
  }

  /** The brokers of the remembered results whose folders were seen. */
  get brokerIds(): readonly string[] {
    return [...this.#brokers].filter(([, { hasSeen }]) => hasSeen).map(([brokerId]) => brokerId);
  }

  /** Reports whether a listing may skip a folder, and records that it has seen it. */
  skipsFolder(folder: string): boolean {
    const broker = this.#brokerOf(folder);
    const idStart = broker?.prefix.length ?? 0;
    if (
      broker === undefined ||
      folder.length !== idStart + 37 ||
      !writeId(this.#id, 0, folder, idStart)
    ) {
      return false;
    }
    if (this.#isDue[(this.#id[idByteCount - 1] ?? 0) % shareCount] === 1) return false;
    return broker.see(this.#id);
  }

  /**
   * Adds the results whose folders were seen to a snapshot of their broker: those that sort before
   * a result, or all remaining ones.
   */
  carryOver(snapshot: BrokerSnapshot, beforeId?: string): void {
    const broker = this.#brokers.get(snapshot.brokerId);
    if (beforeId !== undefined && !writeId(this.#id, 0, beforeId, 0)) return;
    broker?.carryOver(snapshot, beforeId === undefined ? undefined : this.#id);
  }

  #brokerOf(folder: string): RecalledBroker | undefined {
    if (this.#last !== undefined && folder.startsWith(this.#last.prefix)) return this.#last;
    this.#last = this.#brokers.get(folder.slice(0, Math.max(0, folder.indexOf('/'))));
    return this.#last;
  }
}

/** The results of one broker that a listing need not list. */
class RecalledBroker {
  readonly prefix: string;
  hasSeen = false;
  readonly #snapshot: BrokerSnapshot;
  /** For each result, 1 if its folder was seen. */
  readonly #seen: Uint8Array;
  #next = 0;

  constructor(snapshot: BrokerSnapshot) {
    this.prefix = `${snapshot.brokerId}/`;
    this.#snapshot = snapshot;
    this.#seen = new Uint8Array(snapshot.length);
  }

  see(id: Uint8Array): boolean {
    const index = this.#snapshot.findId(id);
    if (index === -1 || !this.#snapshot.isSettledAt(index)) return false;
    this.#seen[index] = 1;
    this.hasSeen = true;
    return true;
  }

  carryOver(into: BrokerSnapshot, beforeId: Uint8Array | undefined): void {
    const snapshot = this.#snapshot;
    for (; this.#next < snapshot.length; this.#next += 1) {
      const order = beforeId === undefined ? -1 : snapshot.compareAt(this.#next, beforeId);
      if (order > 0) return;
      // A folder that the listing shows in spite of that is newer than the remembered result.
      if (order < 0 && this.#seen[this.#next] === 1) into.carryOver(snapshot, this.#next);
    }
  }
}
