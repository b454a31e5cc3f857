import { abortError, type Clock, QuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { Deadline, withDeadline } from '@quire/core/wait';
import { describe, expect, it } from 'vitest';

const timedOut = (timeoutMs: number): QuireError =>
  new QuireError('QUERY_TIMED_OUT', `It took longer than ${timeoutMs} ms.`);

/** Rejects with the reason of the signal, as a correct engine does. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(abortError(signal))),
  );
}

/** Returns the error that a promise rejects with. */
function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('withDeadline', () => {
  it('withDeadline gives what the task gives, and leaves no timer behind', async () => {
    const clock = new ManualClock();
    expect(
      await withDeadline({ clock, timeoutMs: 1000, error: timedOut }, () =>
        Promise.resolve('done'),
      ),
    ).toBe('done');
    expect(clock.sleeperCount).toBe(0);
  });

  it('withDeadline aborts the task once the time is over', async () => {
    const clock = new ManualClock();
    const failing = errorOf(
      withDeadline({ clock, timeoutMs: 1000, error: timedOut }, untilAborted),
    );
    await clock.advance(999);
    expect(clock.sleeperCount).toBe(1);
    await clock.advance(1);
    expect(await failing).toMatchObject({
      code: 'QUERY_TIMED_OUT',
      message: 'It took longer than 1000 ms.',
    });
  });

  it('withDeadline says that the time is over, whatever the task makes of being aborted', async () => {
    const clock = new ManualClock();
    const task = (signal: AbortSignal) =>
      untilAborted(signal).catch(() => Promise.reject(new QuireError('QUERY_FAILED', 'INTERRUPT')));
    const failing = errorOf(withDeadline({ clock, timeoutMs: 1000, error: timedOut }, task));
    await clock.advance(1000);
    expect(await failing).toMatchObject({ code: 'QUERY_TIMED_OUT' });
  });

  it('withDeadline hands on the abort of the caller, with its reason', async () => {
    const clock = new ManualClock();
    const caller = new AbortController();
    const failing = withDeadline(
      { clock, timeoutMs: 1000, signal: caller.signal, error: timedOut },
      untilAborted,
    );
    caller.abort(new QuireError('SHUTTING_DOWN', 'Bye.'));
    await expect(failing).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    expect(clock.sleeperCount).toBe(0);
  });

  it('withDeadline does not hide a failure of the task', async () => {
    const failing = withDeadline(
      { clock: new ManualClock(), timeoutMs: 1000, error: timedOut },
      () => Promise.reject(new QuireError('TABLE_NOT_FOUND', 'No t.')),
    );
    await expect(failing).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
  });
});

describe('Deadline', () => {
  it('Deadline makes a QuireError of whatever the given signal was aborted with, before or after', () => {
    const caller = new AbortController();
    const cause = new Error('the client hung up');
    using before = new Deadline({
      clock: new ManualClock(),
      signal: caller.signal,
      error: timedOut,
    });
    caller.abort(cause);
    using after = new Deadline({
      clock: new ManualClock(),
      signal: caller.signal,
      error: timedOut,
    });
    expect(before.signal.reason).toMatchObject({ code: 'ABORTED', cause });
    expect(after.signal.reason).toMatchObject({ code: 'ABORTED', cause });
    expect([before.isOver, after.isOver]).toEqual([false, false]);
  });

  it('Deadline counts from the last start only, and not while it is stopped', async () => {
    const clock = new ManualClock();
    using deadline = new Deadline({ clock, error: timedOut });
    await clock.advance(500); // not started
    deadline.start(100);
    await clock.advance(99);
    deadline.start(100);
    await clock.advance(99);
    deadline.stop();
    await clock.advance(500);
    expect([deadline.isOver, clock.sleeperCount]).toEqual([false, 0]);
    deadline.start(100);
    await clock.advance(100);
    expect(deadline.isOver).toBe(true);
    expect(deadline.signal.reason).toMatchObject({
      code: 'QUERY_TIMED_OUT',
      message: 'It took longer than 100 ms.',
    });
  });

  it('Deadline is over in time when a shorter time begins while a longer one is slept through', async () => {
    const clock = new ManualClock();
    using deadline = new Deadline({ clock, timeoutMs: 1000, error: timedOut });
    deadline.start(10);
    await clock.advance(10);
    expect(deadline.isOver).toBe(true);
    expect(clock.sleeperCount).toBe(0);
  });

  it('Deadline rejects a wait when the time is over, whatever becomes of the work', async () => {
    const clock = new ManualClock();
    using deadline = new Deadline({ clock, error: timedOut });
    const waiting = errorOf(deadline.wait(10, () => new Promise(() => undefined)));
    await clock.advance(10);
    expect(await waiting).toMatchObject({ code: 'QUERY_TIMED_OUT' });
  });

  it('Deadline is over, with INTERNAL, when the clock fails', async () => {
    const broken: Clock = {
      nowMs: () => 0,
      monotonicMs: () => 0,
      sleep: () => Promise.reject(new Error('broken')),
    };
    const failing = withDeadline({ clock: broken, timeoutMs: 10, error: timedOut }, untilAborted);
    await expect(failing).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('Deadline forgets timer and signal when it is disposed of', async () => {
    const clock = new ManualClock();
    const caller = new AbortController();
    const deadline = new Deadline({ clock, timeoutMs: 10, signal: caller.signal, error: timedOut });
    deadline[Symbol.dispose]();
    caller.abort();
    await clock.advance(10);
    expect([deadline.signal.aborted, clock.sleeperCount]).toEqual([false, 0]);
  });
});
