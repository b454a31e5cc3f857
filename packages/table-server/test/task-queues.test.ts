import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MiB, QuireError, systemClock, systemRandom } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import type { FileFinder } from '@quire/tables';
import { describe, expect, test, vi } from 'vitest';
import { runSubtask } from '../src/tasks/run-subtask.ts';
import { TaskStore } from '../src/tasks/task-store.ts';
import { isFinal } from '../src/tasks/task-transitions.ts';
import { TestServer } from './test-server.ts';
import {
  addFile,
  batch,
  config,
  ended,
  finder,
  generation,
  openSales,
  reasonOf,
  schedule,
  schema,
  startMs,
  sums,
  until,
  useInputs,
} from './task-server.ts';

useInputs();

/** A finder whose files deliver their bytes only when the test releases them. */
function gated(): {
  readonly finder: FileFinder;
  readonly open: () => void;
  readonly reached: Promise<void>;
} {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  return {
    open: gate.resolve,
    reached: reached.promise,
    finder: {
      find: async (pattern, signal) => {
        const found = await finder.find(pattern, signal);
        const files = found.files.map((file) => ({
          ...file,
          async *read(options: Parameters<typeof file.read>[0]) {
            reached.resolve();
            const aborted = new Promise((_resolve, reject) => {
              const abort = (): void => reject(options.signal?.reason as Error);
              if (options.signal?.aborted === true) abort();
              options.signal?.addEventListener('abort', abort);
            });
            await Promise.race([gate.promise, aborted]);
            yield* file.read(options);
          },
        }));
        return { ...found, files };
      },
    },
  };
}

test('the schedule of a table makes tasks', async () => {
  const clock = new ManualClock({ nowMs: startMs });
  await using server = await TestServer.open({ finder, clock });
  await server.engine.createSchema(schema);
  await server.engine.createTable(
    config({ [generation]: { schedule: '0 */10 * * * ?' } }, batch()),
  );
  await addFile('a.csv', [['a', 1, 1, startMs]]);
  await clock.advance(9 * 60_000);
  expect(await server.engine.listTasks({ taskType: generation })).toEqual([]);
  await clock.advance(70_000);
  let [task] = await server.engine.listTasks({ taskType: generation });
  while (task === undefined) {
    await new Promise((resolve) => setImmediate(resolve));
    [task] = await server.engine.listTasks({ taskType: generation });
  }
  expect(await ended(server, task.taskName)).toMatchObject({
    state: 'COMPLETED',
    trigger: 'CRON_TRIGGER',
  });
});

