import type { RequestListener } from 'node:http';
import type { CleanerSettings } from '@quire/cleaner';
import type { Clock, ObjectStore } from '@quire/core';
import type { SeededRandom } from '@quire/core/testing';
import type { ResultStore } from '@quire/results';
import type { SimulatedDisk } from './disk-tree.ts';
import type { SimulatedProcess } from './machine.ts';
import type { TableSabotage } from './tables.ts';

const minuteMs = 60_000;

/** The settings of all machines of a simulated cluster, unless a fault changes them. */
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
  /** The lifetime of results; the range of its values since the last call of `settle`. */
  expirationMs: number;
  sweepPeriodMs: number;
}

/** The layout of a cluster. */
export interface ClusterPlan {
  readonly brokerCount: number;
  readonly proxyCount: number;
  /** True if brokers share one bucket; else each has a disk. */
  readonly isShared: boolean;
  /** True if a separate process sweeps as well; only with a shared store. */
  readonly hasDaemon: boolean;
  /** Bytes that each broker may store; undefined for no quota. */
  readonly quotaBytes: number | undefined;
  /** The largest error of a clock while a fault affects clocks. */
  readonly clockErrorMaxMs: number;
  /** True if the controller has a table server. */
  readonly hasTables: boolean;
  /** The longest time for which listings of the bucket lag behind changes. */
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
