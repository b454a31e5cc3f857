import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SeededRandom } from '@quire/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { Records } from '../src/directory/records.ts';
import { TableDirectory } from '../src/directory/table-directory.ts';
import { configOf, Orders, schema, startMs } from './orders.ts';
import { jsonLines } from './test-server.ts';
import { patience } from '../../../test/src/testkit/until.ts';

describe('a real-time table', () => {
  test('a real-time table shows messages of all partitions before they are committed, and goes on after a restart', async () => {
    await using orders = await Orders.open();
    const { engine } = orders.server;
    await orders.append(10);
    await orders.append(5, 1);
    await engine.createTable(configOf());
    await orders.untilRows(15);
    expect(await orders.committed()).toEqual([]);
    const caughtUp = { state: 'CONSUMING', lagMessages: 0, lagMs: 0, skippedCount: 0, error: null };
    // Rows may be in answers a moment before the state counts them.
    await expect
      .poll(() => engine.readConsumption('orders_REALTIME'))
      .toMatchObject({
        isPaused: false,
        isReady: true,
        partitions: [
          { partition: 0, ...caughtUp },
          { partition: 1, ...caughtUp },
        ],
      });
    await orders.server.restart();
    await orders.append(7);
    await orders.untilRows(22);
    expect(await orders.summaries()).toEqual(orders.eachOnce);
  });

  test('a real-time table commits at its threshold of rows, one segment after the other without a gap', async () => {
    await using orders = await Orders.open();
    await orders.server.engine.createTable(
      configOf({ 'realtime.segment.flush.threshold.rows': '10' }),
    );
    await orders.append(10);
    await orders.untilCommitted(1);
    // The rows are in two chunks, which the commit merges.
    await orders.append(5);
    await orders.untilRows(15);
    await orders.append(7);
    await orders.untilCommitted(2);
    await orders.untilRows(22);
    const [first, second] = await orders.committed();
    expect(second).toMatchObject({
      rowCount: 12,
      minTimeMs: startMs + 11,
      maxTimeMs: startMs + 22,
    });
    expect(first?.segmentName).toMatch(/^orders__0__0__\d{8}T\d{4}Z$/);
    expect(second?.stream).toMatchObject({
      partition: 0,
      sequence: 1,
      startOffset: first?.stream?.endOffset,
    });
    expect(await orders.summaries()).toEqual(orders.eachOnce);
  });

  test('a real-time table commits what it consumes when it is forced to, and when it is paused; a pause survives a restart', async () => {
    await using orders = await Orders.open();
    await orders.append(3);
    await orders.append(2, 1);
    await orders.server.engine.createTable(configOf());
    await orders.untilRows(5);
    const job = await orders.server.engine.forceCommit('orders_REALTIME');
    expect(job.segmentNames).toHaveLength(2);
    await expect
      .poll(async () => (await orders.server.engine.readForceCommit(job.jobId)).pendingSegmentNames)
      .toEqual([]);
    expect(await orders.committed()).toHaveLength(2);
    // The request survives the server that received it.
    await orders.server.restart();
    expect(await orders.server.engine.readForceCommit(job.jobId)).toEqual({
      ...job,
      pendingSegmentNames: [],
    });
    await orders.append(4);
    await orders.untilRows(9);
    expect(
      await orders.server.engine.pauseConsumption('orders_REALTIME', { comment: 'for the night' }),
    ).toMatchObject({
      isPaused: true,
      comment: 'for the night',
    });
    await orders.untilCommitted(3);
    await orders.append(1);
    await orders.server.restart();
    // No partition is consumed: the list is that of the table and the stream.
    const paused = await orders.server.engine.readConsumption('orders_REALTIME');
    expect(paused).toMatchObject({ isPaused: true, isReady: true });
    expect(paused.partitions).toMatchObject([
      { partition: 0, state: 'PAUSED', segmentName: null, lagMessages: 1, error: null },
      { partition: 1, state: 'PAUSED', segmentName: null, lagMessages: 0, error: null },
    ]);
    await orders.untilRows(9);
    await orders.server.engine.resumeConsumption('orders_REALTIME');
    await orders.untilRows(10);
    expect(await orders.summaries()).toEqual(orders.eachOnce);
  });

  test('a real-time table has what it consumed committed at its next start when it was paused and killed', async () => {
    await using orders = await Orders.open();
    await orders.append(3);
    await orders.server.engine.createTable(configOf());
    await orders.untilRows(3);
    await orders.server.engine[Symbol.asyncDispose]();
    // The state that a server leaves when it is killed between the request and the commit.
    const [table = ''] = await readdir(join(orders.server.directory, 'data'));
    const records = new Records({ random: new SeededRandom(1) });
    const paused = { isPaused: true, changedMs: 1, comment: null };
    await records.replace(new TableDirectory(orders.server.directory).consumption(table), paused);
    await orders.server.restart();
    expect(await orders.committed()).toMatchObject([{ rowCount: 3 }]);
    expect(await orders.summaries()).toEqual(orders.eachOnce);
  });

  test('a real-time table commits after a restart what it was asked to commit before', async () => {
    await using orders = await Orders.open();
    await orders.append(3);
    await orders.server.engine.createTable(configOf());
    await orders.untilRows(3);
    const [consuming] = (await orders.server.engine.listSegments('orders_REALTIME')).map(
      ({ segmentName }) => segmentName,
    );
    await orders.server.engine[Symbol.asyncDispose]();
    // The state that a server leaves if it is killed immediately after it has recorded the request.
    const [tableId = ''] = await readdir(join(orders.server.directory, 'data'));
    const job = {
      jobId: 'wish',
      tableNameWithType: 'orders_REALTIME',
      submittedMs: 1,
      segmentNames: [consuming],
    };
    const record = { formatVersion: 1, jobs: [{ job, tableId }] };
    await writeFile(join(orders.server.directory, 'force-commits.json'), JSON.stringify(record));
    await orders.server.restart();
    expect(await orders.server.engine.readForceCommit('wish')).toEqual({
      ...job,
      pendingSegmentNames: [consuming],
    });
    await expect
      .poll(() => orders.server.engine.readForceCommit('wish'))
      .toEqual({
        ...job,
        pendingSegmentNames: [],
      });
    expect(await orders.committed()).toMatchObject([{ segmentName: consuming, rowCount: 3 }]);
    expect(await orders.summaries()).toEqual(orders.eachOnce);
  });

  test('a real-time table is RETRYING while its stream is away, from the start or later, and goes on when it is back', async () => {
    await using orders = await Orders.open();
    const { server } = orders;
    const [topic, elsewhere] = [
      join(server.directory, 'streams/orders'),
      join(server.directory, 'streams/away'),
    ];
    await orders.append(2);
    await server.engine.createTable(configOf());
    await orders.untilRows(2);
    const states = async () =>
      (await server.engine.readConsumption('orders_REALTIME')).partitions.map(({ state }) => state);
    await rename(topic, elsewhere);
    await expect.poll(() => states()).toEqual(['RETRYING', 'RETRYING']);
    await server.restart();
    await expect.poll(() => states()).toEqual(['RETRYING', 'RETRYING']);
    expect(await server.engine.readConsumption('orders_REALTIME')).toMatchObject({
      isReady: false,
      partitions: [
        { error: expect.stringContaining('orders') },
        { error: expect.stringContaining('orders') },
      ],
    });
    await rename(elsewhere, topic);
    await orders.append(1);
    await orders.untilRows(3);
    await expect.poll(() => states()).toEqual(['CONSUMING', 'CONSUMING']);
    expect(await orders.summaries()).toEqual(orders.eachOnce);
  });

  test('a real-time table goes on with the oldest message where the stream dropped others while it was paused, and says which', async () => {
    await using orders = await Orders.open();
    const { engine } = orders.server;
    await orders.append(5);
    await engine.createTable(configOf());
    await orders.untilRows(5);
    await engine.pauseConsumption('orders_REALTIME');
    await orders.untilCommitted(1);
    await orders.append(5);
    // The state after retention has dropped the first eight messages.
    const topic = join(orders.server.directory, 'streams/orders');
    const lines = (await readFile(join(topic, '0.jsonl'), 'utf8')).split('\n');
    const lengthOf = (count: number): number => lines.slice(0, count).join('\n').length + 1;
    await writeFile(join(topic, `0.${lengthOf(8)}.jsonl`), lines.slice(8).join('\n'));
    await rm(join(topic, '0.jsonl'));
    await engine.resumeConsumption('orders_REALTIME');
    await orders.untilRows(7);
    const notice = expect.stringContaining(
      `from offset ${lengthOf(5)} up to ${lengthOf(8)} before they were consumed`,
    ) as string;
    const partition = async () =>
      (await orders.server.engine.readConsumption('orders_REALTIME')).partitions[0];
    await expect.poll(() => partition()).toMatchObject({ state: 'CONSUMING', error: null, notice });
    await engine.forceCommit('orders_REALTIME');
    await orders.untilCommitted(2);
    await orders.server.restart();
    await expect.poll(() => partition()).toMatchObject({ state: 'CONSUMING', error: null, notice });
    expect(await orders.summaries()).toEqual([{ item: 'p0', c: 7, d: 7, m: 10 }]);
  });

  test('a real-time table says of a stream that ends before what it consumed that this is another, and takes it when it is told to', async () => {
    await using orders = await Orders.open();
    const { engine, directory } = orders.server;
    await orders.append(5);
    await engine.createTable(configOf());
    await orders.untilRows(5);
    await writeFile(
      join(directory, 'streams/orders/0.jsonl'),
      `{"item":"new","n":1,"ts":${startMs}}\n`,
    );
    await vi.waitFor(async () => {
      const [partition] = (await engine.readConsumption('orders_REALTIME')).partitions;
      expect(partition).toMatchObject({
        state: 'RETRYING',
        error: expect.stringContaining('consumeFrom=smallest'),
      });
    }, patience);
    await engine.resumeConsumption('orders_REALTIME', { from: 'smallest' });
    await orders.untilRows(6);
  });

  test('a real-time table goes on from either end of the stream when it is asked to', async () => {
    await using orders = await Orders.open();
    await orders.append(4);
    await orders.server.engine.createTable(configOf(), { isPaused: true });
    await orders.server.engine.resumeConsumption('orders_REALTIME', { from: 'largest' });
    await orders.append(2);
    await orders.untilRows(2);
    await orders.server.engine.resumeConsumption('orders_REALTIME', { from: 'smallest' });
    await orders.untilRows(8);
    expect(await orders.server.value('SELECT max(n) FROM orders')).toBe(6);
  });

  test('a real-time table stops at a bad message, and goes on behind it once the config says to continue', async () => {
    await using orders = await Orders.open();
    const { engine } = orders.server;
    await orders.append(2);
    await orders.appendTexts(['{"item": ']);
    await orders.append(2);
    await engine.createTable(configOf());
    await orders.untilRows(2);
    const partition = async () => (await engine.readConsumption('orders_REALTIME')).partitions[0];
    await expect.poll(partition).toMatchObject({
      state: 'STOPPED',
      error: expect.stringMatching(/^Message \d+ is not JSON/),
      skippedCount: 0,
    });
    await engine.updateTable(configOf({}, { continueOnError: true }));
    await orders.untilRows(4);
    await expect.poll(partition).toMatchObject({
      state: 'CONSUMING',
      skippedCount: 1,
      error: null,
      notice: expect.stringMatching(/^Message \d+ was skipped: it is not JSON: .*\.$/),
    });
    expect(await orders.summaries()).toEqual(orders.eachOnce);
  });

  test('a real-time table takes no more than the row of a message whose values no stack can hold', async () => {
    await using orders = await Orders.open();
    const { engine } = orders.server;
    const deep = (depth: number): string =>
      JSON.stringify({ item: `${'['.repeat(depth)}${']'.repeat(depth)}`, n: 2, ts: startMs });
    await orders.appendTexts([JSON.stringify({ item: '[1]', n: 1, ts: startMs })]);
    await orders.appendTexts([deep(20_000)]);
    await orders.appendTexts([deep(1_000)]);
    await orders.appendTexts([JSON.stringify({ item: '[2]', n: 3, ts: startMs })]);
    const made = { name: 'made', dataType: 'JSON' };
    await engine.updateSchema({
      ...schema,
      dimensionFieldSpecs: [{ name: 'item', dataType: 'STRING' }, made],
    });
    const transformConfigs = [
      { columnName: 'made', transformFunction: "jsonFormat(jsonPath(item, '$'))" },
    ];
    await engine.createTable(configOf({}, { transformConfigs }));
    await orders.untilRows(1);
    await vi.waitFor(async () => {
      const [partition] = (await engine.readConsumption('orders_REALTIME')).partitions;
      expect(partition).toMatchObject({
        state: 'STOPPED',
        error: expect.stringMatching(
          /^Message \d+ cannot be ingested, column made: JSON is nested more than 1000 levels deep\.$/,
        ),
      });
    }, patience);
    await engine.updateTable(configOf({}, { transformConfigs, continueOnError: true }));
    await orders.untilRows(4);
    const rows = await orders.server.rows(
      'SELECT n, length(CAST(made AS VARCHAR)) AS c FROM orders ORDER BY n, c',
    );
    expect(rows.map(({ n, c }) => [n, Number(c)])).toEqual([
      [1, 3],
      [2, 4],
      [2, 2000],
      [3, 3],
    ]);
  });

  test('a real-time table is one table with its offline half, which meets it a day before its newest row', async () => {
    await using orders = await Orders.open();
    const { engine } = orders.server;
    const dayMs = 86_400_000;
    await engine.createTable({
      tableName: 'orders',
      tableType: 'OFFLINE',
      segmentsConfig: { timeColumnName: 'ts' },
    });
    const offline = [0, 1, 2].map((day) => ({
      item: 'offline',
      n: day,
      ts: startMs + day * dayMs,
    }));
    const source = { kind: 'bytes', name: 'days.jsonl', body: jsonLines(offline) } as const;
    await engine.ingest({ tableNameWithType: 'orders_OFFLINE', source, batchConfig: {} });
    await orders.appendTexts(
      [0, 1, 2, 3].map((day) =>
        JSON.stringify({ item: 'live', n: day, ts: startMs + day * dayMs }),
      ),
    );
    await engine.createTable(configOf());
    await expect.poll(() => engine.countRows('orders_REALTIME')).toBe(4);
    const rows = await orders.server.rows('SELECT item, n FROM orders ORDER BY n');
    expect(rows).toEqual([
      { item: 'offline', n: 0 },
      { item: 'offline', n: 1 },
      { item: 'live', n: 2 },
      { item: 'live', n: 3 },
    ]);
  });
});
