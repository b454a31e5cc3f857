import {
  type ObjectStore,
  systemClock,
  systemRandom,
  withLimit,
  withObserver,
  withRetry,
  withTimeLimit,
} from '@quire/core';
import { describe, expect, test } from 'vitest';
import { stubStore } from './stub-store.ts';

const wrappers: readonly [string, (store: ObjectStore) => ObjectStore][] = [
  ['withLimit', (store) => withLimit(store, { concurrentMax: 1 })],
  ['withObserver', (store) => withObserver(store, () => undefined)],
  [
    'withRetry',
    (store) =>
      withRetry(store, {
        clock: systemClock,
        random: systemRandom,
        attemptsMax: 2,
        delayMs: 1,
        delayMaxMs: 1,
      }),
  ],
  [
    'withTimeLimit',
    (store) =>
      withTimeLimit(store, { clock: systemClock, callTimeoutMs: 1000, idleTimeoutMs: 1000 }),
  ],
];

describe.each(wrappers)('%s', (_name, wrap) => {
  test('has at hand what its store has, and says so only of a store that may', () => {
    const store = stubStore({
      readAtHand: (key, { start }, target) => {
        target.fill(start);
        return key === 'here';
      },
    });
    const target = new Uint8Array(2);
    expect(wrap(store).readAtHand?.('here', { start: 5, end: 7 }, target)).toBe(true);
    expect([...target]).toEqual([5, 5]);
    expect(wrap(store).readAtHand?.('elsewhere', { start: 5, end: 7 }, target)).toBe(false);
    expect(wrap(stubStore({})).readAtHand).toBeUndefined();
  });
});
