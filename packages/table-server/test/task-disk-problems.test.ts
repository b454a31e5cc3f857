import { mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isQuireError, MiB, QuireError, systemRandom } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import type { TaskRecord } from '@quire/core/table-engine';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fullDiskText } from '../src/directory/disk-problem.ts';
import { runSubtask, type RunSubtaskJob } from '../src/tasks/run-subtask.ts';
import { type StoredTask, TaskStore } from '../src/tasks/task-store.ts';
import {
  addFile,
  batch,
  config,
  ended,
  finder,
  generation,
  reasonOf,
  schedule,
  schema,
  startMs,
  sums,
  until as untilTask,
  useInputs,
} from './task-server.ts';
import { TestServer } from './test-server.ts';

/** Tasks while the disk of the tables takes no writes, in virtual time. */

useInputs();

let clock: ManualClock;
let failures: string[];
beforeEach(() => {
  clock = new ManualClock({ nowMs: startMs });
  failures = [];
});
afterEach(() => vi.restoreAllMocks());

const full = new QuireError('STORE_FULL', fullDiskText);
const missing = expect.stringMatching(/^STORE_UNAVAILABLE The directory of the tables .* missing/);

const run: RunSubtaskJob = (job, how) =>
  runSubtask(job, { clock, random: systemRandom, finder, rowBytesMax: MiB, ...how });

async function openServer(
  options: object,
  task: RunSubtaskJob = run,
  given = finder,
): Promise<TestServer> {
  const server = await TestServer.open({
    finder: given,
    clock,
    runSubtask: task,
    onTaskFailed: (error) => {
      failures.push(isQuireError(error) ? `${error.code} ${error.message}` : String(error));
    },
  });
  await server.engine.createSchema(schema);
  await server.engine.createTable(config({ [generation]: options }, batch()));
  await addFile('a.csv', [['a', 1, 1, startMs]]);
  return server;
}

/** Lets real work happen, without time passing, until something holds. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets the time until a retry pass, and waits until a task has ended. */
async function endedByRetry(server: TestServer, taskName: string): Promise<TaskRecord> {
  await clock.advance(2_000);
  return ended(server, taskName);
}

/**
 * Lets time pass while a number of subtasks run. The work of that time has ended once the schedules
 * of tasks, upkeep and the scrub sleep again; the timeout of each running subtask sleeps as well.
 */
async function pass(durationMs: number, runningCount = 0): Promise<void> {
  await clock.untilSleeping(3 + runningCount);
  await clock.advance(durationMs);
  await clock.untilSleeping(3 + runningCount);
}

const progressPath = async ({ directory }: TestServer): Promise<string> => {
  const [tableId = ''] = await readdir(join(directory, 'data'));
  return join(directory, 'data', tableId, 'task-progress.json');
};

describe('a task whose rows became visible before the disk was full', () => {
  /** Opens a server with such a task, whose progress could not be written. */
  async function openHalfCommitted(): Promise<[TestServer, string]> {
    vi.spyOn(TaskStore.prototype, 'writeProgress').mockRejectedValueOnce(full);
    const server = await openServer({});
    const taskName = await schedule(server, generation);
    await until(() => failures.length > 0);
    expect(failures).toEqual([`STORE_FULL ${fullDiskText}`]);
    expect((await server.engine.readTask(taskName)).state).toBe('IN_PROGRESS');
    expect(await server.rows(sums)).toEqual([{ n: 1, amount: 1 }]);
    return [server, taskName];
  }

  test('a half committed task completes once there is space, and its file is not loaded again', async () => {
    const [server, taskName] = await openHalfCommitted();
    await using _server = server;
    expect(await reasonOf(server, generation)).toContain(`The task ${taskName} is IN_PROGRESS`);
    expect((await endedByRetry(server, taskName)).state).toBe('COMPLETED');
    expect(await reasonOf(server, generation)).toContain('have been loaded already (1)');
    expect(await server.rows(sums)).toEqual([{ n: 1, amount: 1 }]);
  });

  test('rows of a half committed task that are deleted in the meantime do not come back', async () => {
    const [server, taskName] = await openHalfCommitted();
    await using _server = server;
    const [segment] = await server.engine.listSegments('sales_OFFLINE');
    await server.engine.deleteSegment('sales_OFFLINE', segment?.segmentName ?? '');
    expect((await endedByRetry(server, taskName)).state).toBe('COMPLETED');
    expect(await server.engine.countRows('sales_OFFLINE')).toBe(0);
    expect(await reasonOf(server, generation)).toContain('have been loaded already (1)');
  });

  test('a half committed task cannot be cancelled, because the next one would load its file again', async () => {
    const [server, taskName] = await openHalfCommitted();
    await using _server = server;
    await expect(server.engine.cancelTask(taskName)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: `Task ${taskName} can no longer be cancelled: its segments are in sales_OFFLINE. It completes once that can be recorded.`,
    });
    expect((await endedByRetry(server, taskName)).state).toBe('COMPLETED');
  });

  test('a half committed task of a table that a restart sets aside completes once the table is served again', async () => {
    const [server, taskName] = await openHalfCommitted();
    await using _server = server;
    const path = await progressPath(server);
    await mkdir(path);
    await server.restart();
    expect((await server.engine.readTask(taskName)).state).toBe('IN_PROGRESS');
    expect(failures.at(-1)).toMatch(/^TABLE_DAMAGED The table sales_OFFLINE is set aside: /);
    await rmdir(path);
    // Maintenance opens the table again.
    await clock.untilSleeping(4);
    await clock.advance(10_000);
    const isServed = () =>
      server.engine.readTable('sales_OFFLINE').then(
        () => true,
        () => false,
      );
    while (!(await isServed())) await new Promise((resolve) => setImmediate(resolve));
    expect((await endedByRetry(server, taskName)).state).toBe('COMPLETED');
    expect(await server.rows(sums)).toEqual([{ n: 1, amount: 1 }]);
    expect(await reasonOf(server, generation)).toContain('have been loaded already (1)');
  });
});

