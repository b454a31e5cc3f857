import { expect, test } from 'vitest';
import { nextCronDelayMs } from '../src/sweep-schedule.ts';
import { CleanerSetup, hourMs } from './cleaner-builder.ts';

test('sweeps after the initial delay and then every period, with a little jitter', async () => {
  const setup = new CleanerSetup();
  setup.cleaner.start();
  await setup.clock.advance(999);
  expect(setup.cleaner.status.lastSweep).toBeUndefined();
  await setup.clock.advance(1);
  const firstMs = setup.cleaner.status.lastSweep!.startTimeMs;
  await setup.clock.advance(hourMs * 0.949);
  expect(setup.cleaner.status.lastSweep!.startTimeMs).toBe(firstMs);
  await setup.clock.advance(hourMs * 0.11);
  const elapsedMs = setup.cleaner.status.lastSweep!.startTimeMs - firstMs;
  expect(elapsedMs).toBeGreaterThan(hourMs * 0.949);
  expect(elapsedMs).toBeLessThan(hourMs * 1.051);
  await setup.cleaner.stop();
});

test('a schedule of sweeps is not moved by a clock that is set back', async () => {
  const setup = new CleanerSetup();
  setup.cleaner.start();
  await setup.clock.advance(1000);
  const first = setup.cleaner.status.lastSweep;
  setup.clock.stepWallClock(-24 * hourMs);
  await setup.clock.advance(hourMs * 1.06);
  expect(setup.cleaner.status.lastSweep).not.toBe(first);
  await setup.cleaner.stop();
});

test('a schedule of sweeps may be a cron expression, in UTC', () => {
  const nowMs = Date.UTC(2026, 2, 1, 3, 0);
  expect(nextCronDelayMs('15 3 * * *', nowMs)).toBe(15 * 60_000);
  expect(() => nextCronDelayMs('99 3 * * *', nowMs)).toThrow(
    expect.objectContaining({ code: 'INVALID_SETTING' }),
  );
});
