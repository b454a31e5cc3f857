import { type CallOptions, isQuireError, type JsonValue, QuireError } from '@quire/core';
import {
  type ScheduledTasks,
  type SubtaskRecord,
  type SubtaskState,
  subtaskStates,
  type TaskRecord,
  type TaskState,
  taskStates,
} from '@quire/core/table-engine';
import { type AdminCalls, isJsonObject, type Json, objectIn, textIn } from './admin-calls.ts';
import { readConfig } from './table-configs.ts';

/**
 * The types that are built into Apache Pinot; a cluster lists only those for which it has had
 * tasks.
 */
const builtInTypes = [
  'MergeRollupTask',
  'PurgeTask',
  'RealtimeToOfflineSegmentsTask',
  'RefreshSegmentTask',
  'SegmentGenerationAndPushTask',
  'UpsertCompactMergeTask',
  'UpsertCompactionTask',
];
const triggers = ['CRON_TRIGGER', 'MANUAL_TRIGGER', 'ADHOC_TRIGGER'] as const;

const get = { method: 'GET', errors: {} } as const;

export async function listTaskTypes(
  calls: AdminCalls,
  options: CallOptions,
): Promise<readonly string[]> {
  const used = await usedTypes(calls, options);
  return [...new Set([...builtInTypes, ...used])].toSorted();
}

function usedTypes(calls: AdminCalls, options: CallOptions): Promise<readonly string[]> {
  return calls.names({ ...get, path: '/tasks/tasktypes' }, options);
}

async function assertType(
  calls: AdminCalls,
  taskType: string,
  options: CallOptions,
): Promise<void> {
  const types = await listTaskTypes(calls, options);
  if (types.includes(taskType)) return;
  throw new QuireError(
    'TASK_TYPE_NOT_FOUND',
    `There is no task type '${taskType}'; expected one of ${types.join(', ')}.`,
  );
}

export async function scheduleTasks(
  calls: AdminCalls,
  request: CallOptions & {
    readonly taskType?: string | undefined;
    readonly tableNameWithType?: string | undefined;
  },
): Promise<ScheduledTasks> {
  const { taskType, tableNameWithType, ...options } = request;
  if (taskType !== undefined) await assertType(calls, taskType, options);
  if (tableNameWithType !== undefined) await readConfig(calls, tableNameWithType, options);
  const parameters = { taskType, tableName: tableNameWithType };
  const call = {
    method: 'POST',
    path: '/tasks/schedule',
    parameters,
    errors: { 400: 'TABLE_INVALID' },
  } as const;
  const answer = await calls.object(call, options);
  const table = tableNameWithType ?? '';
  const types = Object.keys(answer).filter(
    (name) => name !== 'generationErrors' && name !== 'schedulingErrors',
  );
  const scheduled = types.flatMap((type) =>
    namesOf(answer[type]).map((taskName) => ({
      taskType: type,
      tableNameWithType: table,
      taskName,
    })),
  );
  const message = [textIn(answer, 'generationErrors'), textIn(answer, 'schedulingErrors')]
    .filter((text) => text !== '')
    .join('\n');
  const reason = 'There was nothing to do.';
  return {
    scheduled: await withTables(calls, scheduled, options),
    skipped: types
      .filter((type) => namesOf(answer[type]).length === 0)
      .map((type) => ({ taskType: type, tableNameWithType: table, reason })),
    errors: message === '' ? [] : [{ taskType: taskType ?? '', tableNameWithType: table, message }],
  };
}

/** Adds the tables of tasks. If no table is requested, only the configs of the tasks name them. */
async function withTables(
  calls: AdminCalls,
  scheduled: ScheduledTasks['scheduled'],
  options: CallOptions,
): Promise<ScheduledTasks['scheduled']> {
  return Promise.all(
    scheduled.map(async (each) =>
      each.tableNameWithType === ''
        ? { ...each, tableNameWithType: await orUnread(tableOf(calls, each.taskName, options), '') }
        : each,
    ),
  );
}

export async function executeTask(
  calls: AdminCalls,
  request: {
    readonly taskType: string;
    readonly tableNameWithType: string;
    readonly taskName?: string | undefined;
    readonly configs: Json;
  },
  options: CallOptions,
): Promise<TaskRecord> {
  const { taskType, tableNameWithType, taskName, configs } = request;
  await assertType(calls, taskType, options);
  await readConfig(calls, tableNameWithType, options);
  const taskConfigs = Object.fromEntries(
    Object.entries(configs).map(([key, value]) => [key, String(value as string | number)]),
  );
  const body = {
    taskType,
    tableName: tableNameWithType,
    taskConfigs,
    ...(taskName !== undefined && { taskName }),
  };
  const errors = {
    400: 'TABLE_INVALID',
    404: 'TASK_TYPE_NOT_FOUND',
    409: 'TASK_EXISTS',
    500: 'TABLE_INVALID',
  } as const;
  const answer = await calls.object(
    { method: 'POST', path: '/tasks/execute', body, errors },
    options,
  );
  const [name] = Object.values(answer).flatMap(namesOf);
  if (name === undefined) {
    throw new QuireError(
      'TABLE_INVALID',
      `Apache Pinot created no task of ${taskType} for ${tableNameWithType}.`,
    );
  }
  return orUnread(readTask(calls, name, options), recordOf(name, {}, tableNameWithType));
}

/**
 * Returns what is read of a task that was just created, or a default if that fails: a caller who
 * meets an error creates the task again.
 */
async function orUnread<T>(reading: Promise<T>, unread: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!isQuireError(error)) throw error;
    return unread;
  }
}

