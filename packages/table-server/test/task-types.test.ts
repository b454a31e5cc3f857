import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MiB, systemClock } from '@quire/core';
import type { TaskRecord } from '@quire/core/table-engine';
import { describe, expect, test } from 'vitest';
import { isFinal } from '../src/tasks/task-transitions.ts';
import { TestServer } from './test-server.ts';
import {
  addFile,
  batch,
  config,
  dayMs,
  ended,
  finder,
  generation,
  ingest,
  inputs,
  openSales,
  reasonOf,
  sale,
  schedule,
  schema,
  startMs,
  sums,
  useInputs,
} from './task-server.ts';

useInputs();

describe(generation, () => {
  test('generation loads each file once, all files of a task in one moment, also after a restart', async () => {
    await using server = await openSales(config({ [generation]: {} }, batch()));
    expect(await reasonOf(server, generation)).toMatch(/^No file matches .*\*\*\/\*\.csv\.$/);
    await addFile('a.csv', [['a', 1, 1, startMs]]);
    await addFile('deep/b.csv', [
      ['b', 2, 2, startMs],
      ['b', 3, 3, startMs],
    ]);
    await addFile('c.txt', []);
    const seen = new Set<number>();
    const taskName = await schedule(server, generation);
    for (let isRunning = true; isRunning;) {
      isRunning = !isFinal((await server.engine.readTask(taskName)).state);
      seen.add((await server.value('SELECT count(*)::INT FROM sales')) as number);
    }
    expect([...seen].every((rows) => rows === 0 || rows === 3)).toBe(true);
    const task = await server.engine.readTask(taskName);
    expect(task).toMatchObject({
      state: 'COMPLETED',
      trigger: 'MANUAL_TRIGGER',
      taskType: generation,
    });
    expect(task.subtasks.map(({ state, info, participant }) => [state, info, participant])).toEqual(
      [
        ['COMPLETED', '1 file, 1 row, 1 segment', 'Server_localhost'],
        ['COMPLETED', '1 file, 2 rows, 1 segment', 'Server_localhost'],
      ],
    );
    expect(await server.rows(sums)).toEqual([{ n: 3, amount: 6 }]);
    expect(await reasonOf(server, generation)).toMatch(
      /^All files that match .* have been loaded already \(2\)\.$/,
    );
    await server.restart();
    await addFile('d.csv', [['d', 4, 4, startMs]]);
    await ended(server, await schedule(server, generation));
    expect(await server.rows(sums)).toEqual([{ n: 4, amount: 10 }]);
    expect(
      (await server.engine.listTasks({ taskType: generation })).map(({ state }) => state),
    ).toEqual(['COMPLETED', 'COMPLETED']);
  });

  test('generation with REFRESH replaces all that there is by all files', async () => {
    await using server = await openSales(config({ [generation]: {} }, batch('REFRESH')));
    await addFile('a.csv', [['a', 1, 1, startMs]]);
    await ended(server, await schedule(server, generation));
    await addFile('b.csv', [['b', 2, 2, startMs]]);
    await ended(server, await schedule(server, generation));
    expect(await server.rows(sums)).toEqual([{ n: 2, amount: 3 }]);
  });

  test('generation with one file that cannot be read is FAILED: nothing appears, and the whole reason is told', async () => {
    await using server = await openSales(config({ [generation]: {} }, batch()));
    await addFile('a.csv', [['a', 1, 1, startMs]]);
    await writeFile(
      join(inputs, 'bad.csv'),
      `shop,amount,least,ts\nx,${'y'.repeat(900)},1,${startMs}\n`,
    );
    const task = await ended(server, await schedule(server, generation));
    expect(task.state).toBe('FAILED');
    const failed = task.subtasks.find(({ state }) => state === 'TASK_ERROR');
    expect(failed?.info).toContain(`${join(inputs, 'bad.csv')}: Row 1, column amount:`);
    expect(failed?.attemptCount).toBe(1);
    expect(await server.engine.listSegments('sales_OFFLINE')).toEqual([]);
    const [tableId = ''] = await readdir(join(server.directory, 'data'));
    expect(
      (await readdir(join(server.directory, 'data', tableId))).filter((name) =>
        name.endsWith('.parquet'),
      ),
    ).toEqual([]);
    // A failed file was not loaded, so the next task tries it again.
    await rm(join(inputs, 'bad.csv'));
    expect((await ended(server, await schedule(server, generation))).state).toBe('COMPLETED');
  });

  test('a task that fails by a defect has its sentence in the record, and its stack in the log only', async () => {
    const logged: unknown[] = [];
    const defect = new TypeError('rows is not iterable');
    await using server = await TestServer.open({
      finder,
      runSubtask: () => Promise.reject(defect),
      onTaskFailed: (error) => logged.push(error),
    });
    await server.engine.createSchema(schema);
    await server.engine.createTable(config({ [generation]: { maxAttemptsPerTask: '1' } }, batch()));
    await addFile('a.csv', [['a', 7, 7, startMs]]);
    const { state, subtasks } = await ended(server, await schedule(server, generation));
    expect([state, subtasks[0]?.info]).toEqual(['FAILED', 'TypeError: rows is not iterable']);
    expect(logged).toEqual([defect]);
  });

  test('generation runs once with a config of its own, under its own name', async () => {
    await using server = await openSales(config({}));
    await addFile('a.csv', [['a', 7, 7, startMs]]);
    const request = {
      taskType: generation,
      tableNameWithType: 'sales_OFFLINE',
      taskName: 'mine',
      configs: { inputDirURI: inputs, inputFormat: 'csv' },
    };
    const made = await server.engine.executeTask(request);
    expect(made).toMatchObject({
      taskName: `Task_${generation}_mine`,
      trigger: 'ADHOC_TRIGGER',
      state: 'NOT_STARTED',
    });
    await ended(server, made.taskName);
    expect(await server.rows(sums)).toEqual([{ n: 1, amount: 7 }]);
    await addFile('b.csv', [['b', 1, 1, startMs]]);
    await expect(server.engine.executeTask(request)).rejects.toMatchObject({ code: 'TASK_EXISTS' });
    await expect(server.engine.executeTask({ ...request, taskName: '../x' })).rejects.toMatchObject(
      {
        code: 'INVALID_PARAMETER',
      },
    );
    const other = { ...request, taskName: 'other', configs: {} };
    await expect(server.engine.executeTask(other)).rejects.toMatchObject({
      code: 'TABLE_INVALID',
      findings: [{ path: '/inputDirURI' }],
    });
    const unread = { ...other, configs: { ...request.configs, Delimiter: ';' } };
    await expect(server.engine.executeTask(unread)).rejects.toMatchObject({
      code: 'TABLE_INVALID',
      findings: [
        {
          path: '/Delimiter',
          message: 'It is unknown; expected recordReader.prop.delimiter.',
        },
      ],
    });
    await expect(server.engine.executeTask({ ...request, taskType: 'X' })).rejects.toMatchObject({
      code: 'TASK_TYPE_NOT_FOUND',
    });
  });
});

