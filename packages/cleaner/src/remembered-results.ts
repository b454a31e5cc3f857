import type { BrokerSnapshot } from './broker-snapshot.ts';
import { idByteCount, writeId } from './id-bytes.ts';

/**
 * Results are looked at again by shares, each at every so many sweeps; the last digit of an id,
 * which is random, says which share is its.
 */
const shareCount = 16;

/**
 * What the sweep before has seen of results that do not change: data and commit record of a result
 * are never written again, so that its folder changes only when it is renewed or deleted. While the
 * folder is there, it need not be looked into at each sweep.
 *
 * What may be wrong with that: another process, or a person, may have renewed the result, or
 * deleted a part of it. So whatever is decided by it must look before it deletes, as the removal of
 * a result does; and all is looked into again within 16 sweeps, or a time given, whichever comes
 * first.
 */
export class RememberedResults {
  #snapshots: ReadonlyMap<string, BrokerSnapshot> = new Map();
  /** Results that have changed since the listing began that goes on. */
  readonly #changed = new Set<string>();
  #isListing = false;
  #nextShare = 0;
  #lastMs = Number.NEGATIVE_INFINITY;

  /**
   * For one listing: a recollection of all but the shares whose turn it is. With `ageMaxMs`, all
   * have had their turn within about that time.
   */
  recollect(monotonicMs: number, ageMaxMs: number): Recollection {
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
    return new Recollection(this.#snapshots, isDue);
  }

  /**
   * Remembers what a listing that began at `startMs` has shown, with the recollection that it was
   * given; with none, it has looked at all.
   */
  keep(
    snapshots: ReadonlyMap<string, BrokerSnapshot>,
    startMs: number,
    recollection?: Recollection,
  ): void {
    this.#snapshots = snapshots;
    this.#isListing = false;
    for (const requestId of this.#changed) this.forget(requestId);
    this.#nextShare = (this.#nextShare + (recollection?.dueCount ?? 0)) % shareCount;
    this.#lastMs = startMs;
  }

  /** What is stored of a result has changed: the next listing looks into its folder. */
  forget(requestId: string): void {
    if (this.#isListing) this.#changed.add(requestId);
    for (const snapshot of this.#snapshots.values()) {
      const index = snapshot.find(requestId);
      if (index !== -1) snapshot.unsettle(index);
    }
  }
}

/** What one listing need not look at. */
export class Recollection {
  readonly #isDue: Uint8Array;
  readonly #brokers = new Map<string, RecalledBroker>();
  /** The broker that was asked about last, which the next question is likely to be about. */
  #last: RecalledBroker | undefined;
  readonly #id = new Uint8Array(idByteCount);

  constructor(snapshots: ReadonlyMap<string, BrokerSnapshot>, isDue: Uint8Array) {
    this.#isDue = isDue;
    for (const [brokerId, snapshot] of snapshots) {
      this.#brokers.set(brokerId, new RecalledBroker(snapshot));
    }
  }

  /** How many shares are looked at. */
  get dueCount(): number {
    return this.#isDue.reduce((sum, isDue) => sum + isDue, 0);
  }

  /** Brokers that have results here whose folders were seen. */
  get brokerIds(): readonly string[] {
    return [...this.#brokers].filter(([, { hasSeen }]) => hasSeen).map(([brokerId]) => brokerId);
  }

  /** Whether a listing may pass over a folder, which it has seen. */
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
   * a result, or all that are left.
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

/** One broker's part of a recollection. */
class RecalledBroker {
  readonly prefix: string;
  hasSeen = false;
  readonly #snapshot: BrokerSnapshot;
  /** Of each result, 1 when its folder is there. */
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
      // What a listing shows all the same is newer than what is remembered.
      if (order < 0 && this.#seen[this.#next] === 1) into.carryOver(snapshot, this.#next);
    }
  }
}
