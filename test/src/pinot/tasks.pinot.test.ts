import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PinotTableEngine } from '@quire/engine-pinot';
import { expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import { dropTable, engineOptions, sharedCluster } from './pinot-cluster.ts';
import { type QuireOnPinot, startOnPinot } from './quire-on-pinot.ts';
import { patience } from '../testkit/until.ts';

const taskType = 'SegmentGenerationAndPushTask';

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
 * Makes a table that is fed from the CSV files of a folder, and schedules the task that does so.
 * Gives the name of the task.
 */
async function schedule(quire: QuireOnPinot, name: string, folder: string): Promise<string> {
  const schema = { schemaName: name, dimensionFieldSpecs: [{ name: 'id', dataType: 'LONG' }] };
  expect(await quire.tell('POST', '/schemas', schema)).toMatchObject({ status: 200 });
  const batchConfig = {
    inputDirURI: `file://${folder}/`,
    'input.fs.className': 'org.apache.pinot.spi.filesystem.LocalPinotFS',
    inputFormat: 'csv',
    includeFileNamePattern: 'glob:**/*.csv',
    'push.mode': 'TAR',
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
  const { status, body } = await quire.tell(
    'POST',
    `/tasks/schedule?taskType=${taskType}&tableName=${name}_OFFLINE`,
  );
  expect(status).toBe(200);
  const taskName = JSON.stringify(body).match(new RegExp(`Task_${taskType}_[\\w-]+`))?.[0];
  expect([body, taskName]).toEqual([expect.anything(), expect.any(String)]);
  return taskName ?? '';
}

/** Returns the debug record of a task, once it has finished. */
function untilFinished(quire: QuireOnPinot, taskName: string): Promise<TaskDebug> {
  return vi.waitFor(async () => {
    const { status, body } = await quire.tell('GET', `/tasks/task/${taskName}/debug?verbosity=1`);
    expect(status).toBe(200);
    const debug = body as unknown as TaskDebug;
    expect(debug.finishTime).toBeDefined();
    // Apache Pinot knows the end of the subtasks before that of their task.
    expect(debug.taskState).not.toBe('IN_PROGRESS');
    return debug;
  }, patience);
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
      const done = await untilFinished(quire, await schedule(quire, 'loaded', good));
      expect(done).toMatchObject({
        taskState: 'COMPLETED',
        triggeredBy: 'MANUAL_TRIGGER',
        subtaskCount: { total: 1, completed: 1, error: 0 },
        subtaskInfos: [{ state: 'COMPLETED' }],
      });
      const failed = await untilFinished(quire, await schedule(quire, 'refused', bad));
      expect(failed).toMatchObject({
        subtaskCount: { total: 1, completed: 0, error: 1 },
        subtaskInfos: [{ state: 'TASK_ERROR' }],
      });
      // Apache Pinot keeps the beginning of a stack trace, and says no more of it.
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
});
