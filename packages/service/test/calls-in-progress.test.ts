import { QuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { CallsInProgress } from '../src/calls-in-progress.ts';

test('work that a call starts after a shutdown has aborted the calls is aborted as well', async () => {
  const calls = new CallsInProgress(new ManualClock());
  const early = new AbortController();
  const [earlyWork, lateWork] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  early.signal.addEventListener('abort', () => earlyWork.resolve());
  calls.follow(earlyWork.promise, early);
  await calls.drain(0, AbortSignal.abort());
  const late = new AbortController();
  late.signal.addEventListener('abort', () => lateWork.resolve());
  calls.follow(lateWork.promise, late);
  await calls.settled();
  expect(early.signal.reason).toBeInstanceOf(QuireError);
  expect(late.signal.reason).toBe(early.signal.reason);
});
