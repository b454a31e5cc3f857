import { isQuireError } from '@quire/core';

/**
 * The outcome of a removal. `kept`: the thing is needed again, because it was renewed or is still
 * being written.
 */
export type RemovalOutcome = 'removed' | 'kept' | 'failed' | 'skipped';

/** The limits of `removeEach`. */
export interface RemoveEachOptions {
  readonly concurrencyMax: number;
  /** Once it is aborted, removals in progress finish and no others start. */
  readonly signal: AbortSignal | undefined;
}

/** The number of consecutive failures after which the store counts as down: the rest is skipped. */
const failuresInARowMax = 100;

/**
 * Removes things in order, a few concurrently, continues after failures, and reports each outcome.
 *
 * @throws any error of the iteration, and any error that is not a QuireError (a defect); in both
 *   cases after every removal in progress has ended
 */
export async function removeEach<T>(
  things: Iterable<T> | AsyncIterable<T>,
  remove: (thing: T) => Promise<'removed' | 'kept'>,
  onOutcome: (thing: T, outcome: RemovalOutcome, error?: unknown) => void,
  { concurrencyMax, signal }: RemoveEachOptions,
): Promise<void> {
  const iterator =
    Symbol.asyncIterator in things ? things[Symbol.asyncIterator]() : things[Symbol.iterator]();
  let failuresInARow = 0;
  const work = async (): Promise<void> => {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      const thing = next.value;
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
  const ends = await Promise.allSettled(Array.from({ length: concurrencyMax }, work));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
