import { Type } from '@quire/core/schema';
import { refer } from '../reference.ts';
import { adminOperation } from './admin-operation.ts';
import { SubtaskCount, TaskDebug } from './task-debug.ts';

const tag = 'tasks';
const names = Type.Array(Type.String());
const stateByName = Type.Record(Type.String(), Type.String());
const debugByName = Type.Record(Type.String(), refer(TaskDebug));
const status = Type.Object({ status: Type.String() });
const verbosity = {
  verbosity: 'Integer; 0: subtasks that run or have failed; above 0: all. Default: 0.',
};

const ofType = { tag, errors: ['TASK_TYPE_NOT_FOUND'] } as const;
const ofTask = { tag, errors: ['TASK_NOT_FOUND'] } as const;

/**
 * The calls about tasks (SPECIFICATION.md section 4.2), with the paths and formats of Apache
 * Pinot's controller.
 */
export const taskOperations = {
  readTaskDebug: adminOperation('readTaskDebug', {
    ...ofTask,
    summary: 'Read the state and the subtasks of a task',
    query: verbosity,
    answer: TaskDebug,
    answerIs: 'The debug record.',
  }),
  listTaskTypes: adminOperation('listTaskTypes', {
    tag,
    summary: 'List the task types',
    answer: names,
    answerIs: 'The types.',
  }),
  listTasks: adminOperation('listTasks', {
    ...ofType,
    summary: 'List the tasks of a type, newest first',
    answer: names,
    answerIs: 'Names of tasks.',
  }),
  readTaskQueue: adminOperation('readTaskQueue', {
    ...ofType,
    summary: 'Read the state of a task queue',
    answer: Type.String(),
    answerIs: 'IN_PROGRESS, or STOPPED while its tasks are paused.',
  }),
  listTaskStates: adminOperation('listTaskStates', {
    ...ofType,
    summary: 'Read the states of the tasks of a type',
    answer: stateByName,
    answerIs: 'State by name of the task.',
  }),
  countTasks: adminOperation('countTasks', {
    ...ofType,
    summary: 'Count the subtasks of the tasks of a type',
    answer: Type.Record(Type.String(), refer(SubtaskCount)),
    answerIs: 'Counts by name of the task.',
  }),
  readTypeDebug: adminOperation('readTypeDebug', {
    ...ofType,
    summary: 'Read the debug records of the tasks of a type',
    query: verbosity,
    answer: debugByName,
    answerIs: 'Debug record by name of the task.',
  }),
  readTableTaskDebug: adminOperation('readTableTaskDebug', {
    ...ofType,
    summary: 'Read the debug records of the tasks of a type for one table',
    query: verbosity,
    answer: debugByName,
    answerIs: 'Debug record by name of the task.',
  }),
  readTableTaskStates: adminOperation('readTableTaskStates', {
    ...ofType,
    summary: 'Read the states of the tasks of a type for one table',
    answer: stateByName,
    answerIs: 'State by name of the task.',
  }),
  readTaskState: adminOperation('readTaskState', {
    ...ofTask,
    summary: 'Read the state of a task',
    answer: Type.String(),
    answerIs: 'The state.',
  }),
  readTaskConfigs: adminOperation('readTaskConfigs', {
    ...ofTask,
    summary: 'Read the configs of the subtasks of a task',
    answer: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    answerIs: 'A config for each subtask.',
  }),
  readSubtaskStates: adminOperation('readSubtaskStates', {
    ...ofTask,
    summary: 'Read the states of the subtasks of a task',
    answer: stateByName,
    answerIs: 'State by name of the subtask.',
  }),
  listSubtasks: adminOperation('listSubtasks', {
    ...ofTask,
    summary: 'List the subtasks of a task',
    answer: stateByName,
    answerIs: 'State by name of the subtask.',
  }),
  readSubtaskProgress: adminOperation('readSubtaskProgress', {
    ...ofTask,
    summary: 'Read the progress of the subtasks of a task',
    answer: stateByName,
    answerIs: 'A sentence by name of the subtask.',
  }),
  scheduleTasks: adminOperation('scheduleTasks', {
    tag,
    summary: 'Create the tasks that table configs request, now',
    query: {
      taskType: 'Only tasks of this type.',
      tableName: 'Only tasks for this table, with type.',
    },
    answer: Type.Record(Type.String(), Type.Unknown()),
    answerIs: 'Names of the tasks by type, and the reasons for tasks that could not be created.',
    errors: ['TASK_TYPE_NOT_FOUND', 'TABLE_NOT_FOUND'],
  }),
  executeTask: adminOperation('executeTask', {
    tag,
    summary: 'Run one task with its own config',
    body: Type.Object({
      taskType: Type.String(),
      tableName: Type.String({ description: 'With type.' }),
      taskName: Type.Optional(Type.String()),
      taskConfigs: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
    answer: stateByName,
    answerIs: 'Name of the task by table.',
    errors: ['TASK_TYPE_NOT_FOUND', 'TABLE_NOT_FOUND', 'TABLE_INVALID', 'TASK_EXISTS'],
  }),
  stopTasks: adminOperation('stopTasks', {
    ...ofType,
    summary: 'Stop a task queue',
    description: 'Running tasks are stopped, and continue when the queue is resumed.',
    answer: status,
    answerIs: 'A confirmation.',
  }),
  resumeTasks: adminOperation('resumeTasks', {
    ...ofType,
    summary: 'Resume a task queue',
    answer: status,
    answerIs: 'A confirmation.',
  }),
  cancelTask: adminOperation('cancelTask', {
    tag,
    summary: 'Cancel a task',
    description: 'The task becomes ABORTED, and everything that it created is removed.',
    answer: status,
    answerIs: 'A confirmation.',
    errors: ['TASK_NOT_FOUND', 'CONFLICT'],
  }),
} as const;
