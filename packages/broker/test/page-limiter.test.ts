import { ManualClock } from '@quire/core/testing';
import { beforeEach, expect, test } from 'vitest';
import { PageLimiter } from '../src/page-limiter.ts';

const large = 1_000_000;
let clock: ManualClock;
let limiter: PageLimiter;
let startedCount: number;

beforeEach(() => {
  clock = new ManualClock();
  limiter = new PageLimiter(clock);
  startedCount = 0;
});

function take(
  sizeBytes = large,
  signal = new AbortController().signal,
  principal = 'ann',
): Promise<Disposable> {
  return limiter.acquire({ principal, isAdmin: false }, sizeBytes, signal).then((turn) => {
    startedCount += 1;
    return turn;
  });
}

/** Grants the first `count` turns, once all that can be granted were. */
async function takeAll(count: number): Promise<Disposable | undefined> {
  const [first] = Array.from({ length: count }, () => take());
  await clock.advance(0);
  return await first;
}

test('six large pages are made at once, the next one when one of them ends', async () => {
  const first = await takeAll(10);
  expect(startedCount).toBe(6);
  first?.[Symbol.dispose]();
  await clock.advance(0);
  expect(startedCount).toBe(7);
});

test('a page that takes long gives its turn away, once', async () => {
  const first = await takeAll(30);
  await clock.advance(99);
  expect(startedCount).toBe(6);
  await clock.advance(1);
  expect(startedCount).toBe(12);
  first?.[Symbol.dispose]();
  await clock.advance(0);
  expect(startedCount).toBe(12);
});

test('small pages wait for nobody', async () => {
  await takeAll(6);
  await take(10_000);
  expect(startedCount).toBe(7);
});

test('who goes away while waiting is out of the queue', async () => {
  const first = await takeAll(6);
  const leaving = new AbortController();
  const left = take(large, leaving.signal);
  const next = take();
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 'ABORTED' });
  first?.[Symbol.dispose]();
  await next;
  expect(startedCount).toBe(7);
});

test('a page of another principal is made next, however many wait; so are its further pages, up to half of the turns', async () => {
  await takeAll(120);
  const { signal } = new AbortController();
  const names: string[] = [];
  const others = Array.from({ length: 5 }, () =>
    take(large, signal, 'bob').then(() => names.push('bob')),
  );
  // All six turns reach their time limit, and six others start: of both principals, in alternation.
  await clock.advance(100);
  expect([startedCount, names.length]).toEqual([12, 3]);
  await clock.advance(100);
  await Promise.all(others);
  expect(startedCount).toBe(18);
});