test('rows of a task do not become visible while the progress of the table is damaged', async () => {
  let path = '';
  await using server = await openServer({}, async (job, how) => {
    path = await progressPath(server);
    await mkdir(path);
    return run(job, how);
  });
  const taskName = await schedule(server, generation);
  await until(() => failures.length > 0);
  expect(failures).toEqual([expect.stringMatching(/^RECORD_DAMAGED .*task-progress\.json is a/)]);
  expect((await server.engine.readTask(taskName)).state).toBe('IN_PROGRESS');
  expect(await server.engine.countRows('sales_OFFLINE')).toBe(0);
  await rmdir(path);
  expect((await endedByRetry(server, taskName)).state).toBe('COMPLETED');
  expect(await server.rows(sums)).toEqual([{ n: 1, amount: 1 }]);
});

describe('a subtask', () => {
  test.each([
    { outcome: 'its rows', fail: false, expected: ['COMPLETED', 'COMPLETED', 1] },
    { outcome: 'its failure', fail: true, expected: ['FAILED', 'TASK_ERROR', 1] },
  ])(
    'a subtask keeps $outcome until that can be written, also after its timeout, and does not run again',
    async ({ fail, expected }) => {
      const runs: number[] = [];
      const options = { taskTimeout: '1s', maxAttemptsPerTask: '1' };
      await using server = await openServer(options, async (job, how) => {
        const output = await run(job, how);
        runs.push(output.segments.length);
        await rename(join(server.directory, 'tasks'), join(server.directory, 'away'));
        if (fail) throw new QuireError('INGESTION_FAILED', 'It cannot be read.');
        return output;
      });
      const taskName = await schedule(server, generation);
      await until(() => failures.length > 0);
      await pass(3_000);
      await until(() => failures.length > 1);
      const { state, subtasks } = await server.engine.readTask(taskName);
      expect([state, subtasks[0]?.state]).toEqual(['IN_PROGRESS', 'RUNNING']);
      await rename(join(server.directory, 'away'), join(server.directory, 'tasks'));
      const task = await endedByRetry(server, taskName);
      const [subtask] = task.subtasks;
      expect([task.state, subtask?.state, subtask?.attemptCount]).toEqual(expected);
      expect(runs).toEqual([1]);
      expect(await server.engine.countRows('sales_OFFLINE')).toBe(fail ? 0 : 1);
    },
  );

  test('a subtask that a restart cannot requeue, because the disk is full, is requeued later', async () => {
    const started = Promise.withResolvers<void>();
    let runs = 0;
    await using server = await openServer({}, (job, how) => {
      runs += 1;
      if (runs > 1) return run(job, how);
      started.resolve();
      return new Promise((_resolve, reject) => {
        how.signal.addEventListener('abort', () => reject(how.signal.reason as Error));
      });
    });
    const taskName = await schedule(server, generation);
    await started.promise;
    vi.spyOn(TaskStore.prototype, 'write').mockRejectedValueOnce(full);
    await server.restart();
    expect(failures).toEqual([`STORE_FULL ${fullDiskText}`]);
    expect((await server.engine.readTask(taskName)).subtasks[0]?.state).toBe('RUNNING');
    const task = await endedByRetry(server, taskName);
    expect([task.state, task.subtasks[0]?.attemptCount, runs]).toEqual(['COMPLETED', 2, 2]);
    expect(await server.rows(sums)).toEqual([{ n: 1, amount: 1 }]);
  });
});

