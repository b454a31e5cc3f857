import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ManualClock } from '@quire/core/testing';
import { type MessageStream, openStream } from '@quire/streams';
import { expect, test, vi } from 'vitest';
import type { EmbeddedTableEngineOptions } from '../src/index.ts';
import { RowFileWriter } from '../src/segments/row-file-writer.ts';
import { ServedTable } from '../src/served-table.ts';
import { configOf, Orders, startMs } from './orders.ts';
import { flightsConfig, flightsSchema, jsonLines, TestServer } from './test-server.ts';

/** Calls of clients that meet: each has its effect, or is refused. */

/** The stream of `orders`, and actions that run once its partitions were read, or it was closed. */
class ObservedOrders {
  onOpen: (() => void) | undefined;
  onRead: (() => Promise<void>) | undefined;
  onClose: (() => Promise<void>) | undefined;
  /** The number of streams that are open. */
  openCount = 0;

  async open(options: Partial<EmbeddedTableEngineOptions> = {}): Promise<Orders> {
    const orders: Orders = await Orders.open({
      ...options,
      openStream: (config) =>
        this.#observed(
          openStream(config, { fileDirectory: join(orders.server.directory, 'streams') }),
        ),
    });
    return orders;
  }

  #observed(stream: MessageStream): MessageStream {
    this.openCount += 1;
    this.onOpen?.();
    return {
      description: stream.description,
      fetch: (...given) => stream.fetch(...given),
      findOffset: (...given) => stream.findOffset(...given),
      countMessages: (...given) => stream.countMessages(...given),
      [Symbol.asyncDispose]: async () => {
        await stream[Symbol.asyncDispose]();
        this.openCount -= 1;
        const { onClose } = this;
        this.onClose = undefined;
        await onClose?.();
      },
      readPartitions: async (options) => {
        const offsets = await stream.readPartitions(options);
        const { onRead } = this;
        this.onRead = undefined;
        await onRead?.();
        return offsets;
      },
    };
  }
}

test('a table that is resumed at the largest offset has the messages once that it consumes meanwhile', async () => {
  const observed = new ObservedOrders();
  await using orders = await observed.open();
  await orders.server.engine.createTable(configOf());
  await orders.append(3);
  await orders.untilRows(3);
  observed.onRead = async () => {
    await orders.append(2);
    await orders.untilRows(5);
  };
  await orders.server.engine.resumeConsumption('orders_REALTIME', { from: 'largest' });
  await orders.append(1);
  await expect
    .poll(() => orders.server.value('SELECT CAST(max(n) AS INTEGER) FROM orders'))
    .toBe(6);
  expect(await orders.summaries()).toEqual(orders.eachOnce);
});

async function openFlights(options: Partial<EmbeddedTableEngineOptions> = {}): Promise<TestServer> {
  const server = await TestServer.open(options);
  await server.engine.createSchema(flightsSchema);
  await server.engine.createTable(flightsConfig);
  return server;
}

const table = flightsConfig.tableName;

test('rows that are loaded into a table while it is deleted are refused, whether its name is used again or its directory is gone', async () => {
  const clock = new ManualClock({ nowMs: startMs });
  await using server = await openFlights({ clock, graceMs: 0 });
  const { engine } = server;
  const createAgain = () => engine.createTable(flightsConfig);
  const collect = async () => {
    const data = join(server.directory, 'data');
    // A round of upkeep has ended when it sleeps again, beside tasks and the scrub.
    await clock.untilSleeping(3);
    await clock.advance(10_000);
    await clock.untilSleeping(3);
    expect(await readdir(data)).toEqual([]);
  };
  for (const after of [createAgain, collect]) {
    async function* body(): AsyncGenerator<Uint8Array> {
      yield* jsonLines([{ carrier: 'AA', ts: startMs }]);
      await engine.deleteTable(table);
      await after();
    }
    const source = { kind: 'bytes', name: 'rows.jsonl', body: body() } as const;
    await expect(
      engine.ingest({ tableNameWithType: table, source, batchConfig: {} }),
    ).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
  }
});

