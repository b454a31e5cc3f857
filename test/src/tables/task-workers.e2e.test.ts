import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TaskDebug } from '@quire/api';
import { expect, test, vi } from 'vitest';
import { LiveTables } from './live-tables.ts';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { filesBelow } from '../testkit/files-below.ts';
import { patience, until } from '../testkit/until.ts';

/** Long enough to be killed in the middle of it. */
const data = join(import.meta.dirname, '../../../node_modules/vega-datasets/data');
const file = 'flights-200k.json';
const rowCount = 200_000;
const taskType = 'SegmentGenerationAndPushTask';
const schema = {
  schemaName: 'hops',
  dimensionFieldSpecs: [{ name: 'note', dataType: 'STRING' }],
  metricFieldSpecs: [
    { name: 'delay', dataType: 'INT' },
    { name: 'distance', dataType: 'INT' },
    { name: 'time', dataType: 'DOUBLE' },
  ],
};

async function openHops(more: Readonly<Record<string, string>> = {}): Promise<LiveTables> {
  const tables = await LiveTables.open({
    'controller.preview.source.paths': data,
    'engine.tables.task.workers.kill.grace': '1s',
    ...more,
  });
  for (const [path, body] of [
    ['/schemas', schema],
    ['/tables', { tableName: 'hops', tableType: 'OFFLINE' }],
  ] as const) {
    const answer = await tables.call('POST', path, body);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  }
  return tables;
}

async function load(
  tables: LiveTables,
  configs: Readonly<Record<string, string>> = {},
): Promise<string> {
  const taskConfigs = { inputDirURI: data, includeFileNamePattern: `glob:${file}`, ...configs };
  const answer = await tables.call('POST', '/tasks/execute', {
    taskType,
    tableName: 'hops_OFFLINE',
    taskConfigs,
  });
  const body = (await answer.json()) as Readonly<Record<string, string>>;
  const name = body['hops_OFFLINE'];
  if (name === undefined) throw new Error(JSON.stringify(body));
  return name;
}

async function debugOf(tables: LiveTables, task: string): Promise<TaskDebug> {
  return (await (
    await tables.call('GET', `/tasks/task/${task}/debug?verbosity=1`)
  ).json()) as TaskDebug;
}

const untilState = (
  tables: LiveTables,
  task: string,
  taskState: TaskDebug['taskState'],
): Promise<TaskDebug> =>
  vi.waitFor(async () => {
    const debug = await debugOf(tables, task);
    expect(debug).toMatchObject({ taskState });
    return debug;
  }, patience);

/** Files of rows, including those that are being written. */
async function rowFiles(tables: LiveTables): Promise<readonly string[]> {
  const names = await filesBelow(join(tables.home, 'tables/data'));
  return names.filter((name) => name.endsWith('.parquet'));
}

/** The process that works on a subtask. */
async function taskWorker(tables: LiveTables): Promise<number> {
  const pids = await tables.workerPids();
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  // Its limit distinguishes it from the others.
  const pid = pids.find((_, index) => commands[index]?.includes('--max-old-space-size=1024'));
  if (pid === undefined) throw new Error(`There is no worker of a task: ${commands.join('\n')}`);
  return pid;
}

test('a subtask whose process is killed is done again, and fails with the whole reason when that is not to be; nothing of it stays', async () => {
  await using tables = await openHops();
  const failing = await load(tables, { maxAttemptsPerTask: '1' });
  await expect.poll(() => rowFiles(tables)).toHaveLength(1);
  process.kill(await taskWorker(tables), 'SIGKILL');
  const { subtaskInfos } = await untilState(tables, failing, 'FAILED');
  expect(subtaskInfos).toMatchObject([
    {
      state: 'TASK_ERROR',
      info: expect.stringMatching(/^The process of the task ended unexpectedly \(.*SIGKILL.*\)\.$/),
    },
  ]);
  expect(await rowFiles(tables)).toEqual([]);

  const slow = await load(tables, { taskTimeout: '1ms' });
  const late = await untilState(tables, slow, 'TIMED_OUT');
  expect(late.subtaskInfos).toMatchObject([
    { state: 'TIMED_OUT', info: 'The subtask exceeded the timeout of its task, 1 ms.' },
  ]);

  const again = await load(tables);
  await expect.poll(() => rowFiles(tables)).toHaveLength(1);
  process.kill(await taskWorker(tables), 'SIGKILL');
  expect((await untilState(tables, again, 'COMPLETED')).subtaskInfos).toMatchObject([
    { info: `1 file, ${rowCount.toLocaleString('en-US')} rows, 1 segment` },
  ]);
  expect(await tables.ask('SELECT count(*) FROM hops')).toEqual([[rowCount]]);
});

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

test('a task whose server is killed in the middle of it goes on when that is started again', async () => {
  await using tables = await openHops();
  const task = await load(tables);
  await expect.poll(() => rowFiles(tables)).toHaveLength(1);
  const worker = await taskWorker(tables);
  await tables.kill();
  // No worker outlives its server.
  await until(() => isGone(worker), 'its worker has ended');
  await tables.start();
  await untilState(tables, task, 'COMPLETED');
  expect(await tables.ask('SELECT count(*) FROM hops')).toEqual([[rowCount]]);
});

test('a subtask that takes more memory than it may is ended with its process, and says which limit it was', async () => {
  await using directory = await temporaryDirectory();
  // Takes more than 200 MB.
  const note = 'x'.repeat(1_000_000);
  const rows = Array.from({ length: 100 }, (_, delay) => JSON.stringify({ delay, note }));
  await writeFile(join(directory.path, 'long.json'), rows.join('\n'));
  await using tables = await openHops({
    'controller.preview.source.paths': directory.path,
    'engine.tables.task.workers.memory.maxMB': '128',
  });
  const configs = { inputDirURI: directory.path, includeFileNamePattern: 'glob:long.json' };
  const { subtaskInfos } = await untilState(tables, await load(tables, configs), 'FAILED');
  expect(subtaskInfos).toMatchObject([
    {
      state: 'TASK_ERROR',
      info: expect.stringContaining('engine.tables.task.workers.memory.maxMB'),
    },
  ]);
  expect(await rowFiles(tables)).toEqual([]);
  expect(await tables.ask('SELECT count(*) FROM hops')).toEqual([[0]]);
});
