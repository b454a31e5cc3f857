import { abortError, QuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { describe, expect, it } from 'vitest';
import { withDeadline } from '../src/with-deadline.ts';

const never = new AbortController().signal;

/** Fails with what the signal says, as a well-behaved engine does. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(abortError(signal))));
}

/** What a promise rejects with. */
function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('withDeadline', () => {
  it('gives what the task gives, and leaves no timer behind', async () => {
    const clock = new ManualClock();
    expect(await withDeadline(clock, 1000, never, () => Promise.resolve('done'))).toBe('done');
    expect(clock.sleeperCount).toBe(0);
  });

  it('aborts the task once the time is over', async () => {
    const clock = new ManualClock();
    const failing = errorOf(withDeadline(clock, 1000, never, untilAborted));
    await clock.advance(1000);
    expect(await failing).toMatchObject({ code: 'QUERY_TIMED_OUT', message: 'The query took longer than its 1000 ms.' });
  });

  it('says that the time is over, whatever the task makes of being aborted', async () => {
    const clock = new ManualClock();
    const task = (signal: AbortSignal) =>
      untilAborted(signal).catch(() => Promise.reject(new QuireError('QUERY_FAILED', 'INTERRUPT')));
    const failing = errorOf(withDeadline(clock, 1000, never, task));
    await clock.advance(1000);
    expect(await failing).toMatchObject({ code: 'QUERY_TIMED_OUT' });
  });

  it('hands on the abort of the caller, with its reason', async () => {
    const clock = new ManualClock();
    const caller = new AbortController();
    const failing = withDeadline(clock, 1000, caller.signal, untilAborted);
    caller.abort(new QuireError('SHUTTING_DOWN', 'Bye.'));
    await expect(failing).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    expect(clock.sleeperCount).toBe(0);
  });

  it('does not hide a failure of the task', async () => {
    const failing = withDeadline(new ManualClock(), 1000, never, () =>
      Promise.reject(new QuireError('TABLE_NOT_FOUND', 'No t.')),
    );
    await expect(failing).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
  });
});
