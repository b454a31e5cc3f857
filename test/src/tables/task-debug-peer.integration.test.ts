import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TaskDebug } from '@quire/api';
import { MiB, systemClock, systemRandom } from '@quire/core';
import { openStream } from '@quire/streams';
import { EmbeddedTableEngine } from '@quire/table-server';
import { createFileFinder } from '@quire/tables';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cannedRestreams } from '../testkit/canned-tables.ts';
import { TestController } from '../testkit/controller-server.ts';
import recorded from './fixtures/pinot-task-debug.json' with { type: 'json' };

/**
 * The debug record of tasks as an Apache Pinot 1.5.1 answered it (fixtures/pinot-task-debug.json:
 * three files that load, and one that does not), and of the same tasks here, member by member.
 */

let directory: string;
let engine: EmbeddedTableEngine;
let controller: TestController;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quire-task-debug-'));
  engine = await EmbeddedTableEngine.open({
    dataDirectory: join(directory, 'tables'),
    clock: systemClock,
    random: systemRandom,
    tenants: ['DefaultTenant'],
    host: 'localhost',
    finder: createFileFinder({ paths: [directory], buckets: [] }),
    rowBytesMax: MiB,
    graceMs: 60_000,
    openStream: (config) => openStream(config, { fileDirectory: join(directory, 'streams') }),
  });
  controller = await TestController.start([], { tables: { engine, restreams: cannedRestreams } });
  for (const [name, rows] of [
    ['genok', ['1', '2', '3']],
    ['genbad', ['x']],
  ] as const) {
    await mkdir(join(directory, name));
    for (const [index, row] of rows.entries()) {
      await writeFile(join(directory, name, `${index}.csv`), `n\n${row}\n`);
    }
    await engine.createSchema({
      schemaName: name,
      metricFieldSpecs: [{ name: 'n', dataType: 'INT' }],
    });
    const batchConfigMaps = [
      {
        inputDirURI: `file://${directory}/${name}/`,
        includeFileNamePattern: 'glob:**/*.csv',
        inputFormat: 'csv',
      },
    ];
    await engine.createTable({
      tableName: `${name}_OFFLINE`,
      tableType: 'OFFLINE',
      segmentsConfig: { replication: '1' },
      ingestionConfig: {
        batchIngestionConfig: {
          segmentIngestionType: 'APPEND',
          segmentIngestionFrequency: 'DAILY',
          batchConfigMaps,
        },
      },
      task: { taskTypeConfigsMap: { SegmentGenerationAndPushTask: {} } },
    });
  }
});

afterAll(async () => {
  await controller[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

async function debug(taskName: string, verbosity: number): Promise<TaskDebug> {
  const answer = await controller.call(`/tasks/task/${taskName}/debug?verbosity=${verbosity}`);
  expect(answer.status).toBe(200);
  return (await answer.json()) as TaskDebug;
}

/** Schedules the task of a table by a call, and waits for its end. */
async function run(table: string): Promise<string> {
  const path = `/tasks/schedule?taskType=SegmentGenerationAndPushTask&tableName=${table}`;
  const scheduled = (await (await controller.call(path, { method: 'POST' })).json()) as Record<
    string,
    string
  >;
  const taskName = scheduled['SegmentGenerationAndPushTask'] ?? '';
  while ((await debug(taskName, 1)).finishTime === undefined) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  return taskName;
}

const times = new Set(['startTime', 'executionStartTime', 'finishTime']);
/** Members of a subtask's configs are each engine's own, except these. */
const sharedConfigs = [
  'inputDirURI',
  'includeFileNamePattern',
  'inputFormat',
  'input.data.file.uri',
  'tableName',
  'TASK_ID',
  'triggeredBy',
];

/** Returns a record in which values that differ between runs are replaced by their shape. */
function shapeOf(value: unknown, name = ''): unknown {
  if (times.has(name)) {
    return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/.test(String(value)) ? 'time' : value;
  }
  if (['taskId', 'TASK_ID'].includes(name)) {
    return /^Task_SegmentGenerationAndPushTask_[\w-]+_\d+_\d+$/.test(String(value))
      ? 'subtask'
      : value;
  }
  if (['participant', 'info', 'inputDirURI', 'input.data.file.uri'].includes(name)) {
    return typeof value;
  }
  if (Array.isArray(value)) return value.map((each) => shapeOf(each));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(
    ([member]) => name !== 'configs' || sharedConfigs.includes(member),
  );
  return Object.fromEntries(members.map(([member, each]) => [member, shapeOf(each, member)]));
}

test('a task that loaded three files: every member is the same, at verbosity 1', async () => {
  const taskName = await run('genok_OFFLINE');
  const ours = await debug(taskName, 1);
  expect(shapeOf(ours)).toEqual(shapeOf(recorded.completedAtVerbosity1));
  expect(ours.subtaskInfos?.map(({ info }) => info)).toEqual(
    Array.from({ length: 3 }, () => '1 file, 1 row, 1 segment'),
  );
  expect(shapeOf(await debug(taskName, 0))).toEqual(shapeOf(recorded.completedAtVerbosity0));
});

test('a task whose file cannot be loaded: the same members, but FAILED, with the whole reason', async () => {
  const taskName = await run('genbad_OFFLINE');
  for (const [verbosity, theirs] of [
    [0, recorded.failedAtVerbosity0],
    [1, recorded.failedAtVerbosity1],
  ] as const) {
    const ours = await debug(taskName, verbosity);
    // The peer reports COMPLETED for a task whose only subtask failed.
    expect([ours.taskState, theirs.taskState]).toEqual(['FAILED', 'COMPLETED']);
    expect(shapeOf({ ...ours, taskState: '' })).toEqual(shapeOf({ ...theirs, taskState: '' }));
    expect(ours.subtaskInfos?.[0]?.info).toContain(
      `${join(directory, 'genbad', '0.csv')}: Row 1, column n:`,
    );
  }
});

test('total is the sum of the other eight counts, here and there', async () => {
  const tasks = await engine.listTasks({ taskType: 'SegmentGenerationAndPushTask' });
  const ours = await Promise.all(
    tasks.map(async ({ taskName }) => (await debug(taskName, 1)).subtaskCount),
  );
  for (const { total, ...others } of [
    ...ours,
    ...Object.values(recorded).map(({ subtaskCount }) => subtaskCount),
  ]) {
    expect([
      Object.keys(others).length,
      Object.values(others).reduce((sum, count) => sum + count, 0),
    ]).toEqual([8, total]);
  }
});
