import type { Clock, ObjectEntry, RequestId } from '@quire/core';
import { traced } from '@quire/core/trace';
import { brokerPrefix, parseResultObjectName, removeEach } from '@quire/results';
import { BrokerSnapshot } from './broker-snapshot.ts';
import {
  planOrphans,
  planOrphansByAge,
  type OrphanCandidate,
  type Observations,
} from './plan-orphans.ts';
import { ownersOverShare } from './plan-shares.ts';
import type { QuotaPolicy } from './quota-policy.ts';
import { readSnapshots } from './read-snapshots.ts';
import { type SkippableResults, RememberedResults } from './remembered-results.ts';
import { sweepBroker } from './sweep-broker.ts';
import {
  type BrokerReport,
  type PassReport,
  PassTally,
  type Removal,
  type SweepReport,
  type SweepTrigger,
} from './sweep-report.ts';
import type { SweepTarget } from './sweep-target.ts';

/** The options of one sweep of `sweepStore`. */
export interface SweepOptions {
  readonly trigger: SweepTrigger;
  /** The policy; undefined if no quota is enforced. */
  readonly policy: QuotaPolicy | undefined;
  /** The grace period of orphans, longer than any write. */
  readonly graceMs: number;
  readonly concurrencyMax: number;
  /** Plans and reports, but deletes nothing. */
  readonly isDryRun: boolean;
  /** Decides about orphans by the wall clock, because there are no earlier sweeps. */
  readonly usesWallClock: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called for every deletion or, in a dry run, every planned deletion. */
  readonly onRemoval: (removal: Removal) => void;
  readonly onFailure: (removal: Removal, error: unknown) => void;
}

/** The number of grace periods within which remembered results are listed again. */
const rememberedGraces = 4;

/**
 * Sweeps one target repeatedly. It remembers the orphans it saw, and the results that need not be
 * listed each time.
 */
export class StoreSweeper {
  readonly #target: SweepTarget;
  readonly #clock: Clock;
  #observations: Observations = new Map();
  #leftoverObservations: Observations = new Map();
  readonly #remembered = new RememberedResults();

  constructor(target: SweepTarget, clock: Clock) {
    this.#target = target;
    this.#clock = clock;
  }

  /**
   * Sweeps once: one listing, one snapshot of each broker, the passes over each broker, then the
   * leftovers.
   *
   * @throws any error of the listing
   */
  async sweep(options: SweepOptions): Promise<SweepReport> {
    const { trigger, isDryRun } = options;
    // A dry run frees nothing: it does not count for writes that wait.
    const end = isDryRun ? undefined : this.#target.admission?.queue.beginSweep();
    try {
      return await traced(
        'sweep',
        async (span) => {
          const report = await this.#sweep(options);
          span?.set({ 'quire.sweep.is_good': report.isGood });
          return report;
        },
        {
          parent: null,
          attributes: { 'quire.sweep.trigger': trigger, 'quire.sweep.is_dry_run': isDryRun },
          hidesCalls: true,
        },
      );
    } finally {
      end?.();
    }
  }

