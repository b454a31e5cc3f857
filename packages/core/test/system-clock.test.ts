import { systemClock, systemRandom } from '@quire/core';
import { describe, expect, test } from 'vitest';

describe('systemClock', () => {
  test('sleeps, and monotonic time has passed', async () => {
    const startMs = systemClock.monotonicMs();
    await systemClock.sleep(1);
    expect(systemClock.monotonicMs()).toBeGreaterThan(startMs);
  });

  test('an aborted sleep is ABORTED, at once', async () => {
    await expect(systemClock.sleep(3_600_000, AbortSignal.abort())).rejects.toMatchObject({ code: 'ABORTED' });
    const controller = new AbortController();
    const sleeping = systemClock.sleep(3_600_000, controller.signal);
    controller.abort();
    await expect(sleeping).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('systemRandom', () => {
  test('gives as many bytes as asked for, and fractions in [0, 1)', () => {
    expect(systemRandom.bytes(0)).toEqual(new Uint8Array(0));
    expect(systemRandom.bytes(64)).toHaveLength(64);
    expect(systemRandom.bytes(64)).not.toEqual(systemRandom.bytes(64));
    for (let index = 0; index < 100; index += 1) {
      const fraction = systemRandom.fraction();
      expect(fraction >= 0 && fraction < 1).toBe(true);
    }
  });
});
