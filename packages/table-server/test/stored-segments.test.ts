import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { QuireError } from '@quire/core';
import { openStream } from '@quire/streams';
import { afterEach, expect, test, vi } from 'vitest';
import { until } from '../../../test/src/testkit/until.ts';
import { TableDirectory } from '../src/directory/table-directory.ts';
import { SegmentCatalog } from '../src/segments/segment-catalog.ts';
import { configOf, Orders, schema, startMs } from './orders.ts';
import { TestServer } from './test-server.ts';

/** Rows that were consumed and are not committed, while the table cannot be consumed. */

const table = 'orders_REALTIME';
afterEach(() => vi.restoreAllMocks());
const dayMs = 86_400_000;
const messageOf = (n: number, ts: number): string => JSON.stringify({ item: 'p0', n, ts });

/** Opens a table that has consumed three rows of partition 0. */
async function openWithRows(): Promise<Orders> {
  const orders = await Orders.open();
  await orders.server.engine.createTable(configOf());
  await orders.append(3);
  await orders.untilRows(3);
  return orders;
}

/** Restarts the server without its stream. Returns a function that brings the stream back. */
async function takeStreamAway({ server }: Orders): Promise<() => Promise<void>> {
  const streams = join(server.directory, 'streams');
  await server.engine[Symbol.asyncDispose]();
  await rename(join(streams, 'orders'), join(streams, 'away'));
  await server.restart();
  return () => rename(join(streams, 'away'), join(streams, 'orders'));
}

/** The consuming segment of partition 0; that of partition 1 may not exist yet. */
async function consumingSegment({ server }: Orders) {
  const segments = await server.engine.listSegments(table);
  return segments.find(({ state, stream }) => state === 'CONSUMING' && stream?.partition === 0);
}

