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
  /** The worker that runs it, or did. */
  participant?: string;
  /** What it did, or the whole reason why it failed. */
  info?: string;
  /** CRON_TRIGGER, MANUAL_TRIGGER or ADHOC_TRIGGER; absent where it is not known. */
  triggeredBy?: string;
  taskConfig: {
    taskType: string;
    taskId: string;
    configs: Record<string, unknown>;
    /** With type. */
    tableName: string;
  };
}

/** The debug record of a task (SPECIFICATION.md section 2.2). */
export interface TaskDebug {
  taskState: TaskState;
  subtaskCount: SubtaskCount;
  /** When it was created: `yyyy-MM-dd HH:mm:ss z`; absent until it is known. */
  startTime?: string;
  /** When the first of its subtasks started. */
  executionStartTime?: string;
  finishTime?: string;
  /** CRON_TRIGGER, MANUAL_TRIGGER or ADHOC_TRIGGER; absent where it is not known. */
  triggeredBy?: string;
  /** At verbosity 0 those that run or have failed, absent where there are none; above 0 all. */
  subtaskInfos?: SubtaskInfo[];
}
