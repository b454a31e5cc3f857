import type { ObjectEntry } from '@quire/core';

/**
 * An object that no result seems to need; `folderModifiedMs` is set if other objects of its folder
 * may be younger.
 */
export type OrphanCandidate = ObjectEntry & { readonly folderModifiedMs?: number };

/** The time at which each orphan was first seen, by the observer's monotonic clock. */
export type Observations = ReadonlyMap<string, number>;

/** The orphans to delete now, and the state for the next plan. */
export interface OrphanPlan<Orphan> {
  /** The orphans to delete now. */
  readonly due: readonly Orphan[];
  /** The observations to keep for the next plan. */
  readonly observations: Observations;
}

/**
 * Returns the orphans that have been unchanged orphans for at least the grace period since they
 * were first seen.
 *
 * Only the observer's monotonic clock counts. Whatever the wall clocks of this machine, of the
 * store and of the writers do, nothing younger than the grace period is deleted. An observer that
 * has just started therefore waits a whole grace period.
 */
export function planOrphans<Orphan extends OrphanCandidate>(
  orphans: readonly Orphan[],
  seen: Observations,
  monotonicMs: number,
  graceMs: number,
): OrphanPlan<Orphan> {
  const due: Orphan[] = [];
  const observations = new Map<string, number>();
  for (const orphan of orphans) {
    const identity = `${orphan.key} ${orphan.sizeBytes} ${orphan.lastModifiedMs} ${orphan.folderModifiedMs ?? ''}`;
    const firstSeenMs = seen.get(identity) ?? monotonicMs;
    // Recorded even if it is due: if its deletion fails, the next sweep retries immediately.
    observations.set(identity, firstSeenMs);
    if (monotonicMs - firstSeenMs >= graceMs) due.push(orphan);
  }
  return { due, observations };
}

/**
 * Returns the orphans that are older than the grace period by the wall clock, for a cleaner that
 * runs once and cannot observe. The operator is responsible for the clock, as with any job that
 * deletes by age.
 */
export function planOrphansByAge<Orphan extends OrphanCandidate>(
  orphans: readonly Orphan[],
  nowMs: number,
  graceMs: number,
): readonly Orphan[] {
  return orphans.filter(
    (orphan) => nowMs - Math.max(orphan.lastModifiedMs, orphan.folderModifiedMs ?? 0) >= graceMs,
  );
}
