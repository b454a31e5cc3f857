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
 * The trigger of a task: the schedule of its table, a call that schedules it, or a call that
 * supplies its config.
 */
export type TaskTrigger = 'CRON_TRIGGER' | 'MANUAL_TRIGGER' | 'ADHOC_TRIGGER';

/** A subtask, its state and its outcome. */
export interface SubtaskRecord {
  /** `<task name>_<index>`. */
  readonly subtaskId: string;
  readonly state: SubtaskState;
  readonly startedMs: number | null;
  readonly finishedMs: number | null;
  /** The worker that runs or ran it; null before it is assigned. */
  readonly participant: string | null;
  /** The outcome, or the complete reason for its failure; null until there is one. */
  readonly info: string | null;
  readonly attemptCount: number;
  /** Its progress as a sentence while it runs. */
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
  /** The times of creation, start and end, in epoch milliseconds; null until then. */
  readonly createdMs: number | null;
  readonly startedMs: number | null;
  readonly finishedMs: number | null;
  readonly subtasks: readonly SubtaskRecord[];
}

/**
 * The outcome of a request to schedule tasks: one entry for each table and type that was examined.
 */
export interface ScheduledTasks {
  readonly scheduled: readonly {
    readonly taskType: string;
    readonly tableNameWithType: string;
    readonly taskName: string;
  }[];
  /** Tables without work, and the reason. */
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