test('a schedule is due once where the clock jumps a day ahead, and goes on by the new time where it goes back', async () => {
  const clock = new ManualClock({ nowMs: startMs + 30 * 60_000 });
  await using server = await TestServer.open({ finder, clock });
  await server.engine.createSchema(schema);
  await server.engine.createTable(config({ [generation]: { schedule: '0 0 * * * ?' } }, batch()));
  const tasks = () => server.engine.listTasks({ taskType: generation });
  const untilEnded = async (count: number) => {
    while ((await tasks()).filter(({ state }) => state === 'COMPLETED').length < count) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await addFile('a.csv', [['a', 1, 1, startMs]]);
  clock.stepWallClock(86_400_000);
  await clock.advance(2_000);
  await untilEnded(1);
  await addFile('b.csv', [['b', 1, 1, startMs]]);
  // Half past eleven on the previous evening: nothing is due before midnight, which has already
  // passed once.
  clock.stepWallClock(-3_600_000);
  await clock.advance(29 * 60_000);
  expect(await tasks()).toHaveLength(1);
  await clock.advance(60_000);
  await untilEnded(2);
  expect(await tasks()).toHaveLength(2);
});

describe('the queue of a type', () => {
  test('stopped, it gives nothing out and halts what runs; resumed, also after a restart, that goes on', async () => {
    const gate = gated();
    await using server = await openSales(config({ [generation]: {} }, batch()), gate.finder);
    await addFile('a.csv', [['a', 1, 1, startMs]]);
    const taskName = await schedule(server, generation);
    await gate.reached;
    expect(await server.engine.readTask(taskName)).toMatchObject({
      state: 'IN_PROGRESS',
      subtasks: [{ state: 'RUNNING' }],
    });
    await server.engine.stopTaskQueue(generation);
    expect(await server.engine.readTaskQueue(generation)).toBe('STOPPED');
    expect(await until(server, taskName, ({ state }) => state !== 'STOPPING')).toMatchObject({
      state: 'STOPPED',
      subtasks: [{ state: 'WAITING' }],
    });
    gate.open();
    await server.restart();
    expect(await server.engine.readTask(taskName)).toMatchObject({ state: 'STOPPED' });
    expect(await server.engine.readTaskQueue(generation)).toBe('STOPPED');
    await server.engine.resumeTaskQueue(generation);
    expect((await ended(server, taskName)).state).toBe('COMPLETED');
    expect(await server.rows(sums)).toEqual([{ n: 1, amount: 1 }]);
  });

  test('resumed before what runs has halted, it goes on with that', async () => {
    const reached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    await using server = await TestServer.open({
      finder,
      runSubtask: async (job, how) => {
        reached.resolve();
        await gate.promise;
        how.signal?.throwIfAborted();
        return await runSubtask(job, {
          clock: systemClock,
          random: systemRandom,
          finder,
          rowBytesMax: MiB,
          ...how,
        });
      },
    });
    await server.engine.createSchema(schema);
    await server.engine.createTable(config({ [generation]: {} }, batch()));
    await addFile('a.csv', [['a', 1, 1, startMs]]);
    const taskName = await schedule(server, generation);
    await reached.promise;
    await server.engine.stopTaskQueue(generation);
    await server.engine.resumeTaskQueue(generation);
    gate.resolve();
    const task = await until(
      server,
      taskName,
      ({ state }) => isFinal(state) || state === 'STOPPED',
    );
    expect(task.state).toBe('COMPLETED');
    expect(await server.engine.readTaskQueue(generation)).toBe('RUNNING');
    expect(await server.rows(sums)).toEqual([{ n: 1, amount: 1 }]);
  });

  test('a subtask that ends after its cancelled task was forgotten leaves no file', async () => {
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    let jobCount = 0;
    const failures: unknown[] = [];
    await using server = await TestServer.open({
      finder,
      onTaskFailed: (error) => void failures.push(error),
      runSubtask: async (job, how) => {
        jobCount += 1;
        if (jobCount > 1) throw new QuireError('INVALID_PARAMETER', 'Nothing more is loaded.');
        const output = await runSubtask(job, {
          clock: systemClock,
          random: systemRandom,
          finder,
          rowBytesMax: MiB,
          ...how,
        });
        reached.resolve();
        await gate.promise;
        return output;
      },
    });
    await server.engine.createSchema(schema);
    await server.engine.createTable(config({ [generation]: {} }, batch()));
    await addFile('a.csv', [['a', 1, 1, startMs]]);
    const taskName = await schedule(server, generation);
    await reached.promise;
    await server.engine.cancelTask(taskName);
    // The records of the tasks that follow need not be on the disk.
    const writing = vi.spyOn(TaskStore.prototype, 'write').mockResolvedValue();
    for (let count = 0; count <= 100; count += 1) {
      await ended(server, await schedule(server, generation));
    }
    writing.mockRestore();
    await expect(server.engine.readTask(taskName)).rejects.toThrow('There is no task');
    gate.resolve();
    // It waits for the end of the subtask.
    await server.restart();
    const names = await readdir(join(server.directory, 'data'), { recursive: true });
    expect(names.filter((name) => name.endsWith('.parquet'))).toEqual([]);
    expect(failures).toEqual([]);
  });

  test('a restart goes on with what ran', async () => {
    const gate = gated();
    await using server = await openSales(config({ [generation]: {} }, batch()), gate.finder);
    await addFile('a.csv', [['a', 1, 1, startMs]]);
    const taskName = await schedule(server, generation);
    await gate.reached;
    const restarting = server.restart();
    gate.open();
    await restarting;
    const task = await ended(server, taskName);
    expect([task.state, task.subtasks[0]?.attemptCount]).toEqual(['COMPLETED', 2]);
    expect(await server.rows(sums)).toEqual([{ n: 1, amount: 1 }]);
  });

  test('a task is cancelled whatever it does, and leaves nothing; one that has ended is not', async () => {
    const gate = gated();
    await using server = await openSales(config({ [generation]: {} }, batch()), gate.finder);
    await addFile('a.csv', [['a', 1, 1, startMs]]);
    const taskName = await schedule(server, generation);
    await gate.reached;
    expect(await reasonOf(server, generation)).toContain(`The task ${taskName} is IN_PROGRESS`);
    await server.engine.cancelTask(taskName);
    expect(await server.engine.readTask(taskName)).toMatchObject({
      state: 'ABORTED',
      subtasks: [{ state: 'TASK_ABORTED' }],
    });
    gate.open();
    await expect(server.engine.cancelTask(taskName)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(server.engine.cancelTask('Task_none')).rejects.toMatchObject({
      code: 'TASK_NOT_FOUND',
    });
    expect(await server.engine.countRows('sales_OFFLINE')).toBe(0);
    expect((await ended(server, await schedule(server, generation))).state).toBe('COMPLETED');
  });

  test('rows that a subtask has written when its task is cancelled are deleted', async () => {
    const written = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    await using server = await TestServer.open({
      finder,
      runSubtask: async (job, how) => {
        const output = await runSubtask(job, {
          clock: systemClock,
          random: systemRandom,
          finder,
          rowBytesMax: MiB,
          ...how,
        });
        written.resolve();
        await gate.promise;
        return output;
      },
    });
    await server.engine.createSchema(schema);
    await server.engine.createTable(config({ [generation]: {} }, batch()));
    await addFile('a.csv', [['a', 1, 1, startMs]]);
    const taskName = await schedule(server, generation);
    await written.promise;
    const files = async (): Promise<readonly string[]> =>
      (await readdir(join(server.directory, 'data'), { recursive: true })).filter((name) =>
        name.endsWith('.parquet'),
      );
    expect(await files()).toHaveLength(1);
    await server.engine.cancelTask(taskName);
    gate.resolve();
    await expect.poll(files).toEqual([]);
  });

  test('a task that takes longer than its limit is TIMED_OUT', async () => {
    const gate = gated();
    await using server = await openSales(
      config({ [generation]: { taskTimeout: '1s' } }, batch()),
      gate.finder,
    );
    await addFile('a.csv', [['a', 1, 1, startMs]]);
    const task = await ended(server, await schedule(server, generation));
    expect(task).toMatchObject({
      state: 'TIMED_OUT',
      subtasks: [
        { state: 'TIMED_OUT', info: 'The subtask exceeded the timeout of its task, 1000 ms.' },
      ],
    });
  });

  test('a task that fails for a reason that may pass is tried again, as often as it may be', async () => {
    const failing: FileFinder = {
      find: async (pattern, signal) => {
        const found = await finder.find(pattern, signal);
        const files = found.files.map((file) => ({
          ...file,
          async *read(): AsyncGenerator<Uint8Array> {
            yield new Uint8Array();
            throw new Error('The network is gone.');
          },
        }));
        return { ...found, files };
      },
    };
    await using server = await openSales(
      config({ [generation]: { maxAttemptsPerTask: '2' } }, batch()),
      failing,
    );
    await addFile('a.csv', [['a', 1, 1, startMs]]);
    const task = await ended(server, await schedule(server, generation));
    expect(task).toMatchObject({
      state: 'FAILED',
      subtasks: [{ state: 'TASK_ERROR', attemptCount: 2 }],
    });
    expect(task.subtasks[0]?.info).toContain('The network is gone.');
  });
});

test('a task that is cancelled while its restored record is read is cancelled', async () => {
  const clock = new ManualClock({ nowMs: startMs });
  await using server = await TestServer.open({ finder, clock });
  await server.engine.createSchema(schema);
  await server.engine.createTable(config({ [generation]: {} }, batch()));
  await addFile('a.csv', [['a', 1, 1, startMs]]);
  await server.engine.stopTaskQueue(generation);
  const taskName = await schedule(server, generation);
  const path = join(server.directory, 'tasks', `${taskName}.json`);
  const whole = await readFile(path);
  await writeFile(path, 'damaged');
  await server.restart();
  await writeFile(path, whole);
  let cancelling: Promise<void> | undefined;
  const reading = vi.spyOn(TaskStore.prototype, 'read').mockImplementationOnce(async function (
    this: TaskStore,
    ...given
  ) {
    cancelling = server.engine.cancelTask(taskName);
    return await this.read(...given);
  });
  await clock.untilSleeping(3);
  await clock.advance(1_000);
  await clock.untilSleeping(3);
  reading.mockRestore();
  await cancelling;
  await server.engine.resumeTaskQueue(generation);
  expect(await server.engine.readTask(taskName)).toMatchObject({ state: 'ABORTED' });
  expect(await server.engine.countRows('sales_OFFLINE')).toBe(0);
});