describe('a task of two files that was interrupted by a restart', () => {
  /**
   * Opens a server that is restarted while the subtasks that `isBlocked` names run for the first
   * time. Their next runs wait for `open`.
   */
  async function restarted(
    isBlocked: (file: string) => boolean,
    onRestart: () => void = () => undefined,
  ) {
    const started = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() };
    const gate = Promise.withResolvers<void>();
    const runs = { a: 0, b: 0 };
    const server = await openServer({}, async (job, how) => {
      const file = job.work.kind === 'generate' && job.work.uri.endsWith('a.csv') ? 'a' : 'b';
      runs[file] += 1;
      started[file].resolve();
      if (!isBlocked(file)) return run(job, how);
      if (runs[file] > 1) await gate.promise;
      else {
        await new Promise((_resolve, reject) => {
          how.signal.addEventListener('abort', () => reject(how.signal.reason as Error));
        });
      }
      return run(job, how);
    });
    await addFile('b.csv', [['b', 1, 1, startMs]]);
    const taskName = await schedule(server, generation);
    await Promise.all([started.a.promise, started.b.promise]);
    if (!isBlocked('a')) {
      await untilTask(server, taskName, ({ subtasks }) => subtasks[0]?.state === 'COMPLETED');
    }
    onRestart();
    await server.restart();
    return { server, taskName, runs, open: gate.resolve };
  }

  test('the files of the finished subtask outlast the collection of garbage after the restart', async () => {
    const { server, taskName, runs, open } = await restarted((file) => file === 'b');
    await using _server = server;
    await until(() => runs.b === 2);
    await pass(600_000, 1);
    open();
    expect((await ended(server, taskName)).state).toBe('COMPLETED');
    expect(await server.rows(sums)).toEqual([{ n: 2, amount: 2 }]);
    expect(runs).toEqual({ a: 1, b: 2 });
  });

  test('a subtask that runs again is left alone when the other one, whose state could not be written, is requeued', async () => {
    const { value: write } = Object.getOwnPropertyDescriptor(TaskStore.prototype, 'write') as {
      readonly value: (this: TaskStore, task: StoredTask) => Promise<void>;
    };
    let count = 0;
    const { server, taskName, runs, open } = await restarted(
      () => true,
      () => {
        vi.spyOn(TaskStore.prototype, 'write').mockImplementation(function (this: TaskStore, task) {
          count += 1;
          return count === 2 ? Promise.reject(full) : write.call(this, task);
        });
      },
    );
    await using _server = server;
    await until(() => runs.a === 2);
    await clock.advance(2_000);
    await until(() => runs.b === 2);
    open();
    const task = await ended(server, taskName);
    expect([task.state, task.subtasks.map(({ attemptCount }) => attemptCount)]).toEqual([
      'COMPLETED',
      [2, 2],
    ]);
    expect(runs).toEqual({ a: 2, b: 2 });
    expect(await server.rows(sums)).toEqual([{ n: 2, amount: 2 }]);
  });
});

test('a queue whose new state could not be written keeps its state', async () => {
  await using server = await openServer({});
  const { engine } = server;
  const readOnly = new QuireError('STORE_UNAVAILABLE', 'The disk is read-only.');
  const write = vi.spyOn(TaskStore.prototype, 'writeStoppedTypes');
  write.mockRejectedValueOnce(readOnly);
  await expect(engine.stopTaskQueue(generation)).rejects.toMatchObject(readOnly);
  expect(await engine.readTaskQueue(generation)).toBe('RUNNING');
  await engine.stopTaskQueue(generation);
  const taskName = await schedule(server, generation);
  write.mockRejectedValueOnce(readOnly);
  await expect(engine.resumeTaskQueue(generation)).rejects.toMatchObject(readOnly);
  expect(await engine.readTaskQueue(generation)).toBe('STOPPED');
  expect((await engine.readTask(taskName)).state).toBe('NOT_STARTED');
  await engine.resumeTaskQueue(generation);
  expect((await ended(server, taskName)).state).toBe('COMPLETED');
});

describe('a schedule', () => {
  const everyTenMinutes = { schedule: '0 */10 * * * ?' };
  const tasks = (server: TestServer) => server.engine.listTasks({ taskType: generation });

  test('a schedule that is due while the directory is missing makes its task once that is back', async () => {
    await using server = await openServer(everyTenMinutes);
    const away = `${server.directory}-away`;
    await rename(server.directory, away);
    await pass(21 * 60_000);
    await pass(1_000);
    expect(failures).toEqual([missing]);
    expect(await tasks(server)).toEqual([]);
    await rename(away, server.directory);
    await pass(1_000);
    const [task] = await tasks(server);
    expect(await ended(server, task?.taskName ?? '')).toMatchObject({
      state: 'COMPLETED',
      trigger: 'CRON_TRIGGER',
    });
    await addFile('b.csv', [['b', 1, 1, startMs]]);
    await pass(2_000);
    expect(await tasks(server)).toHaveLength(1);
    await pass(9 * 60_000);
    expect(await tasks(server)).toHaveLength(2);
    expect(failures).toHaveLength(1);
  });

  test('a schedule continues where another table that is due is deleted while its task is planned', async () => {
    const gate = Promise.withResolvers<void>();
    let plans = 0;
    await using server = await openServer(everyTenMinutes, run, {
      find: async () => {
        plans += 1;
        await gate.promise;
        return { files: [] };
      },
    });
    await server.engine.createSchema({ ...schema, schemaName: 'sold' });
    await server.engine.createTable({
      ...config({ [generation]: everyTenMinutes }, batch()),
      tableName: 'sold_OFFLINE',
    });
    await clock.untilSleeping(3);
    await clock.advance(10 * 60_000);
    await until(() => plans === 1);
    await server.engine.deleteTable('sold_OFFLINE');
    gate.resolve();
    await pass(10 * 60_000);
    expect([plans, failures]).toEqual([2, []]);
  });
});