  async #sweep(options: SweepOptions): Promise<SweepReport> {
    const { signal, trigger, isDryRun } = options;
    const { admission } = this.#target;
    const startMonotonicMs = this.#clock.monotonicMs();
    const startTimeMs = this.#clock.nowMs();
    const snapshots = await traced('sweep.list', () => this.#readSnapshots(signal, options));
    const brokers: BrokerReport[] = [];
    const dueOrphans = this.#planOrphans([...snapshots.values()], options);
    for (const snapshot of snapshots.values()) {
      brokers.push(
        await sweepBroker({
          ...options,
          target: this.#target,
          snapshot,
          usageStartBytes: admission?.usage.totalBytes ?? snapshot.sizeBytes,
          storedStartBytes: admission?.usage.storedBytes ?? snapshot.sizeBytes,
          dueOrphans: dueOrphans.get(snapshot.brokerId) ?? [],
          nowMs: this.#clock.nowMs(),
          signal,
        }),
      );
    }
    const leftovers = await traced('sweep.leftovers', () => this.#sweepLeftovers(options));
    const isStopped = signal?.aborted === true;
    const passes = [
      ...brokers.flatMap(({ expiry, quota, orphans }) => [expiry, quota, orphans]),
      leftovers,
    ];
    const isShort = brokers.some(
      ({ quota, sparedBytes }) => quota.freed.bytes + sparedBytes < quota.wanted.bytes,
    );
    const isGood = !isStopped && !isShort && passes.every(({ failed }) => failed.count === 0);
    const durationMs = this.#clock.monotonicMs() - startMonotonicMs;
    return { trigger, isDryRun, startTimeMs, durationMs, isGood, isStopped, brokers, leftovers };
  }

  /** Forgets a result that may have changed: the next listing lists its folder. */
  forget(requestId: RequestId): void {
    this.#remembered.forget(requestId);
  }

  /**
   * Makes only the listing, for the admission control, which must know the stored bytes before the
   * first sweep.
   */
  async measure(signal: AbortSignal): Promise<void> {
    await this.#readSnapshots(signal);
  }

  /**
   * Reads snapshots from one listing, or two: nothing is evicted because of remembered results
   * alone.
   */
  async #readSnapshots(
    signal: AbortSignal | undefined,
    options?: Pick<SweepOptions, 'policy' | 'graceMs'>,
  ): Promise<Map<string, BrokerSnapshot>> {
    const { store, brokerId, admission } = this.#target;
    const prefix = brokerId === undefined ? '' : brokerPrefix(brokerId);
    let startMs = this.#clock.monotonicMs();
    let setRight = admission?.beginListing();
    let skippable: SkippableResults | undefined = this.#remembered.selectSkippable(
      startMs,
      rememberedGraces * (options?.graceMs ?? 0),
    );
    let snapshots = await readSnapshots(store, prefix, { signal, skippable });
    if (options?.policy !== undefined && this.#mayEvict([...snapshots.values()], options.policy)) {
      startMs = this.#clock.monotonicMs();
      setRight = admission?.beginListing();
      skippable = undefined;
      snapshots = await readSnapshots(store, prefix, { signal });
    }
    if (brokerId !== undefined && !snapshots.has(brokerId)) {
      snapshots.set(brokerId, new BrokerSnapshot(brokerId));
    }
    this.#remembered.keep(snapshots, startMs, skippable);
    for (const snapshot of snapshots.values()) setRight?.(snapshot);
    return snapshots;
  }

  /**
   * Reports whether usage is critical for a broker or an owner that has remembered results: its
   * actual usage may be lower, and its largest results may have been deleted.
   */
  #mayEvict(snapshots: readonly BrokerSnapshot[], policy: QuotaPolicy): boolean {
    const usage = this.#target.admission?.usage;
    return snapshots.some((snapshot) => {
      const { carriedOverCount, sizeBytes } = snapshot;
      if (carriedOverCount === 0) return false;
      const { pressureBytes = sizeBytes, storedBytes = sizeBytes } = usage ?? {};
      const isCritical =
        Math.max(pressureBytes, sizeBytes + pressureBytes - storedBytes) > policy.criticalBytes;
      return isCritical || ownersOverShare(snapshot, policy, usage).length > 0;
    });
  }

  #planOrphans(
    snapshots: readonly BrokerSnapshot[],
    options: SweepOptions,
  ): Map<string, BrokerSnapshot['orphans']> {
    const orphans = snapshots.flatMap((snapshot) =>
      snapshot.orphans.map((orphan) => ({ ...orphan, brokerId: snapshot.brokerId })),
    );
    const { due, observations } = this.#plan(orphans, this.#observations, options);
    if (!options.isDryRun) this.#observations = observations;
    return Map.groupBy(due, ({ brokerId }) => brokerId);
  }

  #plan<Orphan extends OrphanCandidate>(
    orphans: readonly Orphan[],
    seen: Observations,
    { usesWallClock, graceMs }: SweepOptions,
  ): { due: readonly Orphan[]; observations: Observations } {
    if (usesWallClock) {
      return { due: planOrphansByAge(orphans, this.#clock.nowMs(), graceMs), observations: seen };
    }
    return planOrphans(orphans, seen, this.#clock.monotonicMs(), graceMs);
  }

  /**
   * Reports whether a leftover is an upload that the broker is writing, in this process or one of
   * its workers.
   */
  #isWriting(key: string): boolean {
    const [objectKey = ''] = key.split('?');
    const name = parseResultObjectName(objectKey);
    return name !== undefined && this.#target.admission?.usage.isWriting(name.requestId) === true;
  }

  async #sweepLeftovers(options: SweepOptions): Promise<PassReport> {
    const { leftovers } = this.#target;
    const { signal } = options;
    const tally = new PassTally();
    if (leftovers === undefined || signal?.aborted === true) return tally.report();
    const found = await Array.fromAsync(leftovers.list({ signal }));
    const ownerless = found.filter(({ owner }) => owner === 'dead');
    const watched = found.filter(
      ({ owner, key }) => (owner ?? 'unknown') === 'unknown' && !this.#isWriting(key),
    );
    const { due: dueByAge, observations } = this.#plan(
      watched,
      this.#leftoverObservations,
      options,
    );
    const due = [...ownerless, ...dueByAge];
    if (!options.isDryRun) this.#leftoverObservations = observations;
    for (const { sizeBytes } of due) tally.add('wanted', sizeBytes);
    const nowMs = this.#clock.nowMs();
    const describe = ({ key, sizeBytes, lastModifiedMs }: ObjectEntry): Removal => {
      return {
        brokerId: undefined,
        id: key,
        reason: 'leftover',
        bytes: sizeBytes,
        ageMs: nowMs - lastModifiedMs,
      };
    };
    const remove = async ({ key }: ObjectEntry): Promise<'removed'> => {
      if (!options.isDryRun) await leftovers.remove(key);
      return 'removed';
    };
    await removeEach(
      due,
      remove,
      (leftover, outcome, error) => {
        tally.add(
          outcome === 'removed' ? 'freed' : outcome === 'failed' ? 'failed' : 'skipped',
          leftover.sizeBytes,
        );
        if (outcome === 'removed') options.onRemoval(describe(leftover));
        else if (outcome === 'failed') options.onFailure(describe(leftover), error);
      },
      { concurrencyMax: options.concurrencyMax, signal },
    );
    return tally.report();
  }
}
