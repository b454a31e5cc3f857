import { ManualClock } from '@quire/core/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CallLimits, type CallLimitSettings, type Principal } from '../src/index.ts';
import { TokenBuckets } from '../src/token-buckets.ts';

const ann: Principal = { name: 'ann', role: 'query' };
const bob: Principal = { name: 'bob', role: 'query' };
const unlimited = {
  callsPerSecondMax: Infinity,
  callsRunningMax: Infinity,
  failuresPerMinuteMax: Infinity,
};

function limitsOf(settings: Partial<CallLimitSettings>): {
  limits: CallLimits;
  clock: ManualClock;
} {
  const clock = new ManualClock();
  return { limits: new CallLimits(() => ({ ...unlimited, ...settings }), clock), clock };
}

function admit(limits: CallLimits, principal: Principal): number {
  const admission = limits.admit(principal);
  if (admission.isAdmitted) admission.release();
  return admission.isAdmitted ? 0 : admission.retryAfterMs;
}

describe('calls a second', () => {
  test('as many calls a second as the rate allows come through at once, the next one when a second has given room for it; others are not affected', async () => {
    const { limits, clock } = limitsOf({ callsPerSecondMax: 4 });
    expect([1, 2, 3, 4, 5].map(() => admit(limits, ann))).toEqual([0, 0, 0, 0, 250]);
    expect(admit(limits, bob)).toBe(0);
    await clock.advance(249);
    expect(admit(limits, ann)).toBe(1);
    await clock.advance(1);
    expect([admit(limits, ann), admit(limits, ann)]).toEqual([0, 250]);
  });

  test('a refusal says which limit it was', () => {
    const { limits } = limitsOf({ callsPerSecondMax: 1 });
    limits.admit(ann);
    expect(limits.admit(ann)).toEqual({
      isAdmitted: false,
      retryAfterMs: 1000,
      problem: 'has exceeded its calls per second (engine.auth.limit.requestsPerSecond = 1)',
    });
  });

  test('in any span of time, no more calls come through than the rate gives and a burst', () => {
    const steps = fc.array(fc.record({ waitMs: fc.nat(400), calls: fc.nat(6) }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), steps, (perSecond, waits) => {
        const buckets = new TokenBuckets(10);
        const rate = { capacity: perSecond, perMs: perSecond / 1000 };
        let nowMs = 0;
        let admitted = 0;
        for (const { waitMs, calls } of waits) {
          nowMs += waitMs;
          for (let call = 0; call < calls; call += 1) {
            const retryAfterMs = buckets.take('ann', rate, nowMs);
            if (retryAfterMs === 0) admitted += 1;
            expect(
              retryAfterMs === 0 || buckets.waitMs('ann', rate, nowMs + retryAfterMs) === 0,
            ).toBe(true);
          }
          expect(admitted).toBeLessThanOrEqual(perSecond + (nowMs * perSecond) / 1000 + 1e-6);
        }
      }),
    );
  });
});

test('calls at the same time: the next one comes in when one has ended, even if it ended twice over for another', () => {
  const { limits } = limitsOf({ callsRunningMax: 2 });
  const running = [limits.admit(ann), limits.admit(ann)];
  expect(limits.admit(ann)).toEqual({
    isAdmitted: false,
    retryAfterMs: 1000,
    problem: 'has 2 calls in progress (engine.auth.limit.concurrency = 2)',
  });
  expect(admit(limits, bob)).toBe(0);
  for (const admission of running) if (admission.isAdmitted) admission.release();
  expect(
    [limits.admit(ann), limits.admit(ann), limits.admit(ann)].map(({ isAdmitted }) => isAdmitted),
  ).toEqual([true, true, false]);
});

