import { mkdir, statfs } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { isQuireError } from '@quire/core';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import type { TableConfigDocument } from '@quire/core/table-engine';
import type { DuckDbEngine } from '@quire/engine-duckdb';
import { FileProducer } from '@quire/streams';
import type { EmbeddedTableEngine } from '@quire/table-server';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { openEmbeddedTables, openTableQueries } from '../testkit/embedded-tables.ts';
import { filesBelow } from '../testkit/files-below.ts';
import { cannotMount, mountSmallDisk, type SmallDisk } from '../testkit/small-disk.ts';

const MB = 1024 * 1024;
const nowMs = Date.UTC(2026, 0, 10);
const text = new SeededRandom(7);

const schemaOf = (schemaName: string) => ({
  schemaName,
  dimensionFieldSpecs: [{ name: 'text', dataType: 'STRING' }],
  metricFieldSpecs: [{ name: 'n', dataType: 'LONG' }],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
});

const offline = (tableName: string, more: object = {}): TableConfigDocument => ({
  tableName: `${tableName}_OFFLINE`,
  tableType: 'OFFLINE',
  segmentsConfig: { timeColumnName: 'ts', ...more },
});

const realtime: TableConfigDocument = {
  tableName: 'orders_REALTIME',
  tableType: 'REALTIME',
  segmentsConfig: { timeColumnName: 'ts' },
  ingestionConfig: {
    streamIngestionConfig: {
      streamConfigMaps: [
        {
          streamType: 'file',
          'stream.file.topic.name': 'orders',
          'stream.file.consumer.prop.auto.offset.reset': 'smallest',
          'realtime.segment.flush.threshold.rows': '500',
        },
      ],
    },
  },
};

/** Rows of about a kilobyte each, which no compression makes much smaller. */
function rowsFrom(start: number, count: number, ts = nowMs): object[] {
  return Array.from({ length: count }, (_, index) => {
    return { n: start + index, ts, text: Buffer.from(text.bytes(768)).toString('base64') };
  });
}

