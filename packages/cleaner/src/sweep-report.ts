import type { RequestId } from '@quire/core';

/** A number of things and their bytes. */
export interface Amount {
  readonly count: number;
  readonly bytes: number;
}

/** Why something was deleted. */
export type SweepReason = 'expired' | 'evicted' | 'orphan' | 'leftover';

/** What one pass wanted and got. */
export interface PassReport {
  /** What the plan named; of the quota pass, the bytes are those above the target. */
  readonly wanted: Amount;
  readonly freed: Amount;
  /** What could not be deleted. */
  readonly failed: Amount;
  /**
   * What was left alone: renewed meanwhile, or the sweep was stopped or gave up before its turn.
   */
  readonly skipped: Amount;
}

/** What a sweep found and did below the prefix of one broker. */
export interface BrokerReport {
  readonly brokerId: string;
  /** Results that live on. */
  readonly resultCount: number;
  /** Every byte under the broker's prefix and, where they are known, of writes in flight. */
  readonly usageStartBytes: number;
  readonly usageEndBytes: number;
  /** Undefined when no quota is enforced. */
  readonly quotaBytes: number | undefined;
  /** When the oldest result that lives on was stored. */
  readonly oldestLiveMs: number | undefined;
  /**
   * Bytes above the target that could go and stay, because usage is not critical, or not any more.
   */
  readonly sparedBytes: number;
  readonly expiry: PassReport;
  readonly quota: PassReport;
  readonly orphans: PassReport;
  /** The hundred owners who had the most at the start, the first one most. */
  readonly owners: readonly OwnerReport[];
}

/** What one owner stores, in results. */
export interface OwnerReport {
  /** Undefined: results of no known owner. */
  readonly ownerTag: number | undefined;
  readonly resultCount: number;
  readonly startBytes: number;
  readonly endBytes: number;
  /** Its share; undefined when it may use the whole quota, or none is enforced. */
  readonly shareBytes: number | undefined;
}

/** What started a sweep. */
export type SweepTrigger = 'schedule' | 'critical' | 'settings' | 'once';

/** What a sweep found and did, for the log and the metrics. */
export interface SweepReport {
  readonly trigger: SweepTrigger;
  readonly isDryRun: boolean;
  readonly startTimeMs: number;
  readonly durationMs: number;
  /** False when it was stopped, something failed, or a quota could not be met. */
  readonly isGood: boolean;
  readonly isStopped: boolean;
  readonly brokers: readonly BrokerReport[];
  /** Leftovers of crashed writes, which belong to no broker. */
  readonly leftovers: PassReport;
}

/** One deletion, done or, in a dry run, planned. */
export interface Removal {
  readonly brokerId: string | undefined;
  /** Of a leftover, whatever the store calls it. */
  readonly id: RequestId | string;
  readonly reason: SweepReason;
  readonly bytes: number;
  readonly ageMs: number;
  /** Tag of its owner, as ids show it; absent where it has none. */
  readonly owner?: string;
  /** Setting that limits the share of its owner, where that was exceeded and not the quota. */
  readonly limitedBy?: string;
}

/** Adds up a pass. */
export class PassTally {
  readonly #amounts = {
    wanted: [0, 0],
    freed: [0, 0],
    failed: [0, 0],
    skipped: [0, 0],
  } satisfies Record<string, [number, number]>;

  add(kind: keyof PassReport, bytes: number, count = 1): void {
    this.#amounts[kind][0] += count;
    this.#amounts[kind][1] += bytes;
  }

  get freedBytes(): number {
    return this.#amounts.freed[1];
  }

  get failedCount(): number {
    return this.#amounts.failed[0];
  }

  report(): PassReport {
    const { wanted, freed, failed, skipped } = this.#amounts;
    const amount = ([count, bytes]: readonly [number, number]): Amount => ({ count, bytes });
    return {
      wanted: amount(wanted),
      freed: amount(freed),
      failed: amount(failed),
      skipped: amount(skipped),
    };
  }
}
