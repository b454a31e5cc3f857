import { systemClock, systemRandom } from '@quire/core';
import { afterEach, describe, expect, test, vi } from 'vitest';

describe('systemClock', () => {
  test('systemClock sleeps, and monotonic time has passed', async () => {
    const startMs = systemClock.monotonicMs();
    await systemClock.sleep(1);
    expect(systemClock.monotonicMs()).toBeGreaterThan(startMs);
  });

  test('an aborted sleep is ABORTED, at once', async () => {
    await expect(systemClock.sleep(3_600_000, AbortSignal.abort())).rejects.toMatchObject({
      code: 'ABORTED',
    });
    const controller = new AbortController();
    const sleeping = systemClock.sleep(3_600_000, controller.signal);
    controller.abort();
    await expect(sleeping).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('a sleep that is longer than any timer', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('a sleep that is longer than any timer lasts as long as it should, not a moment only, and can be aborted on the way', async () => {
    // A sweep every thirty days needs long timers; Node fires a timer of more than 2^31 - 1 ms
    // immediately.
    vi.useFakeTimers();
    const dayMs = 86_400_000;
    const abort = new AbortController();
    const events: string[] = [];
    const sleeping = systemClock.sleep(60 * dayMs).then(() => events.push('woke'));
    const aborted = systemClock.sleep(60 * dayMs, abort.signal).catch(() => events.push('aborted'));

    await vi.advanceTimersByTimeAsync(59 * dayMs);
    expect(events).toEqual([]);
    abort.abort();
    await aborted;
    await vi.advanceTimersByTimeAsync(dayMs);
    await sleeping;
    expect(events).toEqual(['aborted', 'woke']);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('systemRandom', () => {
  test('systemRandom gives as many bytes as asked for, and fractions in [0, 1)', () => {
    expect(systemRandom.bytes(0)).toEqual(new Uint8Array(0));
    expect(systemRandom.bytes(64)).toHaveLength(64);
    expect(systemRandom.bytes(64)).not.toEqual(systemRandom.bytes(64));
    const texts = Array.from({ length: 1000 }, () =>
      Buffer.from(systemRandom.bytes(16)).toString('hex'),
    );
    expect(new Set(texts).size).toBe(1000);
    expect(texts).not.toContain('0'.repeat(32));
    for (let index = 0; index < 100; index += 1) {
      const fraction = systemRandom.fraction();
      expect(fraction >= 0 && fraction < 1).toBe(true);
    }
  });
});