describe('work that goes on after its call', () => {
  const call = (limits: CallLimits, principal = ann) => {
    const admission = limits.admit(principal);
    if (!admission.isAdmitted) throw new Error(admission.problem);
    return admission;
  };
  const work = () => Promise.withResolvers<void>();

  test('work that goes on after its call counts its principal until it ends, for further work, and not for calls that start none', async () => {
    const { limits } = limitsOf({ callsRunningMax: 2 });
    const queries = [work(), work()];
    for (const { promise } of queries) {
      const started = call(limits);
      expect(started.refuseWork()).toBeUndefined();
      started.follow(promise);
      started.release();
    }
    const third = call(limits);
    expect(third.refuseWork()).toEqual({
      retryAfterMs: 1000,
      problem:
        'has 1 call in progress, and 2 earlier calls whose queries or other work are still running (engine.auth.limit.concurrency = 2)',
    });
    expect(call(limits, bob).refuseWork()).toBeUndefined();
    queries[0]?.resolve();
    await queries[0]?.promise;
    await Promise.resolve();
    expect(third.refuseWork()).toBeUndefined();
  });

  test('work that goes on after its call counts once with its call while both are under way, whatever ends first', async () => {
    const { limits } = limitsOf({ callsRunningMax: 2 });
    const [first, second] = [work(), work()];
    const starting = call(limits);
    starting.follow(first.promise);
    starting.follow(second.promise);
    expect(call(limits).refuseWork()).toBeUndefined();
    first.resolve();
    await first.promise;
    starting.release();
    expect(call(limits).refuseWork()).toMatchObject({
      problem: expect.stringContaining('2 calls in progress, and 1 earlier'),
    });
  });

  test('work that goes on after its call counts also when it starts after its call has broken off', async () => {
    const { limits } = limitsOf({ callsRunningMax: 1 });
    const late = work();
    const broken = call(limits);
    broken.release();
    broken.follow(late.promise);
    const next = call(limits);
    expect(next.refuseWork()).toMatchObject({ retryAfterMs: 1000 });
    late.resolve();
    await late.promise;
    await Promise.resolve();
    expect(next.refuseWork()).toBeUndefined();
  });
});

describe('wrong credentials', () => {
  const attempt = (limits: CallLimits, address: string, header: string): number => {
    const waitMs = limits.retryAfterFailuresMs(address, header);
    if (waitMs === 0) limits.countFailure(address, header);
    return waitMs;
  };

  test('wrong credentials from one address are looked at so many times a minute', async () => {
    const { limits, clock } = limitsOf({ failuresPerMinuteMax: 2 });
    expect(['a', 'b', 'c'].map((guess) => attempt(limits, '10.0.0.1', guess))).toEqual([
      0, 0, 30_000,
    ]);
    expect(attempt(limits, '10.0.0.2', 'a')).toBe(0);
    await clock.advance(30_000);
    expect(['d', 'e'].map((guess) => attempt(limits, '10.0.0.1', guess))).toEqual([0, 30_000]);
  });

  test('wrong credentials do not keep out a caller that has recently proven itself, from behind the same address', () => {
    const { limits } = limitsOf({ failuresPerMinuteMax: 1 });
    limits.countSuccess('Bearer good');
    attempt(limits, '10.0.0.1', 'Bearer guess');
    expect(limits.retryAfterFailuresMs('10.0.0.1', 'Bearer good')).toBe(0);
    expect(limits.retryAfterFailuresMs('10.0.0.1', 'Bearer guess')).toBe(60_000);
    // A valid credential is treated as a guess once it has failed.
    limits.countFailure('10.0.0.1', 'Bearer good');
    expect(limits.retryAfterFailuresMs('10.0.0.1', 'Bearer good')).toBe(60_000);
  });

  test('wrong credentials of clients that have gone, whose address is not known any more, count as those of one', () => {
    const { limits } = limitsOf({ failuresPerMinuteMax: 1 });
    limits.countFailure(undefined, 'Bearer guess');
    expect(limits.retryAfterFailuresMs(undefined, 'Bearer guess')).toBe(60_000);
    expect(limits.retryAfterFailuresMs('10.0.0.1', 'Bearer guess')).toBe(0);
  });

  test('wrong credentials do not count calls without credentials', () => {
    const { limits } = limitsOf({ failuresPerMinuteMax: 1 });
    for (const _ of [1, 2, 3]) limits.countFailure('10.0.0.1', undefined);
    expect(limits.retryAfterFailuresMs('10.0.0.1', 'Bearer x')).toBe(0);
  });

  test.each([
    ['2001:db8:1:2::1', '2001:DB8:1:2:ffff:ffff:ffff:ffff', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['fe80::1%eth0', 'fe80::2', true],
    ['::1', '::2', true],
    ['1::', '1:0:0:0:5::', true],
    ['::ffff:10.0.0.1', '10.0.0.1', true],
    ['::ffff:10.0.0.1', '::ffff:10.0.0.2', false],
  ])('wrong credentials from %s and %s count together: %s', (one, other, isSame) => {
    const { limits } = limitsOf({ failuresPerMinuteMax: 1 });
    attempt(limits, one, 'a');
    expect(attempt(limits, other, 'b') > 0).toBe(isSame);
  });
});

test('only so many keys are remembered, the one that was used last for the longest time', () => {
  const buckets = new TokenBuckets(2);
  const rate = { capacity: 1, perMs: 0.001 };
  for (const key of ['a', 'b', 'a', 'c']) buckets.take(key, rate, 0);
  expect(['a', 'b', 'c'].map((key) => buckets.waitMs(key, rate, 0))).toEqual([1000, 0, 1000]);
});
