import type { StoredResult } from '@quire/api';

/** The number of stored bytes from a time on. */
export interface StorageStep {
  readonly timeMs: number;
  readonly bytes: number;
}

/**
 * Returns the end of a chart of the steps: the last step, unless it lies far after the others,
 * which it would compress into a corner. Pure.
 */
export function shownEndMs(steps: readonly StorageStep[], nowMs: number): number {
  const [lastMs = nowMs, beforeMs = lastMs] = [steps.at(-1)?.timeMs, steps.at(-2)?.timeMs];
  const startMs = steps[0]?.timeMs ?? nowMs;
  const othersEndMs = Math.max(beforeMs, nowMs);
  return lastMs - startMs > 3 * (othersEndMs - startMs) && beforeMs > nowMs
    ? othersEndMs + (othersEndMs - startMs) / 4
    : lastMs;
}

/**
 * Returns the sum of the bytes of these results over time, from the first that was stored to the
 * last that will expire. Pure.
 */
export function storedOverTime(
  results: readonly Pick<
    StoredResult,
    'submissionTimeMs' | 'expirationTimeMs' | 'responseMetadata'
  >[],
): readonly StorageStep[] {
  const changes = results.flatMap(({ submissionTimeMs, expirationTimeMs, responseMetadata }) => {
    const bytes = responseMetadata[0]?.sizeBytes ?? 0;
    return [
      { timeMs: submissionTimeMs, bytes },
      { timeMs: expirationTimeMs, bytes: -bytes },
    ];
  });
  const steps: StorageStep[] = [];
  let bytes = 0;
  for (const change of changes.toSorted((one, other) => one.timeMs - other.timeMs)) {
    bytes += change.bytes;
    if (steps.at(-1)?.timeMs === change.timeMs) steps.pop();
    steps.push({ timeMs: change.timeMs, bytes });
  }
  return steps;
}
