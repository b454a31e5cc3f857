import type { RequestId } from '@quire/core';

/** A number of items and their bytes. */
export interface Amount {
  readonly count: number;
  readonly bytes: number;
}

/** The reason for a deletion. */
export type SweepReason = 'expired' | 'evicted' | 'orphan' | 'leftover';

/** The selected items of one pass, and their outcomes. */
export interface PassReport {
  /** The items that the plan selected; for the quota pass, the bytes are those above the target. */
  readonly wanted: Amount;
  readonly freed: Amount;
  /** The items that could not be deleted. */
  readonly failed: Amount;
  /**
   * The items that were skipped: they were renewed, or the sweep was stopped or gave up before
   * their turn.
   */
  readonly skipped: Amount;
}

/** The findings and outcomes of a sweep for one broker. */
export interface BrokerReport {
  readonly brokerId: string;
  /** The number of results that remain. */
  readonly resultCount: number;
  /** The total bytes under the broker's prefix and, if they are known, of writes in progress. */
  readonly usageStartBytes: number;
  readonly usageEndBytes: number;
  /** The quota; undefined if none is enforced. */
  readonly quotaBytes: number | undefined;
  /** The time at which the oldest remaining result was stored. */
  readonly oldestLiveMs: number | undefined;
  /**
   * The evictable bytes above the target that remain because usage is not, or no longer, critical.
   */
  readonly sparedBytes: number;
  readonly expiry: PassReport;
  readonly quota: PassReport;
  readonly orphans: PassReport;
  /** The hundred owners with the highest usage at the start, in descending order. */
  readonly owners: readonly OwnerReport[];
}

/** The stored results of one owner. */
export interface OwnerReport {
  /** The tag; undefined for results of unknown owners. */
  readonly ownerTag: number | undefined;
  readonly resultCount: number;
  readonly startBytes: number;
  readonly endBytes: number;
  /** Its share; undefined if it may use the whole quota, or none is enforced. */
  readonly shareBytes: number | undefined;
}

/** The trigger of a sweep. */
export type SweepTrigger = 'schedule' | 'critical' | 'settings' | 'once';

/** The findings and outcomes of a sweep, for the log and the metrics. */
export interface SweepReport {
  readonly trigger: SweepTrigger;
  readonly isDryRun: boolean;
  readonly startTimeMs: number;
  readonly durationMs: number;
  /** False if it was stopped, a deletion failed, or a quota could not be met. */
  readonly isGood: boolean;
  readonly isStopped: boolean;
  readonly brokers: readonly BrokerReport[];
  /** The leftovers of crashed writes, which belong to no broker. */
  readonly leftovers: PassReport;
}

/** One deletion or, in a dry run, one planned deletion. */
export interface Removal {
  readonly brokerId: string | undefined;
  /** The request id or, for a leftover, the store's own name for it. */
  readonly id: RequestId | string;
  readonly reason: SweepReason;
  readonly bytes: number;
  readonly ageMs: number;
  /** The tag of its owner, as ids show it; absent if there is none. */
  readonly owner?: string;
  /** The setting that limits the share of its owner, if that was exceeded and not the quota. */
  readonly limitedBy?: string;
}

/** The counters of a pass. */
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
