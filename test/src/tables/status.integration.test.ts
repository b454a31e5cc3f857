import { QuireError } from '@quire/core';
import type { TableEngine } from '@quire/core/table-engine';
import { expect, test } from 'vitest';
import { cannedEngine, cannedRestreams } from '../testkit/canned-tables.ts';
import { TestController } from '../testkit/controller-server.ts';

const started = (engine: Partial<TableEngine> = {}): Promise<TestController> =>
  TestController.start([], {
    tables: { engine: { ...cannedEngine, ...engine }, restreams: cannedRestreams },
  });

const readHealth = async (controller: TestController): Promise<{ readonly tables?: unknown }> =>
  (await (await controller.call('/health')).json()) as { readonly tables?: unknown };

test('health tells of tables, streams and tasks as a whole, and metrics tell the same', async () => {
  const [table] = await cannedEngine.listTables();
  const consumption = await cannedEngine.readConsumption(table?.tableNameWithType ?? '');
  const [partition] = consumption.partitions;
  if (partition === undefined) throw new Error('There is a partition.');
  const retrying = {
    ...partition,
    state: 'RETRYING' as const,
    lagMessages: 40,
    lagMs: 5_000,
    skippedCount: 3,
  };
  await using controller = await started({
    readConsumption: async () => ({
      ...consumption,
      partitions: [...consumption.partitions, retrying],
    }),
    listTaskTypes: async () => ['MergeRollupTask'],
  });
  expect((await readHealth(controller)).tables).toEqual({
    tableCount: 2,
    partitions: { starting: 1, consuming: 1, paused: 0, retrying: 1, stopped: 0 },
    lagMessages: 42,
    lagMsMax: 5_000,
    tasks: { running: 1, stopped: 0, failed: 0, completed: 0 },
  });
  const lines = (await (await controller.call('/metrics')).text()).split('\n');
  for (const line of [
    'quire_controller_tables 2',
    'quire_controller_stream_partitions_retrying 1',
    'quire_controller_stream_partitions_stopped 0',
    'quire_controller_stream_lag_messages 42',
    'quire_controller_stream_lag_seconds 5',
    'quire_controller_stream_messages_skipped 3',
    'quire_controller_tasks_in_progress 1',
    'quire_controller_tasks_failed 0',
    'quire_controller_task_subtasks_failed 2',
  ]) {
    expect(lines).toContain(line);
  }
});

test('health does not wait for a stream that does not answer: it says what it knew', async () => {
  let isAway = false;
  await using controller = await started({
    readConsumption: () =>
      isAway ? new Promise(() => undefined) : cannedEngine.readConsumption('orders_REALTIME'),
  });
  const before = await readHealth(controller);
  expect(before.tables).toMatchObject({ lagMessages: 2 });
  isAway = true;
  await controller.clock.advance(10_000);
  const asked = readHealth(controller);
  // Beside the job that deletes expired results.
  await controller.clock.untilSleeping(2);
  await controller.clock.advance(1_000);
  expect((await asked).tables).toEqual(before.tables);
});

test('health is degraded and names what is damaged, though a stream does not answer; metrics count it', async () => {
  const problem = {
    kind: 'table',
    subject: 'orders_REALTIME',
    problem: 'tables/orders_REALTIME.json is empty.',
  } as const;
  await using controller = await started({
    listProblems: async () => [problem],
    readConsumption: () => new Promise(() => undefined),
  });
  const asked = controller.call('/health');
  await controller.clock.untilSleeping(2);
  await controller.clock.advance(1_000);
  expect(await (await asked).json()).toMatchObject({
    status: 'degraded',
    problemCount: 1,
    problems: [problem],
  });
});

test('health has nothing to say of tables that cannot be reached', async () => {
  await using controller = await started({
    listTables: async () => {
      throw new QuireError('ENGINE_UNAVAILABLE', 'It is away.');
    },
  });
  expect(await readHealth(controller)).toMatchObject({ status: 'ok' });
  expect(await readHealth(controller)).not.toHaveProperty('tables');
});