describe('MergeRollupTask', () => {
  const merge = (options: object) =>
    config({
      MergeRollupTask: { '1day.bucketTimePeriod': '1d', '1day.bufferTimePeriod': '1d', ...options },
    });
  async function openMerged(
    options: object,
  ): Promise<{ readonly server: TestServer; readonly task: TaskRecord }> {
    const server = await openSales(merge(options));
    await ingest(server, [sale('a', 1, startMs), sale('b', 2, startMs)]);
    await ingest(server, [sale('a', 1, startMs), sale('a', 5, startMs), sale('b', 2, startMs + 1)]);
    await ingest(server, [sale('a', 9, startMs + dayMs)]);
    const young = systemClock.nowMs();
    await ingest(server, [sale('y', 1, young)]);
    await ingest(server, [sale('y', 1, young)]);
    return { server, task: await ended(server, await schedule(server, 'MergeRollupTask')) };
  }
  const rows = (server: TestServer) =>
    server.rows(
      `SELECT shop, amount::INT AS amount, least, (ts - ${startMs})::INT AS ts FROM sales WHERE ts < ${startMs + dayMs} ORDER BY ALL`,
    );

  test('concat: the segments of a bucket become one, with every row; what is young or alone stays', async () => {
    const { server, task } = await openMerged({});
    await using _server = server;
    expect(task).toMatchObject({
      state: 'COMPLETED',
      subtasks: [{ info: '2 segments merged by concat: 5 rows, 1 segment' }],
    });
    const segments = await server.engine.listSegments('sales_OFFLINE');
    expect(
      segments.map(({ rowCount }) => rowCount).toSorted((left, right) => left - right),
    ).toEqual([1, 1, 1, 5]);
    expect(segments.find(({ rowCount }) => rowCount === 5)?.custom).toEqual({
      mergeLevel: '1day',
      bucketStartMs: String(startMs),
    });
    expect(await rows(server)).toHaveLength(5);
    expect(await reasonOf(server, 'MergeRollupTask')).toBe(
      'No bucket has two segments that are older than the buffer (1day).',
    );
    // A late segment is merged with those merged before.
    await ingest(server, [sale('late', 1, startMs + 5)]);
    expect(
      (await ended(server, await schedule(server, 'MergeRollupTask'))).subtasks[0]?.info,
    ).toContain('6 rows, 1 segment');
  });

  test('dedup: rows that are equal in every column are kept once', async () => {
    const { server } = await openMerged({ '1day.mergeType': 'dedup' });
    await using _server = server;
    expect(await rows(server)).toEqual([
      { shop: 'a', amount: 1, least: 1, ts: 0 },
      { shop: 'a', amount: 5, least: 5, ts: 0 },
      { shop: 'b', amount: 2, least: 2, ts: 0 },
      { shop: 'b', amount: 2, least: 2, ts: 1 },
    ]);
  });

  test('rollup: metrics of rows that are otherwise equal are put together, times rounded first', async () => {
    const { server } = await openMerged({
      '1day.mergeType': 'rollup',
      '1day.roundBucketTimePeriod': '1h',
      'least.aggregationType': 'min',
    });
    await using _server = server;
    expect(await rows(server)).toEqual([
      { shop: 'a', amount: 7, least: 1, ts: 0 },
      { shop: 'b', amount: 4, least: 2, ts: 0 },
    ]);
  });

  test('MergeRollupTask merges into segments of at most so many rows', async () => {
    const { server, task } = await openMerged({ '1day.maxNumRecordsPerSegment': '2' });
    await using _server = server;
    expect(task.subtasks[0]?.info).toBe('2 segments merged by concat: 5 rows, 3 segments');
    expect(await rows(server)).toHaveLength(5);
  });

  test('MergeRollupTask works in subtasks of at most so many rows, each of whole segments', async () => {
    const { server, task } = await openMerged({ '1day.maxNumRecordsPerTask': '3' });
    await using _server = server;
    expect(task.subtasks.map(({ info }) => String(info)).toSorted()).toEqual([
      '1 segment merged by concat: 2 rows, 1 segment',
      '1 segment merged by concat: 3 rows, 1 segment',
    ]);
    expect(await rows(server)).toHaveLength(5);
    // Fully merged segments are not merged again.
    expect((await server.engine.scheduleTasks({ taskType: 'MergeRollupTask' })).scheduled).toEqual(
      [],
    );
  });

  test('a segment whose file is damaged makes the task fail, by its name: nothing is merged, and what it had stays', async () => {
    await using server = await openSales(merge({ '1day.mergeType': 'rollup' }));
    await ingest(server, [sale('a', 1, startMs)]);
    await ingest(server, [sale('b', 1, startMs)]);
    const [segment] = await server.engine.listSegments('sales_OFFLINE');
    const paths = await readdir(join(server.directory, 'data'), { recursive: true });
    const file = join(
      server.directory,
      'data',
      paths.find((path) => path.includes(`${segment?.segmentName}.`)) ?? '',
    );
    const bytes = await readFile(file);
    const index = bytes.indexOf('PAR1') + 20;
    await writeFile(file, bytes.with(index, (bytes[index] ?? 0) ^ 1));
    const task = await ended(server, await schedule(server, 'MergeRollupTask'));
    expect(task).toMatchObject({
      state: 'FAILED',
      subtasks: [
        {
          info: expect.stringMatching(
            `^The table is damaged: ${segment?.segmentName}\\. The file of this segment of sales_OFFLINE has`,
          ),
        },
      ],
    });
    expect(await server.engine.listSegments('sales_OFFLINE')).toHaveLength(2);
    await writeFile(file, bytes);
    expect(await server.rows(sums)).toEqual([{ n: 2, amount: 2 }]);
  });

  test('a segment that goes while it is merged makes the task fail: its rows do not come back', async () => {
    await using server = await openSales(merge({}));
    await ingest(server, [sale('a', 1, startMs)]);
    await ingest(server, [sale('b', 1, startMs)]);
    await server.engine.stopTaskQueue('MergeRollupTask');
    const taskName = await schedule(server, 'MergeRollupTask');
    const [first] = await server.engine.listSegments('sales_OFFLINE');
    await server.engine.deleteSegment('sales_OFFLINE', first?.segmentName ?? '');
    await server.engine.resumeTaskQueue('MergeRollupTask');
    const task = await ended(server, taskName);
    expect([task.state, task.subtasks[0]?.state]).toEqual(['FAILED', 'TASK_ERROR']);
    expect(task.subtasks[0]?.info).toContain(
      `Segment ${first?.segmentName} was removed from the table while its rows were being merged.`,
    );
    expect(await server.engine.countRows('sales_OFFLINE')).toBe(1);
  });

  test('a config that does not suit it is an error that names the option', async () => {
    await using server = await openSales(
      config({
        MergeRollupTask: { '1day.bucketTimePeriod': '1d', 'amount.aggregationType': 'AVG' },
      }),
    );
    await ingest(server, [sale('a', 1, startMs)]);
    await ingest(server, [sale('b', 1, startMs)]);
    const { errors } = await server.engine.scheduleTasks({ taskType: 'MergeRollupTask' });
    expect(errors[0]?.message).toContain(
      'amount.aggregationType: ‘AVG’ is not supported here; expected sum, min or max.',
    );
  });
});

