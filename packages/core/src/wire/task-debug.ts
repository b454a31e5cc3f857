import type { SubtaskState, TaskState } from '../table-engine/tasks.ts';

/** The number of subtasks in each state; `total` is the sum of the others. */
export interface SubtaskCount {
  total: number;
  completed: number;
  running: number;
  waiting: number;
  error: number;
  unknown: number;
  dropped: number;
  timedOut: number;
  aborted: number;
}

/** A subtask of a task, as task debug shows it. */
export interface SubtaskInfo {
  taskId: string;
  state: SubtaskState;
  /** `yyyy-MM-dd HH:mm:ss z`; absent until it is known. */
  startTime?: string;
  /** `yyyy-MM-dd HH:mm:ss z`; absent until it is known. */
  finishTime?: string;
  /** The worker that runs or ran it. */
  participant?: string;
  /** The outcome, or the complete reason for its failure. */
  info?: string;
  /** CRON_TRIGGER, MANUAL_TRIGGER or ADHOC_TRIGGER; absent where it is not known. */
  triggeredBy?: string;
  taskConfig: {
    taskType: string;
    taskId: string;
    configs: Record<string, unknown>;
    /** The name with type. */
    tableName: string;
  };
}

/** The debug record of a task (SPECIFICATION.md section 2.2). */
export interface TaskDebug {
  taskState: TaskState;
  subtaskCount: SubtaskCount;
  /** The time of creation: `yyyy-MM-dd HH:mm:ss z`; absent until it is known. */
  startTime?: string;
  /** The time at which its first subtask started. */
  executionStartTime?: string;
  finishTime?: string;
  /** CRON_TRIGGER, MANUAL_TRIGGER or ADHOC_TRIGGER; absent where it is not known. */
  triggeredBy?: string;
  /**
   * Verbosity 0 includes those that run or have failed, and omits the member if there are none;
   * higher levels include all.
   */
  subtaskInfos?: SubtaskInfo[];
}
