import { QuireError } from '@quire/core';
import type { SubtaskRecord, SubtaskState, TaskRecord } from '@quire/core/table-engine';
import { isFinal, nextTaskState, type TaskSignal, taskTransitions } from './task-transitions.ts';

/** An event of a task or one of its subtasks. */
export type TaskEvent =
  | { readonly kind: 'started'; readonly index: number; readonly participant: string }
  | { readonly kind: 'done'; readonly index: number; readonly info: string }
  /** The subtask failed; unless that is final, it is retried. */
  | {
      readonly kind: 'failed';
      readonly index: number;
      readonly info: string;
      readonly isFinal: boolean;
    }
  | { readonly kind: 'timedOut'; readonly index: number; readonly info: string }
  /** The subtask was stopped, either with its task or because the process ended. */
  | { readonly kind: 'halted'; readonly index: number }
  | { readonly kind: 'stop' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'committed' }
  | { readonly kind: 'commitFailed'; readonly info: string };

/**
 * Returns the task after an event. An event without effect, such as one of a subtask whose task was
 * cancelled before, returns the same task.
 *
 * @throws CONFLICT when a task that has ended is to be cancelled
 */
export function applyTaskEvent(task: TaskRecord, event: TaskEvent, nowMs: number): TaskRecord {
  switch (event.kind) {
    case 'started': {
      if (task.subtasks[event.index]?.state !== 'WAITING' || !isActive(task)) return task;
      const { attemptCount } = subtaskAt(task, event.index);
      const started = withSubtask(task, event.index, {
        state: 'RUNNING',
        startedMs: nowMs,
        finishedMs: null,
        participant: event.participant,
        info: null,
        attemptCount: attemptCount + 1,
      });
      const next = task.state === 'NOT_STARTED' ? signalled(started, 'begin', nowMs) : started;
      return next.startedMs === null ? { ...next, startedMs: nowMs } : next;
    }
    case 'done':
      return settled(
        endRunning(task, event.index, { state: 'COMPLETED', info: event.info, finishedMs: nowMs }),
        nowMs,
      );
    case 'failed':
      return event.isFinal
        ? ended(
            task,
            event.index,
            { state: 'TASK_ERROR', info: event.info, finishedMs: nowMs },
            'fail',
            nowMs,
          )
        : settled(endRunning(task, event.index, { state: 'WAITING', info: event.info }), nowMs);
    case 'timedOut':
      return ended(
        task,
        event.index,
        { state: 'TIMED_OUT', info: event.info, finishedMs: nowMs },
        'timeOut',
        nowMs,
      );
    case 'halted': {
      const isOver = task.state === 'FAILING' || task.state === 'TIMING_OUT';
      const halted = isOver
        ? { state: 'TASK_ABORTED' as const, finishedMs: nowMs }
        : { state: 'WAITING' as const, startedMs: null };
      return settled(endRunning(task, event.index, halted), nowMs);
    }
    case 'stop':
      return isActive(task) ? settled(signalled(task, 'stop', nowMs), nowMs) : task;
    case 'resume':
      return task.state === 'STOPPED' ? signalled(task, 'resume', nowMs) : task;
    case 'cancel': {
      if (isFinal(task.state)) {
        throw new QuireError(
          'CONFLICT',
          `Task ${task.taskName} has ended already: it is ${task.state}.`,
        );
      }
      return cancelRest(signalled(task, 'cancel', nowMs), nowMs);
    }
    case 'committed':
      return isReadyToCommit(task) ? signalled(task, 'complete', nowMs) : task;
    case 'commitFailed': {
      if (!isReadyToCommit(task)) return task;
      // No output became visible, so no subtask counts as completed; each has the reason.
      const subtasks = task.subtasks.map((each) => ({
        ...each,
        state: 'TASK_ERROR' as const,
        info: event.info,
      }));
      return settled(signalled({ ...task, subtasks }, 'fail', nowMs), nowMs);
    }
  }
}

/** Reports whether its subtasks may be started. */
export function isActive({ state }: TaskRecord): boolean {
  return state === 'NOT_STARTED' || state === 'IN_PROGRESS';
}

/** Reports whether all of its subtasks are done, so that only the commit is left. */
export function isReadyToCommit({ state, subtasks }: TaskRecord): boolean {
  return state === 'IN_PROGRESS' && subtasks.every((subtask) => subtask.state === 'COMPLETED');
}

function signalled(task: TaskRecord, signal: TaskSignal, nowMs: number): TaskRecord {
  const state = nextTaskState(task.state, signal);
  return { ...task, state, finishedMs: isFinal(state) ? nowMs : null };
}

/** Applies a change to a subtask; events of a subtask that no longer runs are ignored. */
function endRunning(
  task: TaskRecord,
  index: number,
  change: Partial<SubtaskRecord> & { readonly state: SubtaskState },
): TaskRecord {
  return task.subtasks[index]?.state === 'RUNNING' ? withSubtask(task, index, change) : task;
}

/**
 * Ends a subtask in a way that ends its task. A task that is ending already keeps the state that it
 * ends in.
 */
function ended(
  task: TaskRecord,
  index: number,
  change: Partial<SubtaskRecord> & { readonly state: SubtaskState },
  signal: 'fail' | 'timeOut',
  nowMs: number,
): TaskRecord {
  const next = endRunning(task, index, change);
  if (next === task) return task;
  const endsTask = taskTransitions[next.state][signal] !== undefined;
  return settled(endsTask ? signalled(next, signal, nowMs) : next, nowMs);
}

/** Settles a task that is ending once none of its subtasks runs. */
function settled(task: TaskRecord, nowMs: number): TaskRecord {
  const isEnding =
    task.state === 'STOPPING' || task.state === 'FAILING' || task.state === 'TIMING_OUT';
  if (!isEnding || task.subtasks.some(({ state }) => state === 'RUNNING')) return task;
  const next = signalled(task, 'settle', nowMs);
  return next.state === 'STOPPED' ? next : cancelRest(next, nowMs);
}

function cancelRest(task: TaskRecord, nowMs: number): TaskRecord {
  const subtasks = task.subtasks.map((subtask): SubtaskRecord => {
    if (subtask.state === 'WAITING') return { ...subtask, state: 'DROPPED', finishedMs: nowMs };
    return subtask.state === 'RUNNING'
      ? { ...subtask, state: 'TASK_ABORTED', finishedMs: nowMs }
      : subtask;
  });
  return { ...task, subtasks };
}

function subtaskAt({ subtasks }: TaskRecord, index: number): SubtaskRecord {
  const subtask = subtasks[index];
  if (subtask === undefined) throw new QuireError('INTERNAL', `There is no subtask ${index}.`);
  return subtask;
}

function withSubtask(task: TaskRecord, index: number, change: Partial<SubtaskRecord>): TaskRecord {
  return { ...task, subtasks: task.subtasks.with(index, { ...subtaskAt(task, index), ...change }) };
}
