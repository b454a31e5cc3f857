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
  for (let walk = 0; walk < 2; walk += 1) for (let index = 0; index < 1000; index += 1) cache.offer('cold', index, message(1));
  expect(Array.from({ length: 10 }, (_, index) => cache.get('hot', index)?.[0])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('a cache of no bytes keeps nothing', () => {
  const cache = new BatchCache(0);
  cache.set('k', 0, message(1));
  cache.offer('k', 0, message(1));
  cache.offer('k', 0, message(1));
  expect(cache.get('k', 0)).toBeUndefined();
  expect(cache.isFor(1)).toBe(false);
});
