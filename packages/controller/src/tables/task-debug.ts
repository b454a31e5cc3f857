import type { SubtaskCount, SubtaskInfo, TaskDebug } from '@quire/api';
import type { SubtaskRecord, SubtaskState, TaskRecord } from '@quire/core/table-engine';
import { formatTaskTime } from './time-text.ts';

/** The counts of SPECIFICATION.md section 2.2 by the state of a subtask. */
const countOfState: Readonly<Record<SubtaskState, Exclude<keyof SubtaskCount, 'total'>>> = {
  WAITING: 'waiting',
  RUNNING: 'running',
  COMPLETED: 'completed',
  TASK_ERROR: 'error',
  TIMED_OUT: 'timedOut',
  TASK_ABORTED: 'aborted',
  DROPPED: 'dropped',
  UNKNOWN: 'unknown',
};

/** The subtasks that are always shown: running and failed ones. */
const shownAtZero: ReadonlySet<SubtaskState> = new Set(['RUNNING', 'TASK_ERROR', 'TIMED_OUT']);

export function countSubtasks(subtasks: readonly SubtaskRecord[]): SubtaskCount {
  const count = {
    total: 0,
    completed: 0,
    running: 0,
    waiting: 0,
    error: 0,
    unknown: 0,
    dropped: 0,
    timedOut: 0,
    aborted: 0,
  };
  for (const { state } of subtasks) {
    count.total += 1;
    count[countOfState[state]] += 1;
  }
  return count;
}

/**
 * Returns the debug record of a task (SPECIFICATION.md section 2.2): at verbosity 0 with its
 * running and failed subtasks, and without the list if there are none; above 0 with all.
 */
export function debugOf(task: TaskRecord, verbosity: number): TaskDebug {
  const shown = task.subtasks.filter(({ state }) => verbosity > 0 || shownAtZero.has(state));
  return {
    taskState: task.state,
    subtaskCount: countSubtasks(task.subtasks),
    ...timeMember('startTime', task.createdMs),
    ...timeMember('executionStartTime', task.startedMs),
    ...timeMember('finishTime', task.finishedMs),
    ...(task.trigger !== null && { triggeredBy: task.trigger }),
    ...((verbosity > 0 || shown.length > 0) && {
      subtaskInfos: shown.map((subtask) => subtaskInfoOf(task, subtask)),
    }),
  };
}

function subtaskInfoOf(task: TaskRecord, subtask: SubtaskRecord): SubtaskInfo {
  return {
    taskId: subtask.subtaskId,
    state: subtask.state,
    ...timeMember('startTime', subtask.startedMs),
    ...timeMember('finishTime', subtask.finishedMs),
    ...(subtask.participant !== null && { participant: subtask.participant }),
    ...(subtask.info !== null && { info: subtask.info }),
    ...(task.trigger !== null && { triggeredBy: task.trigger }),
    taskConfig: taskConfigOf(task, subtask),
  };
}

export function taskConfigOf(
  { taskType, tableNameWithType }: TaskRecord,
  { subtaskId, configs }: SubtaskRecord,
): SubtaskInfo['taskConfig'] {
  return { taskType, taskId: subtaskId, configs: { ...configs }, tableName: tableNameWithType };
}

function timeMember<Name extends string>(
  name: Name,
  ms: number | null,
): Partial<Record<Name, string>> {
  return (ms === null ? {} : { [name]: formatTaskTime(ms) }) as Partial<Record<Name, string>>;
}
