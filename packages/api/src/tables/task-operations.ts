import { Type } from 'typebox';
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
 * The calls about tasks (SPECIFICATION.md section 4.2), where and as Apache Pinot's controller has
 * them.
 */
export const taskOperations = {
  readTaskDebug: adminOperation('readTaskDebug', {
    ...ofTask,
    summary: 'Read what a task does, or did',
    query: verbosity,
    answer: TaskDebug,
    answerIs: 'The debug record.',
  }),
  listTaskTypes: adminOperation('listTaskTypes', {
    tag,
    summary: 'List the types of tasks',
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
    summary: 'Read whether tasks of a type are given out',
    answer: Type.String(),
    answerIs: 'IN_PROGRESS, or STOPPED while they are held back.',
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
    summary: 'Read what the tasks of a type do',
    query: verbosity,
    answer: debugByName,
    answerIs: 'Debug record by name of the task.',
  }),
  readTableTaskDebug: adminOperation('readTableTaskDebug', {
    ...ofType,
    summary: 'Read what the tasks of a type do for one table',
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
    summary: 'Read how far the subtasks of a task are',
    answer: stateByName,
    answerIs: 'A sentence by name of the subtask.',
  }),
  scheduleTasks: adminOperation('scheduleTasks', {
    tag,
    summary: 'Make the tasks that tables ask for, now',
    query: {
      taskType: 'Only tasks of this type.',
      tableName: 'Only tasks for this table, with type.',
    },
    answer: Type.Record(Type.String(), Type.Unknown()),
    answerIs: 'Names of the tasks by type, and what could not be made.',
    errors: ['TASK_TYPE_NOT_FOUND', 'TABLE_NOT_FOUND'],
  }),
  executeTask: adminOperation('executeTask', {
    tag,
    summary: 'Run one task with a config of its own',
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
    summary: 'Hold back the tasks of a type',
    description: 'What runs is stopped, and goes on when the type is resumed.',
    answer: status,
    answerIs: 'What was done.',
  }),
  resumeTasks: adminOperation('resumeTasks', {
    ...ofType,
    summary: 'Let the tasks of a type go on',
    answer: status,
    answerIs: 'What was done.',
  }),
  cancelTask: adminOperation('cancelTask', {
    tag,
    summary: 'End a task',
    description: 'It is ABORTED, and nothing of what it made stays.',
    answer: status,
    answerIs: 'What was done.',
    errors: ['TASK_NOT_FOUND', 'CONFLICT'],
  }),
} as const;
