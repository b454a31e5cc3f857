import { QuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import {
  yieldToEventLoop,
  Sleeper,
  sleepUnlessAborted,
  TimeSlice,
  unlessAborted,
  untilAborted,
} from '@quire/core/wait';
import { describe, expect, it } from 'vitest';

describe('Sleeper', () => {
  it('Sleeper sleeps for as long as it is told to', async () => {
    const clock = new ManualClock();
    const sleeper = new Sleeper(clock);
    let isDone = false;
    const sleeping = sleeper.sleep(100).then(() => (isDone = true));
    await clock.advance(99);
    expect([isDone, sleeper.isAsleep]).toEqual([false, true]);
    await clock.advance(1);
    await sleeping;
    expect([sleeper.isAsleep, clock.sleeperCount]).toEqual([false, 0]);
  });

  it('Sleeper wakes at once, and sleeps again as before', async () => {
    const clock = new ManualClock();
    const sleeper = new Sleeper(clock);
    const sleeping = sleeper.sleep(100);
    sleeper.wake();
    await sleeping;
    expect([sleeper.isWoken, clock.sleeperCount]).toEqual([false, 0]);
    const again = sleeper.sleep(100);
    await clock.advance(100);
    await again;
  });

  it('Sleeper does not begin a sleep when it was woken before, once', async () => {
    const sleeper = new Sleeper(new ManualClock());
    sleeper.wake();
    sleeper.wake();
    expect(sleeper.isWoken).toBe(true);
    await sleeper.sleep(100);
    expect(sleeper.isWoken).toBe(false);
  });

  it('Sleeper ends with the reason of a signal', async () => {
    const sleeper = new Sleeper(new ManualClock());
    const stop = new AbortController();
    const sleeping = sleeper.sleep(100, stop.signal);
    stop.abort(new QuireError('SHUTTING_DOWN', 'Bye.'));
    await expect(sleeping).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    expect(sleeper.isAsleep).toBe(false);
  });
});

describe('unlessAborted', () => {
  it('unlessAborted gives the outcome, or the abort that comes first', async () => {
    const stop = new AbortController();
    expect(await unlessAborted(Promise.resolve('done'), stop.signal)).toBe('done');
    const waiting = unlessAborted(new Promise(() => undefined), stop.signal);
    stop.abort('enough');
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' });
  });

  it('unlessAborted tells nobody of a failure that comes after the abort', async () => {
    const failing = Promise.reject(new Error('too late'));
    await expect(unlessAborted(failing, AbortSignal.abort())).rejects.toMatchObject({
      code: 'ABORTED',
    });
    await yieldToEventLoop(); // an unhandled rejection would fail the run
  });
});

describe('waits that an abort ends', () => {
  it('a wait that an abort ends resolves then', async () => {
    const clock = new ManualClock();
    const stop = new AbortController();
    const waits = [sleepUnlessAborted(clock, 100, stop.signal), untilAborted(stop.signal)];
    stop.abort();
    await Promise.all([
      ...waits,
      untilAborted(stop.signal),
      sleepUnlessAborted(clock, 100, stop.signal),
    ]);
    expect(clock.sleeperCount).toBe(0);
  });
});

describe('TimeSlice', () => {
  it('TimeSlice is over after a few milliseconds, and begins again once others had their turn', async () => {
    const clock = new ManualClock();
    const slice = new TimeSlice(clock);
    await clock.advance(4);
    expect(slice.isDue).toBe(false);
    await clock.advance(1);
    expect(slice.isDue).toBe(true);
    let hadTurn = false;
    setImmediate(() => (hadTurn = true));
    await slice.yield();
    expect([hadTurn, slice.isDue]).toEqual([true, false]);
  });

  it('TimeSlice notices an abort between two slices', async () => {
    await expect(
      new TimeSlice(new ManualClock(), AbortSignal.abort()).yield(),
    ).rejects.toMatchObject({ code: 'ABORTED' });
  });
});