async function damageChunk({ server }: Orders, partition: number): Promise<void> {
  const data = join(server.directory, 'data');
  const [tableId = ''] = await readdir(data);
  const file = (await readdir(join(data, tableId))).find(
    (name) => name.startsWith(`orders__${partition}__`) && name.endsWith('.parquet'),
  );
  const path = join(data, tableId, file ?? '');
  const bytes = await readFile(path);
  bytes[10] = (bytes[10] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

test('a window with rows of a consuming segment does not move, also after a restart without the stream', async () => {
  await using orders = await Orders.open();
  const { server } = orders;
  const type = 'RealtimeToOfflineSegmentsTask';
  await server.engine.createTable({
    tableName: 'orders',
    tableType: 'OFFLINE',
    segmentsConfig: { timeColumnName: 'ts', replication: '1' },
  });
  await server.engine.createTable({
    ...configOf(),
    task: { taskTypeConfigsMap: { [type]: { bucketTimePeriod: '1d', bufferTimePeriod: '1d' } } },
  });
  await orders.appendTexts([0, 1, 2].map((day) => messageOf(day, startMs + day * dayMs)));
  await until(async () => (await server.engine.countRows(table)) === 3, 'rows are consumed');
  await server.engine.forceCommit(table);
  await orders.untilCommitted(1);
  await orders.appendTexts([messageOf(100, startMs + 5)]);
  await until(async () => (await server.engine.countRows(table)) === 4, 'the late row is there');
  await takeStreamAway(orders);
  const { scheduled, skipped } = await server.engine.scheduleTasks({ taskType: type });
  expect(scheduled).toEqual([]);
  expect(skipped[0]?.reason).toMatch(/^orders__0__1__\S+ still consumes rows of the window/);
});

test('segments that were being consumed are listed, and committed on request, after a restart without the stream', async () => {
  await using orders = await openWithRows();
  const { server } = orders;
  const bringBack = await takeStreamAway(orders);
  const listed = await consumingSegment(orders);
  expect(listed).toMatchObject({ rowCount: 3 });
  const { jobId, ...job } = await server.engine.forceCommit(table);
  const names = [listed?.segmentName];
  expect(job).toMatchObject({ segmentNames: names, pendingSegmentNames: names });
  await bringBack();
  await until(
    async () => (await server.engine.readForceCommit(jobId)).pendingSegmentNames.length === 0,
    'it is committed',
  );
  expect(await orders.committed()).toMatchObject([{ segmentName: listed?.segmentName }]);
});

test('a pause commits what was consumed before a restart without the stream', async () => {
  await using orders = await openWithRows();
  const { server } = orders;
  const bringBack = await takeStreamAway(orders);
  await server.engine.pauseConsumption(table);
  await orders.untilCommitted(1);
  await bringBack();
  await server.engine.resumeConsumption(table);
  await orders.append(2);
  await orders.untilRows(5);
  expect(await orders.summaries()).toEqual(orders.eachOnce);
});

test('a damaged consuming segment can be deleted while the stream is away, and is consumed again', async () => {
  await using orders = await openWithRows();
  const { server } = orders;
  const bringBack = await takeStreamAway(orders);
  await damageChunk(orders, 0);
  const listed = await consumingSegment(orders);
  await server.engine.deleteSegment(table, listed?.segmentName ?? '');
  expect(await consumingSegment(orders)).toMatchObject({ rowCount: 0 });
  await bringBack();
  await orders.untilRows(3);
  expect(await orders.summaries()).toEqual(orders.eachOnce);
});

test('partitions continue after a resumption that was refused', async () => {
  await using orders = await Orders.open();
  const { engine } = orders.server;
  await engine.createTable(configOf());
  await orders.append(3);
  await orders.append(3, 1);
  await orders.untilRows(6);
  // A commit reads chunks only if there are several.
  await orders.append(3);
  await orders.untilRows(9);
  await damageChunk(orders, 0);
  await expect(engine.resumeConsumption(table, { from: 'largest' })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  await orders.append(4, 1);
  await until(async () => {
    const { isPaused, partitions } = await engine.readConsumption(table);
    return !isPaused && partitions[1]?.lagMessages === 0;
  }, 'the intact partition has consumed its messages');
});

test('a segment that a pause could not commit is listed, and can be deleted while the table is paused', async () => {
  await using orders = await openWithRows();
  const { engine } = orders.server;
  // A commit reads chunks only if there are several.
  await orders.append(3);
  await orders.untilRows(6);
  await damageChunk(orders, 0);
  await engine.pauseConsumption(table);
  // It waits for the end of the pause, and changes nothing.
  await expect(engine.resumeConsumption(table, { from: 'largest' })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  const listed = await consumingSegment(orders);
  expect(listed).toMatchObject({ rowCount: 6 });
  await engine.deleteSegment(table, listed?.segmentName ?? '');
  expect(await consumingSegment(orders)).toBeUndefined();
  await engine.resumeConsumption(table);
  await orders.untilRows(6);
  expect(await orders.summaries()).toEqual(orders.eachOnce);
});

test('no segment from before a move to another offset is listed after it', async () => {
  await using orders = await openWithRows();
  const { engine } = orders.server;
  await engine.resumeConsumption(table, { from: 'smallest' });
  // Until the next segment is open, there is none.
  const offsets = (await engine.listSegments(table)).flatMap(({ state, stream }) =>
    state === 'CONSUMING' && stream?.partition === 0 ? [stream.startOffset] : [],
  );
  expect(offsets.filter((offset) => offset !== 0)).toEqual([]);
  await orders.untilRows(6);
});

test('partitions continue where they were after a move to another offset that could not be written', async () => {
  await using orders = await Orders.open();
  const { engine } = orders.server;
  await engine.createTable(configOf({ 'stream.file.consumer.prop.auto.offset.reset': 'largest' }));
  await until(async () => {
    const { partitions, isReady } = await engine.readConsumption(table);
    return isReady && partitions.every(({ state }) => state === 'CONSUMING');
  }, 'both partitions are consumed from the end of the stream');
  vi.spyOn(SegmentCatalog.prototype, 'change').mockImplementationOnce(async () => {
    await orders.append(3);
    await orders.append(3, 1);
    throw new QuireError('STORE_FULL', 'The disk is full.');
  });
  await expect(engine.resumeConsumption(table, { from: 'smallest' })).rejects.toMatchObject({
    code: 'STORE_FULL',
  });
  await orders.untilRows(6);
  expect(await orders.summaries()).toEqual(orders.eachOnce);
});

test.each(['record', 'position'] as const)(
  'a paused table stays paused where it was if the %s of its resumption could not be written',
  async (what) => {
    await using orders = await openWithRows();
    const { engine } = orders.server;
    await engine.pauseConsumption(table);
    await orders.untilCommitted(1);
    await orders.append(3);
    const full = new QuireError('STORE_FULL', 'The disk is full.');
    if (what === 'position') {
      vi.spyOn(SegmentCatalog.prototype, 'change').mockRejectedValueOnce(full);
    } else {
      vi.spyOn(TableDirectory.prototype, 'consumption').mockImplementation(() => {
        throw full;
      });
    }
    await expect(engine.resumeConsumption(table, { from: 'largest' })).rejects.toBe(full);
    vi.restoreAllMocks();
    await orders.server.restart();
    expect(await orders.server.engine.readPauseStatus(table)).toMatchObject({ isPaused: true });
    await orders.server.engine.resumeConsumption(table);
    await orders.untilRows(6);
    expect(await orders.summaries()).toEqual(orders.eachOnce);
  },
);

test('rows that a full disk kept from being committed are not skipped by a move to another offset', async () => {
  await using orders = await openWithRows();
  const { engine } = orders.server;
  const full = new QuireError('STORE_FULL', 'The disk is full.');
  // The commit of the consumer that stops, and the one after it.
  const change = vi.spyOn(SegmentCatalog.prototype, 'change');
  change.mockRejectedValueOnce(full).mockRejectedValueOnce(full);
  await expect(engine.resumeConsumption(table, { from: 'largest' })).rejects.toMatchObject({
    code: 'CONFLICT',
    message: 'Partition 0 of orders_REALTIME could not be committed: try again.',
  });
  await orders.append(2);
  await orders.untilRows(5);
  expect(await orders.summaries()).toEqual(orders.eachOnce);
});

/** Opens a server whose settings can stop allowing its streams. */
async function openAllowing() {
  const settings = { areAllowed: true, directory: '' };
  const orders = await Orders.open({
    openStream: (config) => {
      if (!settings.areAllowed || config['stream.file.topic.name'] === 'others') {
        throw new QuireError('STREAM_INVALID', 'The stream is not allowed.');
      }
      return openStream(config, { fileDirectory: settings.directory });
    },
  });
  settings.directory = join(orders.server.directory, 'streams');
  return { orders, settings };
}

test('a config whose stream is not allowed changes nothing: the table keeps its config and consumes', async () => {
  const { orders } = await openAllowing();
  await using _orders = orders;
  const { engine } = orders.server;
  await engine.createTable(configOf());
  const before = (await engine.readTable(table)).config;
  const others = configOf({ 'stream.file.topic.name': 'others' });
  await expect(engine.updateTable(others)).rejects.toMatchObject({ code: 'STREAM_INVALID' });
  expect((await engine.readTable(table)).config).toEqual(before);
  await orders.append(3);
  await orders.untilRows(3);
});

test('a table whose stream the settings no longer allow can be queried, and its config replaced', async () => {
  const { orders, settings } = await openAllowing();
  await using _orders = orders;
  const { server } = orders;
  await server.engine.createTable(configOf());
  await orders.append(3);
  await orders.untilRows(3);
  settings.areAllowed = false;
  await server.restart();
  expect(await consumingSegment(orders)).toMatchObject({ rowCount: 3 });
  await until(async () => {
    const { partitions } = await server.engine.readConsumption(table);
    return partitions.some(({ error }) => error === 'The stream is not allowed.');
  }, 'its state has the reason');
  settings.areAllowed = true;
  await server.engine.updateTable(configOf({ 'realtime.segment.flush.threshold.rows': '5' }));
  await orders.append(2);
  await orders.untilCommitted(1);
  expect(await orders.summaries()).toEqual(orders.eachOnce);
});

test('the schema of a table that is set aside is in use, and so is its name in another case', async () => {
  await using server = await TestServer.open();
  await server.engine.createSchema(schema);
  await server.engine.createTable({
    tableName: 'orders',
    tableType: 'OFFLINE',
    segmentsConfig: { timeColumnName: 'ts', replication: '1' },
  });
  const data = join(server.directory, 'data');
  const [tableId = ''] = await readdir(data);
  await server.engine[Symbol.asyncDispose]();
  await writeFile(join(data, tableId, 'manifest.json'), '{');
  await server.restart();
  const { engine } = server;
  await expect(engine.readTable('orders_OFFLINE')).rejects.toMatchObject({ code: 'TABLE_DAMAGED' });
  const otherType = { ...schema, metricFieldSpecs: [{ name: 'n', dataType: 'STRING' as const }] };
  await expect(engine.updateSchema(otherType)).rejects.toMatchObject({ code: 'TABLE_INVALID' });
  await expect(engine.deleteSchema('orders')).rejects.toMatchObject({
    code: 'SCHEMA_IN_USE',
    message: 'Schema orders is used by table orders_OFFLINE: delete the table first.',
  });
  await engine.createSchema({ ...schema, schemaName: 'Orders' });
  await expect(
    engine.createTable({
      tableName: 'Orders',
      tableType: 'OFFLINE',
      segmentsConfig: { timeColumnName: 'ts', replication: '1' },
    }),
  ).rejects.toMatchObject({ code: 'TABLE_EXISTS' });
});
