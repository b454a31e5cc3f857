import { QuireError } from '@quire/core';
import type { TaskState } from '@quire/core/table-engine';

/** A signal to a whole task. `settle` means that none of its subtasks runs any more. */
export type TaskSignal =
  | 'begin'
  | 'stop'
  | 'resume'
  | 'fail'
  | 'timeOut'
  | 'settle'
  | 'cancel'
  | 'complete';

/**
 * The transitions between the states of a task. There are no others, and a model test checks the
 * code against them.
 *
 * A task that is ending is STOPPING, FAILING or TIMING_OUT while some of its subtasks run, and then
 * STOPPED, FAILED or TIMED_OUT. A failure while it stops or times out makes it FAILED: every task
 * with a failed subtask is, unless it was cancelled. Cancelling ends a task at once. COMPLETED is
 * set by the change that makes its outputs visible.
 */
export const taskTransitions: Readonly<
  Record<TaskState, Readonly<Partial<Record<TaskSignal, TaskState>>>>
> = {
  NOT_STARTED: { begin: 'IN_PROGRESS', stop: 'STOPPED', cancel: 'ABORTED' },
  IN_PROGRESS: {
    stop: 'STOPPING',
    fail: 'FAILING',
    timeOut: 'TIMING_OUT',
    complete: 'COMPLETED',
    cancel: 'ABORTED',
  },
  STOPPING: { settle: 'STOPPED', fail: 'FAILING', timeOut: 'TIMING_OUT', cancel: 'ABORTED' },
  STOPPED: { resume: 'IN_PROGRESS', cancel: 'ABORTED' },
  FAILING: { settle: 'FAILED', cancel: 'ABORTED' },
  TIMING_OUT: { settle: 'TIMED_OUT', fail: 'FAILING', cancel: 'ABORTED' },
  FAILED: {},
  TIMED_OUT: {},
  ABORTED: {},
  COMPLETED: {},
};

/** Returns the state that a signal leads to. @throws INTERNAL when there is no such transition */
export function nextTaskState(state: TaskState, signal: TaskSignal): TaskState {
  const next = taskTransitions[state][signal];
  if (next === undefined) {
    throw new QuireError(
      'INTERNAL',
      `A task that is ${state} does not accept the signal ${signal}.`,
    );
  }
  return next;
}

/** Reports whether a state has no transitions. */
export function isFinal(state: TaskState): boolean {
  return Object.keys(taskTransitions[state]).length === 0;
}
