import { subtaskStates, taskStates } from '@quire/core/table-engine';
import { Type } from '@quire/core/schema';
import type { Static } from 'typebox';
import { refer } from '../reference.ts';

const time = (description: string) =>
  Type.Optional(
    Type.String({
      description: `${description}, as \`yyyy-MM-dd HH:mm:ss z\`; absent until it is known.`,
    }),
  );
const count = (description: string) => Type.Integer({ minimum: 0, description });
const trigger = Type.Optional(
  Type.String({
    description: 'CRON_TRIGGER, MANUAL_TRIGGER or ADHOC_TRIGGER; absent if it is not known.',
  }),
);

/**
 * The outcomes of the subtasks of a task (SPECIFICATION.md section 2.2): `total` is the sum of the
 * others.
 */
export const SubtaskCount = Type.Object(
  {
    total: count('All.'),
    completed: count('Done.'),
    running: count('Running.'),
    waiting: count('Not started yet.'),
    error: count('Failed.'),
    unknown: count('Subtasks in a state without its own count.'),
    dropped: count('Dropped.'),
    timedOut: count('Subtasks that were stopped because they timed out.'),
    aborted: count('Subtasks that were stopped with their task.'),
  },
  { $id: 'SubtaskCount', description: 'Subtasks by state; total is the sum of the others.' },
);
export type SubtaskCount = Static<typeof SubtaskCount>;

/** A subtask of a task, as task debug shows it. */
export const SubtaskInfo = Type.Object(
  {
    taskId: Type.String({ description: 'Id of the subtask.' }),
    state: Type.Unsafe<(typeof subtaskStates)[number]>({
      type: 'string',
      enum: [...subtaskStates],
      description: 'State of the subtask.',
    }),
    startTime: time('Start'),
    finishTime: time('End'),
    participant: Type.Optional(Type.String({ description: 'Worker that runs or ran it.' })),
    info: Type.Optional(
      Type.String({ description: 'Outcome, or the complete reason for its failure.' }),
    ),
    triggeredBy: trigger,
    taskConfig: Type.Object({
      taskType: Type.String(),
      taskId: Type.String(),
      configs: Type.Record(Type.String(), Type.Unknown()),
      tableName: Type.String({ description: 'With type.' }),
    }),
  },
  { $id: 'SubtaskInfo', description: 'One subtask.' },
);
export type SubtaskInfo = Static<typeof SubtaskInfo>;

/** The debug record of a task (SPECIFICATION.md section 2.2). */
export const TaskDebug = Type.Object(
  {
    taskState: Type.Unsafe<(typeof taskStates)[number]>({
      type: 'string',
      enum: [...taskStates],
      description: 'State of the task.',
    }),
    subtaskCount: refer(SubtaskCount),
    startTime: time('Creation'),
    executionStartTime: time('Start of the first subtask'),
    finishTime: time('End'),
    triggeredBy: trigger,
    subtaskInfos: Type.Optional(
      Type.Array(refer(SubtaskInfo), {
        description:
          'Verbosity 0 includes those that run or have failed, and omits the member if there are none; higher levels include all.',
      }),
    ),
  },
  { $id: 'TaskDebug', description: 'The state and the subtasks of a task.' },
);
export type TaskDebug = Static<typeof TaskDebug>;

export const taskComponents = [SubtaskCount, SubtaskInfo, TaskDebug] as const;