export async function listTasks(
  calls: AdminCalls,
  {
    taskType,
    tableNameWithType,
  }: { readonly taskType: string; readonly tableNameWithType?: string | undefined },
  options: CallOptions,
): Promise<readonly TaskRecord[]> {
  await assertType(calls, taskType, options);
  if (!(await usedTypes(calls, options)).includes(taskType)) return [];
  const path = `/tasks/${encodeURIComponent(taskType)}/debug`;
  const answer = await calls.object({ ...get, path, parameters: { verbosity: '1' } }, options);
  const records = await Promise.all(
    Object.keys(answer).map(async (name) =>
      recordOf(name, objectIn(answer, name), await tableOf(calls, name, options)),
    ),
  );
  return records
    .filter(
      (record) => tableNameWithType === undefined || record.tableNameWithType === tableNameWithType,
    )
    .toSorted((left, right) => (right.createdMs ?? Infinity) - (left.createdMs ?? Infinity));
}

export async function readTask(
  calls: AdminCalls,
  taskName: string,
  options: CallOptions,
): Promise<TaskRecord> {
  const taskType = typeOf(taskName);
  const isKnown =
    taskType !== undefined &&
    (await usedTypes(calls, options)).includes(taskType) &&
    (
      await calls.names({ ...get, path: `/tasks/${encodeURIComponent(taskType)}/tasks` }, options)
    ).includes(taskName);
  if (!isKnown) throw new QuireError('TASK_NOT_FOUND', `There is no task '${taskName}'.`);
  const path = `/tasks/task/${encodeURIComponent(taskName)}/debug`;
  const answer = await calls.call({ ...get, path, parameters: { verbosity: '1' } }, options);
  return recordOf(
    taskName,
    isJsonObject(answer) ? answer : {},
    await tableOf(calls, taskName, options),
  );
}

/** Returns the table of a task, which only the configs of its subtasks contain. */
async function tableOf(calls: AdminCalls, taskName: string, options: CallOptions): Promise<string> {
  const path = `/tasks/task/${encodeURIComponent(taskName)}/config`;
  const answer = await calls.call({ ...get, path }, options);
  const [first] = Array.isArray(answer) ? answer.filter(isJsonObject) : [];
  return first === undefined ? '' : textIn(objectIn(first, 'configs'), 'tableName');
}

export async function readTaskQueue(
  calls: AdminCalls,
  taskType: string,
  options: CallOptions,
): Promise<'RUNNING' | 'STOPPED'> {
  await assertType(calls, taskType, options);
  if (!(await usedTypes(calls, options)).includes(taskType)) return 'RUNNING';
  const state = await calls.call(
    { ...get, path: `/tasks/${encodeURIComponent(taskType)}/state` },
    options,
  );
  return typeof state === 'string' && state.replaceAll('"', '').startsWith('STOP')
    ? 'STOPPED'
    : 'RUNNING';
}

/**
 * Sets the state of a queue, which is created with its first task: until then there is nothing to
 * stop.
 */
export async function setTaskQueueState(
  calls: AdminCalls,
  taskType: string,
  verb: 'stop' | 'resume',
  options: CallOptions,
): Promise<void> {
  await assertType(calls, taskType, options);
  if (!(await usedTypes(calls, options)).includes(taskType)) {
    if (verb === 'resume') return;
    const message = `Apache Pinot has never had a task of type ${taskType}, so its queue cannot be stopped; schedule one first.`;
    throw new QuireError('UNSUPPORTED', message);
  }
  await calls.call(
    { method: 'PUT', path: `/tasks/${encodeURIComponent(taskType)}/${verb}`, errors: {} },
    options,
  );
}

/** Returns names from a list, or from a text with commas. */
function namesOf(value: JsonValue | undefined): readonly string[] {
  const list =
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value.map(String) : [];
  return list.map((name) => name.trim()).filter((name) => name !== '');
}

function typeOf(taskName: string): string | undefined {
  return /^Task_([^_]+)_/.exec(taskName)?.[1];
}

function recordOf(taskName: string, debug: Json, tableNameWithType: string): TaskRecord {
  const state = textIn(debug, 'taskState') as TaskState;
  const trigger = textIn(debug, 'triggeredBy');
  const subtasks = debug['subtaskInfos'];
  return {
    taskName,
    taskType: typeOf(taskName) ?? '',
    tableNameWithType,
    state: taskStates.includes(state) ? state : 'NOT_STARTED',
    trigger: triggers.find((each) => each === trigger) ?? null,
    createdMs: timeIn(debug, 'startTime'),
    startedMs: timeIn(debug, 'executionStartTime'),
    finishedMs: timeIn(debug, 'finishTime'),
    subtasks: (Array.isArray(subtasks) ? subtasks : [])
      .filter(isJsonObject)
      .map(subtaskOf)
      .toSorted((left, right) =>
        left.subtaskId.localeCompare(right.subtaskId, 'en', { numeric: true }),
      ),
  };
}

function subtaskOf(info: Json): SubtaskRecord {
  const state = textIn(info, 'state');
  const known = { INIT: 'RUNNING', '': 'WAITING' }[state] ?? state;
  return {
    subtaskId: textIn(info, 'taskId'),
    state: subtaskStates.includes(known as SubtaskState) ? (known as SubtaskState) : 'UNKNOWN',
    startedMs: timeIn(info, 'startTime'),
    finishedMs: timeIn(info, 'finishTime'),
    participant: textIn(info, 'participant') || null,
    info: textIn(info, 'info') || null,
    attemptCount: 1,
    progress: null,
    configs: objectIn(objectIn(info, 'taskConfig'), 'configs'),
  };
}

/** Parses `2026-11-21 13:51:14 UTC`, in the zone of the controller. */
function timeIn(value: Json, name: string): number | null {
  const time = Date.parse(textIn(value, name));
  return Number.isNaN(time) ? null : time;
}
