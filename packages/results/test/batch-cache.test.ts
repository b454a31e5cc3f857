import { expect, test } from 'vitest';
import { BatchCache } from '../src/batch-cache.ts';

const message = (byte: number): Uint8Array => new Uint8Array(100).fill(byte);

test('a batch is kept from the second time on that it is asked for', () => {
  const cache = new BatchCache(1000);
  cache.offer('k', 0, message(1));
  expect(cache.get('k', 0)).toBeUndefined();
  cache.offer('k', 0, message(1));
  expect(cache.get('k', 0)).toEqual(message(1));
});

test('a batch that must be in more demand than usual is kept later', () => {
  const cache = new BatchCache(1000);
  const isHere = [1, 2, 3, 4].map(() => {
    cache.offer('k', 0, message(1), 3);
    return cache.get('k', 0) !== undefined;
  });
  expect(isHere).toEqual([false, false, true, true]);
});

test('a batch that is about to be asked for is kept at once', () => {
  const cache = new BatchCache(1000);
  cache.set('k', 0, message(1));
  expect(cache.get('k', 0)).toEqual(message(1));
});

test('what is kept is a copy', () => {
  const cache = new BatchCache(1000);
  const shared = message(1);
  cache.set('k', 0, shared);
  shared.fill(2);
  expect(cache.get('k', 0)).toEqual(message(1));
});

test('a walk through a large result, even twice, evicts nothing that is in demand', () => {
  const cache = new BatchCache(1000);
  for (let index = 0; index < 10; index += 1) cache.set('hot', index, message(index));
  for (let walk = 0; walk < 2; walk += 1) {
    for (let index = 0; index < 1000; index += 1) cache.offer('cold', index, message(1));
  }
  expect(Array.from({ length: 10 }, (_, index) => cache.get('hot', index)?.[0])).toEqual([
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
  ]);
});

/** Requests a batch as a reader does; returns true if it was cached. */
function ask(cache: BatchCache, index: number, key = 'k'): boolean {
  if (cache.get(key, index) !== undefined) return true;
  cache.offer(key, index, message(index));
  return false;
}

test('of batches that are asked for in turn and do not all fit, those that are kept stay', () => {
  const cache = new BatchCache(1000);
  const turns = Array.from({ length: 8 }, () =>
    Array.from({ length: 15 }, (_, index) => ask(cache, index)),
  );
  const hitCounts = turns.map((turn) => turn.filter(Boolean).length);
  expect(hitCounts).toEqual([0, 0, 10, 10, 10, 10, 10, 10]);
});

test('what was wanted often long ago gives way to what is wanted now', () => {
  const cache = new BatchCache(1000);
  for (let turn = 0; turn < 100; turn += 1) {
    for (let index = 0; index < 10; index += 1) ask(cache, index, 'old');
  }
  const hitCountOf = (): number =>
    Array.from({ length: 10 }, (_, index) => ask(cache, index, 'new')).filter(Boolean).length;
  let turnCount = 0;
  while (hitCountOf() < 10 && turnCount < 1000) turnCount += 1;
  expect(turnCount).toBeLessThan(30);
});

test('what was kept ahead and is not asked for gives way at once', () => {
  const cache = new BatchCache(1000);
  for (let index = 0; index < 10; index += 1) cache.set('ahead', index, message(index));
  for (let turn = 0; turn < 2; turn += 1) {
    for (let index = 0; index < 10; index += 1) ask(cache, index);
  }
  expect(Array.from({ length: 10 }, (_, index) => ask(cache, index))).not.toContain(false);
});

test('a cache of no bytes keeps nothing', () => {
  const cache = new BatchCache(0);
  cache.set('k', 0, message(1));
  cache.offer('k', 0, message(1));
  cache.offer('k', 0, message(1));
  expect(cache.get('k', 0)).toBeUndefined();
  expect(cache.isFor(1)).toBe(false);
});
