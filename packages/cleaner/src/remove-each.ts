import { isQuireError } from '@quire/core';

/**
 * How the removal of one thing ended. `kept`: it is wanted again, because it was renewed or is
 * still being written.
 */
export type RemovalOutcome = 'removed' | 'kept' | 'failed' | 'skipped';

/** Limits of `removeEach`. */
export interface RemoveEachOptions {
  readonly concurrencyMax: number;
  /** Once aborted, what is under way is finished and nothing else is begun. */
  readonly signal: AbortSignal | undefined;
}

/**
 * This many failures in a row mean that the store is down: the rest would fare no better, and the
 * next sweep comes anyway.
 */
const failuresInARowMax = 100;

/**
 * Removes things, a few at a time and in order, going on past failures; tells of each how it ended.
 *
 * @throws only what is not a QuireError: a defect
 */
export async function removeEach<T>(
  things: readonly T[],
  remove: (thing: T) => Promise<'removed' | 'kept'>,
  onOutcome: (thing: T, outcome: RemovalOutcome, error?: unknown) => void,
  { concurrencyMax, signal }: RemoveEachOptions,
): Promise<void> {
  let next = 0;
  let failuresInARow = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < things.length; index = next++) {
      const thing = things[index] as T;
      if (signal?.aborted === true || failuresInARow >= failuresInARowMax) {
        onOutcome(thing, 'skipped');
        continue;
      }
      try {
        onOutcome(thing, await remove(thing));
        failuresInARow = 0;
      } catch (error) {
        if (!isQuireError(error)) throw error;
        failuresInARow += 1;
        onOutcome(thing, 'failed', error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrencyMax, things.length) }, work));
}
