import { expect, test } from 'vitest';
import { describeSweep } from '../src/cleaner/describe-sweep.ts';

const none = { count: 0, bytes: 0 };
const idle = { wanted: none, freed: none, failed: none, skipped: none };
const empty = {
  trigger: 'once' as const,
  isDryRun: true,
  startTimeMs: 0,
  durationMs: 5,
  isGood: true,
  isStopped: false,
  brokers: [],
  leftovers: idle,
};

test('the summary of a sweep says that a store holds no results, and that it was stopped', () => {
  expect(describeSweep(empty, () => undefined)).toBe('The store holds no results.\n');
  expect(describeSweep({ ...empty, isStopped: true }, () => undefined)).toBe(
    'The store holds no results.\nStopped before the end.\n',
  );
});

test('the summary of a sweep without expired results says how many are left', () => {
  const broker = {
    brokerId: 'Broker_a_1',
    resultCount: 1200,
    usageStartBytes: 2048,
    usageEndBytes: 2048,
    quotaBytes: 4096,
    expiry: idle,
    quota: idle,
    orphans: idle,
    owners: [],
    oldestLiveMs: undefined,
    sparedBytes: 0,
  };
  expect(describeSweep({ ...empty, brokers: [broker] }, () => undefined)).toBe(
    'Broker_a_1: 2 KiB → 2 KiB, 1,200 results left, quota 4 KiB\n',
  );
});
