import type { StoredResult } from '@quire/api';

/** From a moment on, so many bytes are stored. */
export interface StorageStep {
  readonly timeMs: number;
  readonly bytes: number;
}

/**
 * How the bytes of these results add up over time, from the first that came to the last that will
 * go. Pure.
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