test('rows that are loaded while the server is closed are refused, and the next server keeps its own', async () => {
  await using server = await openFlights();
  const ingest = (carrier: string) => {
    const body = jsonLines([{ carrier, ts: startMs }]);
    const source = { kind: 'bytes', name: 'rows.jsonl', body } as const;
    return server.engine.ingest({ tableNameWithType: table, source, batchConfig: {} });
  };
  vi.spyOn(RowFileWriter.prototype, 'finish').mockImplementationOnce(async function (
    this: RowFileWriter,
  ) {
    const written = await this.finish();
    await server.restart();
    return written;
  });
  await expect(ingest('late')).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  await ingest('next');
  await server.restart();
  expect(await server.rows('SELECT carrier FROM flights')).toEqual([{ carrier: 'next' }]);
});

test('a damaged segment that is committed while it is deleted is deleted', async () => {
  const observed = new ObservedOrders();
  await using orders = await observed.open();
  const { server } = orders;
  await server.engine.createTable(configOf());
  await orders.append(3);
  await orders.untilRows(3);
  const [segment] = await server.engine.listSegments('orders_REALTIME');
  const segmentName = segment?.segmentName ?? '';
  await damageFiles(join(server.directory, 'data'));
  let deleting: Promise<void> | undefined;
  observed.onRead = async () => {
    // It waits for the resumption, which commits.
    deleting = server.engine.deleteSegment('orders_REALTIME', segmentName);
    await server.engine.forceCommit('orders_REALTIME');
    await orders.untilCommitted(1);
  };
  await server.engine.resumeConsumption('orders_REALTIME', { from: 'largest' });
  await deleting;
  expect(await orders.committed()).toEqual([]);
});

async function damageFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.parquet')) continue;
    const bytes = await readFile(join(folder, name));
    bytes[10] = (bytes[10] ?? 0) ^ 1;
    await writeFile(join(folder, name), bytes);
  }
}

test('a table is paused while its config is replaced, and does not exist for a pause while it is deleted', async () => {
  const observed = new ObservedOrders();
  await using orders = await observed.open();
  const { engine } = orders.server;
  await engine.createTable(configOf());
  let pausing: Promise<unknown> | undefined;
  const pauseOnClose = (): void => {
    observed.onClose = async () => {
      pausing = engine.pauseConsumption('orders_REALTIME').catch((error: unknown) => error);
    };
  };
  pauseOnClose();
  await engine.updateTable(configOf());
  expect(await pausing).toMatchObject({ isPaused: true });
  expect(await engine.readPauseStatus('orders_REALTIME')).toMatchObject({ isPaused: true });
  pauseOnClose();
  await engine.deleteTable('orders_REALTIME');
  expect(await pausing).toMatchObject({ code: 'TABLE_NOT_FOUND' });
});

test('a table whose creation fails once its record is written is consumed by one consumer', async () => {
  const clock = new ManualClock({ nowMs: startMs });
  const observed = new ObservedOrders();
  await using orders = await observed.open({ clock });
  const { engine } = orders.server;
  vi.spyOn(ServedTable.prototype, 'markCreated').mockRejectedValueOnce(new Error('EIO'));
  await expect(engine.createTable(configOf())).rejects.toThrow('EIO');
  expect(observed.openCount).toBe(0);
  // The next round of upkeep opens the table, which is served before it has its consumer.
  const opened = Promise.withResolvers<unknown>();
  observed.onOpen = () => opened.resolve(engine.readPauseStatus('orders_REALTIME'));
  await clock.untilSleeping(3);
  await clock.advance(10_000);
  expect(await opened.promise).toMatchObject({ isPaused: false });
  expect(observed.openCount).toBe(1);
});
