import { QuireError } from '@quire/core';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { ExpiryJob, type ExpiryJobOptions } from '../src/expiry-job.ts';

let clock: ManualClock;
/** `url at` of the beginning of each run, in seconds. */
let runs: string[];

beforeEach(() => {
  clock = new ManualClock();
  runs = [];
});

function jobOf(options: Partial<ExpiryJobOptions> = {}): ExpiryJob {
  return new ExpiryJob({
    deleteExpired: async (url) => {
      runs.push(`${url} ${Math.round(clock.monotonicMs() / 1000)}`);
      return 1;
    },
    schedule: () => ({ periodMs: 60_000, initialDelayMs: 10_000 }),
    clock,
    random: { fraction: () => 0.5, bytes: (count) => new Uint8Array(count) }, // no jitter either way
    ...options,
  });
}

test('every broker is turned to after the initial delay and then once a period', async () => {
  await using job = jobOf();
  job.update(['a', 'b']);
  await clock.advance(130_000);
  expect(runs).toEqual(['a 10', 'b 10', 'a 70', 'b 70', 'a 130', 'b 130']);
});

test('runs of the brokers drift apart, and each period is at most a twentieth longer or shorter than it should be', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      [clock, runs] = [new ManualClock(), []];
      await using job = jobOf({
        random: new SeededRandom(seed),
        schedule: () => ({ periodMs: 60_000, initialDelayMs: 'random' }),
      });
      job.update(['a', 'b']);
      await clock.advance(600_000);
      const times = (url: string): number[] =>
        runs.filter((run) => run.startsWith(url)).map((run) => Number(run.slice(2)));
      const gaps = ['a', 'b'].flatMap((url) =>
        times(url).flatMap((time, index, all) => time - (all[index - 1] ?? time - 60)),
      );
      expect(gaps.every((gap) => gap >= 56 && gap <= 64)).toBe(true);
      expect(times('a')).not.toEqual(times('b'));
    }),
    { numRuns: 20 },
  );
});

test('one that hangs delays nobody else, and its own runs never overlap', async () => {
  const hanging = Promise.withResolvers<number>();
  let inProgress = 0;
  await using job = jobOf({
    deleteExpired: async (url) => {
      runs.push(url);
      if (url !== 'hangs') return 0;
      inProgress += 1;
      expect(inProgress).toBe(1);
      try {
        return await hanging.promise;
      } finally {
        inProgress -= 1;
      }
    },
  });
  job.update(['hangs', 'good']);
  await clock.advance(310_000);
  expect(runs.filter((url) => url === 'good')).toHaveLength(6);
  expect(runs.filter((url) => url === 'hangs')).toHaveLength(1);

  // A run that exceeds the period is followed by the next one at once.
  hanging.resolve(0);
  await clock.advance(0);
  await clock.advance(0);
  expect(runs.filter((url) => url === 'hangs').length).toBeGreaterThanOrEqual(2);
});

test('one that fails is told of, and tried again with the next period', async () => {
  const logged: object[] = [];
  let isDown = true;
  await using job = jobOf({
    deleteExpired: async () => {
      if (isDown) throw new QuireError('BROKER_FAILED', 'No.');
      return 7;
    },
    log: { info: (members) => logged.push(members), warn: (members) => logged.push(members) },
  });
  job.update(['a']);
  await clock.advance(10_000);
  const failedMs = clock.nowMs();
  expect(job.statusOf('a')).toEqual({
    lastRunMs: failedMs,
    lastGoodRunMs: undefined,
    deletedCount: 0,
    error: expect.objectContaining({ message: 'No.' }),
  });
  isDown = false;
  await clock.advance(60_000);
  const goodMs = clock.nowMs();
  expect(job.statusOf('a')).toEqual({
    lastRunMs: goodMs,
    lastGoodRunMs: goodMs,
    deletedCount: 7,
    error: undefined,
  });
  expect(logged).toEqual([
    { broker: 'a', code: 'BROKER_FAILED', reason: 'No.' },
    { broker: 'a', deletedCount: 7, durationMs: 0 },
  ]);
});

test('brokers come and go while it runs', async () => {
  await using job = jobOf();
  job.update(['a', 'b']);
  await clock.advance(10_000);
  job.update(['b', 'c']);
  await clock.advance(65_000);
  expect(runs).toEqual(['a 10', 'b 10', 'c 20', 'b 70']);
});

test('a new period counts at once', async () => {
  let periodMs = 3_600_000;
  await using job = jobOf({ schedule: () => ({ periodMs, initialDelayMs: 10_000 }) });
  job.update(['a']);
  await clock.advance(20_000);
  periodMs = 30_000;
  job.reschedule();
  await clock.advance(60_000);
  expect(runs).toEqual(['a 10', 'a 20', 'a 50', 'a 80']);
});

test('a cron expression goes before the period, and one that names no moment falls back to it', async () => {
  let cron = '*/5 * * * *';
  await using job = jobOf({ schedule: () => ({ periodMs: 60_000, initialDelayMs: 10_000, cron }) });
  job.update(['a']);
  await clock.advance(310_000);
  cron = '0 0 31 2 *';
  await clock.advance(420_000);
  // Jitter of cron schedules is up to five seconds, here half of that.
  expect(runs).toEqual(['a 10', 'a 303', 'a 603', 'a 663', 'a 723']);
});

test('it stops in the middle of a run, and nothing runs any more', async () => {
  const job = jobOf({
    deleteExpired: (_url, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new QuireError('ABORTED', 'Stopped.')), {
          once: true,
        }),
      ),
  });
  job.update(['a']);
  await clock.advance(10_000);
  await job[Symbol.asyncDispose]();
  expect(clock.sleeperCount).toBe(0);
  expect(job.statusOf('a')).toEqual({
    lastRunMs: undefined,
    lastGoodRunMs: undefined,
    deletedCount: 0,
    error: undefined,
  });
});
