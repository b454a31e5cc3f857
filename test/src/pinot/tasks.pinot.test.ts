import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PinotTableEngine } from '@quire/engine-pinot';
import { expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import {
  dropTable,
  engineOptions,
  loadTable,
  sharedCluster,
  tellController,
} from './pinot-cluster.ts';
import { type QuireOnPinot, startOnPinot } from './quire-on-pinot.ts';
import { patience } from '../testkit/until.ts';

const taskType = 'SegmentGenerationAndPushTask';
const [mergeType, mergeTimeout] = ['MergeRollupTask', 'MergeRollupTask.timeoutMs'];

interface TaskDebug {
  readonly taskState: string;
  readonly subtaskCount: Readonly<Record<string, number>>;
  readonly triggeredBy: string;
  readonly finishTime?: string;
  readonly subtaskInfos: readonly {
    readonly taskId: string;
    readonly state: string;
    readonly info: string;
  }[];
}

/**
 * Creates a table that is fed from the CSV files of a folder, and schedules the task that does so.
 * Returns the name of the task.
 */
async function scheduleLoad(
  quire: QuireOnPinot,
  name: string,
  folder: string,
  more: object = {},
): Promise<string> {
  const schema = { schemaName: name, dimensionFieldSpecs: [{ name: 'id', dataType: 'LONG' }] };
  expect(await quire.tell('POST', '/schemas', schema)).toMatchObject({ status: 200 });
  const batchConfig = {
    inputDirURI: `file://${folder}/`,
    'input.fs.className': 'org.apache.pinot.spi.filesystem.LocalPinotFS',
    inputFormat: 'csv',
    includeFileNamePattern: 'glob:**/*.csv',
    'push.mode': 'TAR',
    ...more,
  };
  const made = await quire.tell('POST', '/tables', {
    tableName: `${name}_OFFLINE`,
    tableType: 'OFFLINE',
    segmentsConfig: { replication: '1' },
    ingestionConfig: {
      batchIngestionConfig: {
        segmentIngestionType: 'APPEND',
        segmentIngestionFrequency: 'DAILY',
        batchConfigMaps: [batchConfig],
      },
    },
    task: { taskTypeConfigsMap: { [taskType]: {} } },
  });
  expect(made).toMatchObject({ status: 200 });
  return schedule(quire, taskType, name);
}

/** Schedules the task of a type and a table. Returns its name. */
async function schedule(quire: QuireOnPinot, type: string, name: string): Promise<string> {
  const { status, body } = await quire.tell(
    'POST',
    `/tasks/schedule?taskType=${type}&tableName=${name}_OFFLINE`,
  );
  expect(status).toBe(200);
  const taskName = JSON.stringify(body).match(new RegExp(`Task_${type}_[\\w-]+`))?.[0];
  expect([body, taskName]).toEqual([expect.anything(), expect.any(String)]);
  return taskName ?? '';
}

async function readDebug(quire: QuireOnPinot, taskName: string): Promise<TaskDebug> {
  const { status, body } = await quire.tell('GET', `/tasks/task/${taskName}/debug?verbosity=1`);
  expect(status).toBe(200);
  return body as unknown as TaskDebug;
}

/** Returns the debug record of a task, once it has finished. */
function untilFinished(quire: QuireOnPinot, taskName: string): Promise<TaskDebug> {
  return vi.waitFor(async () => {
    const debug = await readDebug(quire, taskName);
    expect(debug.finishTime).toBeDefined();
    // Apache Pinot reports the end of the subtasks before that of their task.
    expect(['IN_PROGRESS', 'STOPPING']).not.toContain(debug.taskState);
    return debug;
  }, patience);
}

/** Starts a server that holds calls until `refuse` is called, and then answers all with 404. */
async function holdCalls() {
  const [received, refused] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const server = createServer((_request, response) => {
    received.resolve();
    void refused.promise.then(() => response.writeHead(404).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: received.promise,
    refuse: () => refused.resolve(),
    async [Symbol.asyncDispose]() {
      refused.resolve();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describeWithTool(pinotServer, 'the debug record of a task on Apache Pinot', () => {
  test('the debug record of a task on Apache Pinot tells of one that succeeds, and why another one fails', async () => {
    const cluster = sharedCluster();
    await using directory = await temporaryDirectory();
    await using quire = await startOnPinot();
    await using engine = new PinotTableEngine(engineOptions(cluster));
    const [good, bad] = [join(directory.path, 'good'), join(directory.path, 'bad')];
    for (const [folder, text] of [
      [good, 'id\n1\n2\n'],
      [bad, 'id\nmany\n'],
    ] as const) {
      await mkdir(folder);
      await writeFile(join(folder, 'rows.csv'), text);
    }
    try {
      const done = await untilFinished(quire, await scheduleLoad(quire, 'loaded', good));
      expect(done).toMatchObject({
        taskState: 'COMPLETED',
        triggeredBy: 'MANUAL_TRIGGER',
        subtaskCount: { total: 1, completed: 1, error: 0 },
        subtaskInfos: [{ state: 'COMPLETED' }],
      });
      const failed = await untilFinished(quire, await scheduleLoad(quire, 'refused', bad));
      expect(failed).toMatchObject({
        subtaskCount: { total: 1, completed: 0, error: 1 },
        subtaskInfos: [{ state: 'TASK_ERROR' }],
      });
      // Apache Pinot stores the beginning of a stack trace, and no more.
      expect(failed.subtaskInfos[0]?.info).toContain(`Failed to execute ${taskType}`);
      expect((await quire.tell('GET', `/tasks/task/Task_${taskType}_none/debug`)).status).toBe(404);
      expect(await engine.readTaskQueue(taskType)).toBe('RUNNING');
      await engine.stopTaskQueue(taskType);
      await expect.poll(() => engine.readTaskQueue(taskType)).toBe('STOPPED');
      await engine.resumeTaskQueue(taskType);
      await expect.poll(() => engine.readTaskQueue(taskType)).toBe('RUNNING');
      await expect(
        engine.cancelTask(done.subtaskInfos[0]?.taskId.replace(/_0$/, '') ?? ''),
      ).rejects.toMatchObject({
        code: 'UNSUPPORTED',
      });
    } finally {
      for (const name of ['loaded', 'refused']) await dropTable(cluster, engine, name);
    }
  });

  test('a task on Apache Pinot whose queue is stopped while it runs is STOPPING until its minion returns', async () => {
    const cluster = sharedCluster();
    await using directory = await temporaryDirectory();
    await using quire = await startOnPinot();
    await using engine = new PinotTableEngine(engineOptions(cluster));
    await using minionCall = await holdCalls();
    await writeFile(join(directory.path, 'rows.csv'), 'id\n1\n');
    try {
      const taskName = await scheduleLoad(quire, 'held_back', directory.path, {
        schemaURI: `${minionCall.url}/schema`,
      });
      await minionCall.received;
      await engine.stopTaskQueue(taskType);
      await expect
        .poll(() => readDebug(quire, taskName), patience)
        .toMatchObject({ taskState: 'STOPPING', subtaskInfos: [{ state: 'RUNNING' }] });
      expect(await engine.readTaskQueue(taskType)).toBe('STOPPED');
      minionCall.refuse();
      expect(await untilFinished(quire, taskName)).toMatchObject({
        taskState: 'COMPLETED',
        subtaskInfos: [{ state: 'TASK_ERROR' }],
      });
    } finally {
      minionCall.refuse();
      await engine.resumeTaskQueue(taskType);
      await dropTable(cluster, engine, 'held_back');
    }
  });

  test('a subtask on Apache Pinot that exceeds the timeout of its type is TIMED_OUT', async () => {
    const cluster = sharedCluster();
    await using quire = await startOnPinot();
    await using engine = new PinotTableEngine(engineOptions(cluster));
    const timeColumn = {
      name: 'ts',
      dataType: 'LONG',
      format: 'EPOCH|MILLISECONDS|1',
      granularity: 'MILLISECONDS|1',
    };
    const schema = { schemaName: 'merged', dateTimeFieldSpecs: [timeColumn] };
    const options = {
      '1day.mergeType': 'concat',
      '1day.bucketTimePeriod': '1d',
      '1day.bufferTimePeriod': '1d',
    };
    const rows = [[{ ts: 1_767_225_600_000 }], [{ ts: 1_767_225_600_001 }]];
    // A minion checks the time limit of its task after merging, long after a millisecond.
    await tellController(cluster, 'POST', '/cluster/configs', { [mergeTimeout]: '1' });
    try {
      await loadTable(cluster, schema, rows, {
        segmentsConfig: { replication: '1', timeColumnName: 'ts' },
        task: { taskTypeConfigsMap: { [mergeType]: options } },
      });
      const taskName = await schedule(quire, mergeType, 'merged');
      expect(await untilFinished(quire, taskName)).toMatchObject({
        taskState: 'COMPLETED',
        subtaskCount: { total: 1, completed: 0, timedOut: 1 },
        subtaskInfos: [{ state: 'TIMED_OUT' }],
      });
      expect((await engine.readTask(taskName)).subtasks).toMatchObject([{ state: 'TIMED_OUT' }]);
    } finally {
      await tellController(cluster, 'DELETE', `/cluster/configs/${mergeTimeout}`);
      await dropTable(cluster, engine, 'merged');
    }
  });
});
