import type { RequestListener } from 'node:http';
import type { CleanerSettings } from '@quire/cleaner';
import type { Clock, ObjectStore } from '@quire/core';
import type { SeededRandom } from '@quire/core/testing';
import type { ResultStore } from '@quire/results';
import type { SimulatedDisk } from './disk-tree.ts';
import type { SimulatedProcess } from './machine.ts';
import type { TableSabotage } from './tables.ts';

const minuteMs = 60_000;

/** What all machines of a simulated cluster are set to, unless the weather changes it. */
export const clusterSettings = {
  expirationMs: 10 * minuteMs,
  expirationMaxMs: 30 * minuteMs,
  queryTimeoutMs: minuteMs,
  graceMs: 5 * minuteMs,
  sweepPeriodMs: 2 * minuteMs,
  stalenessMaxMs: 5000,
  storeTimeoutMs: 10_000,
} as const;

/** The settings that change while a cluster runs. */
export interface LiveSettings {
  /** How long a result lives; the ends of what it has been since the last call of `settle`. */
  expirationMs: number;
  sweepPeriodMs: number;
}

/** How a cluster is laid out. */
export interface ClusterPlan {
  readonly brokerCount: number;
  readonly proxyCount: number;
  /** Whether brokers share one bucket, or have a disk each. */
  readonly isShared: boolean;
  /** Whether a process of its own sweeps as well; only where the store is shared. */
  readonly hasDaemon: boolean;
  /** Bytes that each broker may store; undefined for no quota. */
  readonly quotaBytes: number | undefined;
  /** By how much a clock may be wrong while the weather says so. */
  readonly clockErrorMaxMs: number;
  /** Whether the controller has a table server. */
  readonly hasTables: boolean;
  /** How long listings of the bucket do not show what has changed, at most. */
  readonly listingLagMs: number;
}

/** A defect that is planted into a cluster, to see that the laws find it. */
export interface Sabotage {
  readonly store?: (store: ObjectStore, process: SimulatedProcess) => ObjectStore;
  readonly results?: (results: ResultStore) => ResultStore;
  readonly cleanerSettings?: (settings: CleanerSettings) => CleanerSettings;
  readonly resultsClock?: (clock: Clock) => Clock;
  readonly cleanerClock?: (clock: Clock) => Clock;
  readonly proxyListener?: (listener: RequestListener) => RequestListener;
  readonly disk?: (disk: SimulatedDisk) => void;
  readonly tables?: TableSabotage;
  /** Brokers keep the settings that they were started with. */
  readonly hasDeafBrokers?: boolean;
}

/** Draws the layout of a cluster. */
export function planOf(random: SeededRandom): ClusterPlan {
  const isShared = random.fraction() < 0.55;
  return {
    brokerCount: 1 + random.integer(3),
    proxyCount: 1 + random.integer(2),
    isShared,
    hasDaemon: random.fraction() < 0.5,
    quotaBytes: random.fraction() < 0.5 ? undefined : 20_000 + random.integer(60_000),
    clockErrorMaxMs: random.fraction() < 0.7 ? 0 : random.integer(2 * minuteMs),
    hasTables: random.fraction() < 0.5,
    listingLagMs: isShared && random.fraction() < 0.3 ? random.integer(10_000) : 0,
  };
}
