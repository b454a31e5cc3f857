import type { ObjectEntry } from '@quire/core';

/**
 * An object that nobody seems to need; `folderModifiedMs` when others of its folder may be younger.
 */
export type OrphanCandidate = ObjectEntry & { readonly folderModifiedMs?: number };

/** When each orphan was first seen, by the monotonic clock of the one who saw it. */
export type Observations = ReadonlyMap<string, number>;

/** The orphans to delete now, and what the next plan needs to know. */
export interface OrphanPlan<Orphan> {
  /** What goes now. */
  readonly due: readonly Orphan[];
  /** What is to be remembered until the next plan. */
  readonly observations: Observations;
}

/**
 * The orphans that have been orphans, unchanged, for at least the grace period since they were
 * first seen.
 *
 * Only the monotonic clock of the watcher counts. Whatever the wall clocks of this machine, of the
 * store and of the writers do, nothing younger than the grace period goes. The price: a watcher
 * that has just started waits a whole grace period.
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
    // Kept also when it is due: should its deletion fail, the next sweep tries again at once.
    observations.set(identity, firstSeenMs);
    if (monotonicMs - firstSeenMs >= graceMs) due.push(orphan);
  }
  return { due, observations };
}

/**
 * The orphans that are older than the grace period by the wall clock: for a cleaner that runs once
 * and cannot watch. Anyone who starts it vouches for the clock, as with any job that deletes by
 * age.
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