describe('RealtimeToOfflineSegmentsTask', () => {
  const type = 'RealtimeToOfflineSegmentsTask';

  test('RealtimeToOfflineSegmentsTask moves one window after the other into the offline half; queries see each row once', async () => {
    await using server = await TestServer.open({ finder, rowBytesMax: MiB });
    await mkdir(join(server.directory, 'streams', 'sales'), { recursive: true });
    const messages = [
      sale('a', 1, startMs),
      sale('b', 2, startMs + 1),
      sale('c', 4, startMs + dayMs),
      sale('d', 8, startMs + 2 * dayMs),
    ];
    await writeFile(
      join(server.directory, 'streams', 'sales', '0.jsonl'),
      messages.map((row) => `${JSON.stringify(row)}\n`).join(''),
    );
    await server.engine.createSchema(schema);
    await server.engine.createTable(config({}));
    await server.engine.createTable({
      ...config({ [type]: { bucketTimePeriod: '1d', bufferTimePeriod: '1d' } }),
      tableName: 'sales_REALTIME',
      tableType: 'REALTIME',
      tableIndexConfig: {
        streamConfigs: {
          streamType: 'file',
          'stream.file.topic.name': 'sales',
          'stream.file.decoder.class.name': 'json',
          'stream.file.consumer.prop.auto.offset.reset': 'smallest',
        },
      },
    });
    while ((await server.engine.countRows('sales_REALTIME')) < 4) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await reasonOf(server, type)).toBe(
      'No committed segment has rows that have not moved yet.',
    );
    await server.engine.pauseConsumption('sales_REALTIME');
    while (
      (await server.engine.listSegments('sales_REALTIME')).some(
        ({ state }) => state === 'CONSUMING',
      )
    ) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const offlineRows: number[] = [];
    for (let window = 0; window < 3; window += 1) {
      expect((await ended(server, await schedule(server, type))).state).toBe('COMPLETED');
      offlineRows.push(await server.engine.countRows('sales_OFFLINE'));
      expect(await server.rows(sums)).toEqual([{ n: 4, amount: 15 }]);
      await server.restart();
    }
    expect(offlineRows).toEqual([2, 3, 4]);
    expect(await reasonOf(server, type)).toBe(
      'No committed segment has rows that have not moved yet.',
    );
  });
});
