import { expect, test } from 'vitest';
import { replay } from './replayed-controller.ts';

const taskName = 'Task_MergeRollupTask_0b1f_1795404838023';
const base = {
  '/version': { 'pinot-controller': '1.5.1-020ff0d' },
  '/tasks/tasktypes': ['MergeRollupTask'],
  '/tasks/MergeRollupTask/tasks': [taskName],
  [`/tasks/task/${taskName}/config`]: [{ configs: { tableName: 'rivers_OFFLINE' } }],
};
const subtask = (index: number, state: string | null) => ({
  taskId: `${taskName}_${index}`,
  ...(state !== null && { state }),
});

test.each(['STOPPING', 'STOPPED', 'TIMING_OUT', 'TIMED_OUT', 'ABORTED', 'FAILING', 'FAILED'])(
  'a task that is %s is shown so, with every subtask in the state that it has',
  async (taskState) => {
    await using cluster = await replay({
      ...base,
      [`/tasks/task/${taskName}/debug?verbosity=1`]: {
        taskState,
        subtaskInfos: [
          subtask(10, 'TASK_ABORTED'),
          subtask(2, 'TIMED_OUT'),
          subtask(0, 'INIT'),
          subtask(1, null),
          subtask(3, 'DROPPED'),
          subtask(4, 'STOPPED'),
          subtask(5, 'ERROR'),
        ],
      },
    });
    const { state, subtasks, tableNameWithType } = await cluster.engine.readTask(taskName);
    expect([state, tableNameWithType]).toEqual([taskState, 'rivers_OFFLINE']);
    // The cluster itself counts the last two as unknown.
    expect(subtasks.map((each) => [each.subtaskId.split('_').at(-1), each.state])).toEqual([
      ['0', 'RUNNING'],
      ['1', 'WAITING'],
      ['2', 'TIMED_OUT'],
      ['3', 'DROPPED'],
      ['4', 'UNKNOWN'],
      ['5', 'UNKNOWN'],
      ['10', 'TASK_ABORTED'],
    ]);
  },
);

test.each([
  ['STOPPED', 'STOPPED'],
  ['STOPPING', 'STOPPED'],
  ['IN_PROGRESS', 'RUNNING'],
])('a queue that is %s is %s', async (state, expected) => {
  await using cluster = await replay({
    ...base,
    '/tasks/MergeRollupTask/state': { status: 200, text: `"${state}"` },
  });
  expect(await cluster.engine.readTaskQueue('MergeRollupTask')).toBe(expected);
});

const down = { status: 500, text: '{"error":"ZooKeeper is down"}' };

test('tasks that are scheduled are not reported as failed when their tables cannot be read', async () => {
  await using cluster = await replay({
    ...base,
    'POST /tasks/schedule': { MergeRollupTask: taskName },
    [`/tasks/task/${taskName}/config`]: down,
  });
  expect(await cluster.engine.scheduleTasks()).toEqual({
    scheduled: [{ taskType: 'MergeRollupTask', tableNameWithType: '', taskName }],
    skipped: [],
    errors: [],
  });
});

test('a task that is created is not reported as failed when its state cannot be read', async () => {
  await using cluster = await replay({
    ...base,
    '/tables/rivers?type=offline': { OFFLINE: { tableName: 'rivers_OFFLINE' } },
    'POST /tasks/execute': { rivers_OFFLINE: taskName },
    [`/tasks/task/${taskName}/debug?verbosity=1`]: down,
  });
  const request = {
    taskType: 'MergeRollupTask',
    tableNameWithType: 'rivers_OFFLINE',
    configs: {},
  };
  expect(await cluster.engine.executeTask(request)).toMatchObject({
    taskName,
    taskType: 'MergeRollupTask',
    tableNameWithType: 'rivers_OFFLINE',
    state: 'NOT_STARTED',
    subtasks: [],
  });
});
