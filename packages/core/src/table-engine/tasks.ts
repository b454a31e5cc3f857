import type { JsonValue } from '../lossless-json.ts';

/** States of a task (SPECIFICATION.md section 3). */
export const taskStates = [
  'NOT_STARTED',
  'IN_PROGRESS',
  'STOPPING',
  'STOPPED',
  'FAILING',
  'FAILED',
  'TIMING_OUT',
  'TIMED_OUT',
  'ABORTED',
  'COMPLETED',
] as const;
/** The state of a task. */
export type TaskState = (typeof taskStates)[number];

/** States of a subtask, as the open peer names them. */
export const subtaskStates = [
  'WAITING',
  'RUNNING',
  'COMPLETED',
  'TASK_ERROR',
  'TIMED_OUT',
  'TASK_ABORTED',
  'DROPPED',
  'UNKNOWN',
] as const;
/** The state of a subtask. */
export type SubtaskState = (typeof subtaskStates)[number];

/**
 * How a task came about: by the schedule of its table, by a call that schedules it, or by a call
 * that brings its own config.
 */
export type TaskTrigger = 'CRON_TRIGGER' | 'MANUAL_TRIGGER' | 'ADHOC_TRIGGER';

/** A subtask, its state and what came of it. */
export interface SubtaskRecord {
  /** `<task name>_<index>`. */
  readonly subtaskId: string;
  readonly state: SubtaskState;
  readonly startedMs: number | null;
  readonly finishedMs: number | null;
  /** Who works on it, or did; null before it is given to anybody. */
  readonly participant: string | null;
  /** What it did, or the whole reason why it failed; null before there is something to say. */
  readonly info: string | null;
  readonly attemptCount: number;
  /** How much of it is done, as a sentence, while it runs. */
  readonly progress: string | null;
  readonly configs: Readonly<Record<string, JsonValue>>;
}

/** A task, its state and its subtasks. */
export interface TaskRecord {
  /** `Task_<type>_<id>`. */
  readonly taskName: string;
  readonly taskType: string;
  readonly tableNameWithType: string;
  readonly state: TaskState;
  readonly trigger: TaskTrigger | null;
  /** When it was made, began to run and came to its end, in epoch milliseconds; null until then. */
  readonly createdMs: number | null;
  readonly startedMs: number | null;
  readonly finishedMs: number | null;
  readonly subtasks: readonly SubtaskRecord[];
}

/** What came of a wish to schedule tasks: one entry for each table and type that was looked at. */
export interface ScheduledTasks {
  readonly scheduled: readonly {
    readonly taskType: string;
    readonly tableNameWithType: string;
    readonly taskName: string;
  }[];
  /** Tables for which there was nothing to do, and why. */
  readonly skipped: readonly {
    readonly taskType: string;
    readonly tableNameWithType: string;
    readonly reason: string;
  }[];
  readonly errors: readonly {
    readonly taskType: string;
    readonly tableNameWithType: string;
    readonly message: string;
  }[];
}
