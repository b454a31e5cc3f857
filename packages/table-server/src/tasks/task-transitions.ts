import { QuireError } from '@quire/core';
import type { TaskState } from '@quire/core/table-engine';

/** What happens to a task as a whole. `settle`: none of its subtasks is worked on any more. */
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
 * Every way from one state of a task to another; there are no others, and a model test holds the
 * code to it.
 *
 * A task whose work is to end is STOPPING, FAILING or TIMING_OUT as long as some of it still runs,
 * and then STOPPED, FAILED or TIMED_OUT. What fails while it stops, or while its time runs out, has
 * failed: a task with a failed subtask is FAILED, unless it was cancelled. Cancelling ends it at
 * once. COMPLETED comes with the change that makes its outputs appear.
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

/** The state that a signal leads to. @throws INTERNAL when the table has no such way */
export function nextTaskState(state: TaskState, signal: TaskSignal): TaskState {
  const next = taskTransitions[state][signal];
  if (next === undefined) {
    throw new QuireError('INTERNAL', `A task that is ${state} cannot take the signal ${signal}.`);
  }
  return next;
}

/** Whether nothing leads out of a state. */
export function isFinal(state: TaskState): boolean {
  return Object.keys(taskTransitions[state]).length === 0;
}