async function* linesOf(rows: readonly object[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/**
 * A table server on a disk of a few megabytes, in virtual time. Its streams and spilled queries are
 * elsewhere.
 */
class SmallServer implements AsyncDisposable {
  readonly clock = new ManualClock({ nowMs });
  readonly disk: SmallDisk;
  readonly root: string;
  readonly #home: Awaited<ReturnType<typeof temporaryDirectory>>;
  engine!: EmbeddedTableEngine;
  #queries: DuckDbEngine | undefined;

  private constructor(
    home: Awaited<ReturnType<typeof temporaryDirectory>>,
    disk: SmallDisk,
    root: string,
  ) {
    this.#home = home;
    this.disk = disk;
    this.root = root;
  }

  static async open(sizeMB: number): Promise<SmallServer> {
    const home = await temporaryDirectory();
    const root = join(home.path, 'tables');
    await mkdir(root);
    const server = new SmallServer(home, await mountSmallDisk(root, sizeMB), root);
    await server.start();
    return server;
  }

  get streams(): string {
    return join(this.#home.path, 'streams');
  }

  async start(): Promise<void> {
    const { root: dataDirectory, streams: streamDirectory, clock } = this;
    this.engine = await openEmbeddedTables({
      dataDirectory,
      streamDirectory,
      clock,
      graceMs: 20_000,
    });
    await this.rounds(1);
  }

  async restart(): Promise<void> {
    await this.engine[Symbol.asyncDispose]();
    await this.start();
  }

  /**
   * Lets maintenance rounds pass. A round has ended when three sleeps are pending: its own, and
   * those of the schedules of tasks and the scrub.
   */
  async rounds(count: number): Promise<void> {
    for (let round = 0; round < count; round += 1) {
      await this.clock.untilSleeping(3);
      await this.clock.advance(10_000);
    }
    await this.clock.untilSleeping(3);
  }

  /** Lets time pass in small steps until something holds. */
  async until(condition: () => Promise<boolean>, what: string): Promise<void> {
    for (let step = 0; !(await condition()); step += 1) {
      if (step > 2000) throw new Error(`It did not happen that ${what}.`);
      await this.clock.advance(250);
      for (let turn = 0; turn < 20; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  async ingest(tableName: string, rows: readonly object[]): Promise<string> {
    const source = { kind: 'bytes', name: 'rows.jsonl', body: linesOf(rows) } as const;
    const { segmentNames } = await this.engine.ingest({
      tableNameWithType: `${tableName}_OFFLINE`,
      source,
      batchConfig: {},
    });
    return segmentNames[0] ?? '';
  }

  /** Count and sum of `n` of a table. */
  async sums(tableName: string): Promise<readonly [number, number]> {
    this.#queries ??= await openTableQueries(this.root, join(this.#home.path, 'spill'));
    const sql = `SELECT count(*)::INTEGER AS count, coalesce(sum(n), 0)::DOUBLE AS sum FROM ${tableName}`;
    await using execution = await this.#queries.execute({ sql }, { limits: { timeoutMs: 60_000 } });
    const [batch] = await Array.fromAsync(execution.batches);
    return [Number(batch?.getChildAt(0)?.get(0)), Number(batch?.getChildAt(1)?.get(0))];
  }

  /** Files of the disk whose names match. */
  async files(pattern: RegExp): Promise<readonly string[]> {
    return (await filesBelow(this.root))
      .map((path) => relative(this.root, path))
      .filter((path) => pattern.test(path))
      .toSorted();
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.root);
    return bavail * bsize;
  }

  async problems(): Promise<readonly string[]> {
    return (await this.engine.listProblems()).map(({ kind, subject }) => `${kind} ${subject}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queries?.[Symbol.asyncDispose]();
    await this.engine[Symbol.asyncDispose]();
    await this.disk[Symbol.asyncDispose]();
    await this.#home[Symbol.asyncDispose]();
  }
}

async function failureOf(act: () => Promise<unknown>): Promise<string> {
  try {
    await act();
    return 'none';
  } catch (error) {
    return isQuireError(error) && error.isForCallers
      ? `${error.code}: ${error.message}`
      : String(error);
  }
}

const full = expect.stringMatching(
  /^STORE_FULL: The disk of the tables \(engine\.tables\.data\.dir\) is full: .* Delete segments/,
);
const readOnly =
  /^STORE_UNAVAILABLE: The disk of the tables \(engine\.tables\.data\.dir\) is read-only: .* Queries continue\./;
const diskProblem = ['disk engine.tables.data.dir'];

describe.skipIf(cannotMount)(
  'tables on a full disk (skipped unless root on Linux, who may mount a small one)',
  () => {
    test('tables on a full disk say so in every call that writes, leave nothing half written, and go on when a segment is deleted', async () => {
      await using server = await SmallServer.open(20);
      const { engine } = server;
      for (const name of ['kept', 'other']) await engine.createSchema(schemaOf(name));
      await engine.createTable(offline('kept'));
      const segments: string[] = [];
      for (let part = 0; part < 3; part += 1) {
        segments.push(await server.ingest('kept', rowsFrom(part * 4000, 4000)));
      }
      await server.disk.fill();
      const before = await server.sums('kept');

      const failures = [
        await failureOf(() => engine.createSchema(schemaOf('third'))),
        await failureOf(() =>
          engine.updateSchema({ ...schemaOf('kept'), primaryKeyColumns: ['n'] }),
        ),
        await failureOf(() => engine.createTable(offline('other'))),
        await failureOf(() =>
          engine.updateTable(
            offline('kept', { retentionTimeUnit: 'DAYS', retentionTimeValue: '9' }),
          ),
        ),
        await failureOf(() => server.ingest('kept', rowsFrom(0, 1000))),
        await failureOf(() => server.ingest('kept', rowsFrom(0, 1))),
      ];
      expect(failures).toEqual(failures.map(() => full));
      expect(await server.files(/\.staged-/)).toEqual([]);
      expect(await server.problems()).toEqual(diskProblem);
      expect(await server.sums('kept')).toEqual(before);

      await server.engine.deleteSegment('kept_OFFLINE', segments[0] ?? '');
      expect(await server.sums('kept')).toEqual([8000, sumOf(4000, 12_000)]);
      // The file exists as long as a query may read it, and is not in the trash after that.
      await server.rounds(5);
      expect(await server.freeBytes()).toBeGreaterThan(0.5 * MB);
      expect(await server.problems()).toEqual([]);
      expect(await server.files(/^\.reserve$/)).toEqual(['.reserve']);
      await server.ingest('kept', rowsFrom(90_000, 10));
      expect(await server.sums('kept')).toEqual([
        8010,
        sumOf(4000, 12_000) + sumOf(90_000, 90_010),
      ]);
      expect(await server.files(/\.staged-/)).toEqual([]);
    });

    test('tables on a full disk lose what is too old all the same, and one table keeps no other from it', async () => {
      await using server = await SmallServer.open(20);
      const { engine } = server;
      for (const name of ['first', 'second']) {
        await engine.createSchema(schemaOf(name));
        await engine.createTable(
          offline(name, { retentionTimeUnit: 'DAYS', retentionTimeValue: '2' }),
        );
        await server.ingest(name, rowsFrom(0, 2000, nowMs - 86_400_000));
        await server.ingest(name, rowsFrom(2000, 500, nowMs));
      }
      await server.disk.fill();
      server.clock.stepWallClock(86_400_000 + 3_600_000);
      await server.rounds(6);
      expect([await server.sums('first'), await server.sums('second')]).toEqual([
        [500, sumOf(2000, 2500)],
        [500, sumOf(2000, 2500)],
      ]);
      expect(await server.freeBytes()).toBeGreaterThan(0.5 * MB);
      expect(await server.problems()).toEqual([]);
    });

    test('tables on a full disk can be stopped, started, paused and deleted', async () => {
      await using server = await SmallServer.open(20);
      await using producer = await FileProducer.open({
        directory: server.streams,
        topic: 'orders',
      });
      await producer.append(
        rowsFrom(0, 10).map((row) => ({ key: null, value: Buffer.from(JSON.stringify(row)) })),
      );
      for (const name of ['kept', 'doomed', 'orders']) {
        await server.engine.createSchema(schemaOf(name));
      }
      for (const name of ['kept', 'doomed']) {
        await server.engine.createTable(offline(name));
        await server.ingest(name, rowsFrom(0, 4000));
      }
      await server.engine.createTable(realtime);
      await server.until(
        async () => (await server.sums('orders'))[0] === 10,
        'the messages are consumed',
      );
      await server.disk.fill();
      await server.restart();
      await server.disk.fill();
      expect(await server.sums('kept')).toEqual([4000, sumOf(0, 4000)]);
      await server.engine.pauseConsumption('orders_REALTIME');
      await server.engine.deleteTable('doomed_OFFLINE');
      await server.engine.deleteTable('orders_REALTIME');
      await server.rounds(6);
      expect(
        (await server.engine.listTables()).map(({ tableNameWithType }) => tableNameWithType),
      ).toEqual(['kept_OFFLINE']);
      expect(await server.freeBytes()).toBeGreaterThan(0.5 * MB);
      expect(await server.problems()).toEqual([]);
    });

    test('tables on a disk that has become read-only say so in every call that writes, answer queries, and go on when it takes writes again', async () => {
      await using server = await SmallServer.open(20);
      await using producer = await FileProducer.open({
        directory: server.streams,
        topic: 'orders',
      });
      const produce = (start: number, count: number) =>
        producer.append(
          rowsFrom(start, count).map((row) => ({
            key: null,
            value: Buffer.from(JSON.stringify(row)),
          })),
        );
      const { engine } = server;
      for (const name of ['kept', 'orders']) await engine.createSchema(schemaOf(name));
      await engine.createTable(offline('kept'));
      const segment = await server.ingest('kept', rowsFrom(0, 100));
      await produce(0, 700);
      await engine.createTable(realtime);
      await server.until(
        async () => (await server.sums('orders'))[0] === 700,
        'the messages are consumed',
      );
      await server.rounds(2);
      await server.disk.setReadOnly(true);
      const calls = [
        () => engine.createSchema(schemaOf('third')),
        () => engine.createTable(offline('orders')),
        () => server.ingest('kept', rowsFrom(100, 100)),
        () => engine.deleteSegment('kept_OFFLINE', segment),
        () => engine.deleteTable('kept_OFFLINE'),
        () => engine.pauseConsumption('orders_REALTIME'),
      ];
      for (const call of calls) expect(await failureOf(call)).toMatch(readOnly);
      await produce(700, 50);
      const state = async (): Promise<string> => {
        const { partitions } = await engine.readConsumption('orders_REALTIME');
        return partitions.map((each) => `${each.state} ${each.error ?? ''}`).join();
      };
      await server.until(
        async () => /^RETRYING The disk of the tables .* is read-only/.test(await state()),
        'the table says that it cannot go on',
      );
      await server.rounds(3);
      expect(await server.problems()).toEqual(diskProblem);
      expect(await server.sums('kept')).toEqual([100, sumOf(0, 100)]);
      expect(await server.sums('orders')).toEqual([700, sumOf(0, 700)]);

      await server.disk.setReadOnly(false);
      await server.until(
        async () => (await server.sums('orders'))[0] === 750,
        'all messages are consumed',
      );
      await server.until(
        async () => (await server.problems()).length === 0,
        'the disk is found to take writes',
      );
      await server.until(
        async () => (await state()) === 'CONSUMING ',
        'the table consumes, and says nothing of the disk',
      );
      expect(await server.sums('orders')).toEqual([750, sumOf(0, 750)]);
      await server.ingest('kept', rowsFrom(100, 100));
      await engine.deleteSegment('kept_OFFLINE', segment);
      expect(await server.sums('kept')).toEqual([100, sumOf(100, 200)]);
    });

    test('tables on a full disk stop consuming, say so, and go on when there is space: no message is lost or doubled', async () => {
      await using server = await SmallServer.open(12);
      await using producer = await FileProducer.open({
        directory: server.streams,
        topic: 'orders',
      });
      let produced = 0;
      const produce = async (count: number): Promise<void> => {
        const rows = rowsFrom(produced, count);
        await producer.append(
          rows.map((row) => ({ key: null, value: Buffer.from(JSON.stringify(row)) })),
        );
        produced += count;
      };
      const states = async (): Promise<readonly string[]> => {
        const { partitions } = await server.engine.readConsumption('orders_REALTIME');
        return partitions.map(({ state, error }) => `${state} ${error ?? ''}`);
      };
      await server.engine.createSchema(schemaOf('orders'));
      await produce(700);
      await server.engine.createTable(realtime);
      await server.until(
        async () => (await server.sums('orders'))[0] === 700,
        'the first messages are consumed',
      );

      const isFull = /^RETRYING The disk of the tables \(engine\.tables\.data\.dir\) is full: /;
      for (let turn = 0; turn < 3; turn += 1) {
        // The disk is filled at different moments: between messages, and before a commit.
        await server.disk.fill();
        await produce(400 + 37 * turn);
        await server.until(async () => {
          // The space that its own trash releases is filled as well.
          await server.disk.fill();
          return isFull.test((await states())[0] ?? '') && (await server.problems()).length > 0;
        }, 'the table says that it cannot go on');
        expect(await server.problems()).toEqual(diskProblem);
        const [count, sum] = await server.sums('orders');
        expect(sum).toBe(sumOf(0, count));
        // An attempt of the table may be under way; no other one follows while time stands still.
        await expect.poll(() => server.files(/\.staged-/)).toEqual([]);
        if (turn === 1) await server.restart();
        await server.disk.empty();
        await server.until(
          async () => (await server.sums('orders'))[0] === produced,
          'all messages are consumed',
        );
        expect(await server.sums('orders')).toEqual([produced, sumOf(0, produced)]);
      }
      await server.until(
        async () => (await server.problems()).length === 0,
        'the disk is found to have space',
      );
      await server.until(
        async () => (await states())[0] === 'CONSUMING ',
        'the table consumes, and says nothing of the disk',
      );
    });
  },
);

/** The sum of the integers `[start, end)`. */
function sumOf(start: number, end: number): number {
  return ((start + end - 1) * (end - start)) / 2;
}
