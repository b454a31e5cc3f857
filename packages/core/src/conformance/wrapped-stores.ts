import type { ObjectStore } from '../object-store.ts';
import { withLimit } from '../store/with-limit.ts';
import { withObserver } from '../store/with-observer.ts';
import { withRetry } from '../store/with-retry.ts';
import { withTimeLimit } from '../store/with-time-limit.ts';
import { systemClock } from '../system-clock.ts';
import { systemRandom } from '../system-random.ts';
import { FaultStore, RecordingStore } from '../testing/index.ts';
import type { OpenStoreFixture } from './store-fixture.ts';

const clock = systemClock;

/**
 * Every wrapper of this package by name, with options that have no effect that a caller can see.
 */
export const storeWrappers: Readonly<Record<string, (store: ObjectStore) => ObjectStore>> = {
  withRetry: (store) =>
    withRetry(store, {
      clock,
      random: systemRandom,
      attemptsMax: 3,
      delayMs: 60_000,
      delayMaxMs: 60_000,
    }),
  withLimit: (store) => withLimit(store, { concurrentMax: 3 }),
  withTimeLimit: (store) =>
    withTimeLimit(store, { clock, callTimeoutMs: 60_000, idleTimeoutMs: 60_000 }),
  withObserver: (store) => withObserver(store, () => undefined, clock),
  RecordingStore: (store) => new RecordingStore(store),
  FaultStore: (store) => new FaultStore(store),
};

/** Returns the store wrapped in each wrapper separately. */
export function inEachWrapper(open: OpenStoreFixture): [string, OpenStoreFixture][] {
  return Object.entries(storeWrappers).map(([name, wrap]) => [name, wrapped(open, wrap)]);
}

/** Returns the store wrapped in all of them at once. */
export function inAllWrappers(open: OpenStoreFixture): OpenStoreFixture {
  return wrapped(open, (store) =>
    Object.values(storeWrappers).reduce((inner, wrap) => wrap(inner), store),
  );
}

function wrapped(
  open: OpenStoreFixture,
  wrap: (store: ObjectStore) => ObjectStore,
): OpenStoreFixture {
  return async (options) => {
    const fixture = await open(options);
    return {
      store: wrap(fixture.store),
      leftovers: () => fixture.leftovers(),
      [Symbol.asyncDispose]: async () => fixture[Symbol.asyncDispose](),
    };
  };
}
