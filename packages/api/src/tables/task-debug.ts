import { subtaskStates, taskStates } from '@quire/core/table-engine';
import { type Static, Type } from 'typebox';
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
    description: 'CRON_TRIGGER, MANUAL_TRIGGER or ADHOC_TRIGGER; absent where it is not known.',
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
    running: count('Worked on now.'),
    waiting: count('Not begun yet.'),
    error: count('Failed.'),
    unknown: count('In a state that has no count of its own.'),
    dropped: count('Given up.'),
    timedOut: count('Stopped because they took too long.'),
    aborted: count('Stopped with their task.'),
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
      description: 'Its state.',
    }),
    startTime: time('When it began'),
    finishTime: time('When it ended'),
    participant: Type.Optional(Type.String({ description: 'Who works on it, or did.' })),
    info: Type.Optional(
      Type.String({ description: 'What it did, or the whole reason why it failed.' }),
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
    startTime: time('When it was made'),
    executionStartTime: time('When the first of its subtasks began'),
    finishTime: time('When it ended'),
    triggeredBy: trigger,
    subtaskInfos: Type.Optional(
      Type.Array(refer(SubtaskInfo), {
        description:
          'At verbosity 0 those that run or have failed, absent where there are none; above 0 all.',
      }),
    ),
  },
  { $id: 'TaskDebug', description: 'What a task does, or did.' },
);
export type TaskDebug = Static<typeof TaskDebug>;

export const taskComponents = [SubtaskCount, SubtaskInfo, TaskDebug] as const;
