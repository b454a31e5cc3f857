import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QuireError } from '@quire/core';
import type { TableSchemaDocument } from '@quire/core/table-engine';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import type {
  FetchedMessages,
  FetchLimits,
  MessageStream,
  PartitionOffsets,
  StreamMessage,
} from '@quire/streams';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runChunkJob } from '../src/consumption/index.ts';
import { fullDiskText } from '../src/directory/disk-problem.ts';
import { PartitionConsumer } from '../src/consumption/partition-consumer.ts';
import { type RecordFile, Records } from '../src/directory/records.ts';
import { TableDirectory } from '../src/directory/table-directory.ts';
import { ServedTable } from '../src/served-table.ts';

const [secondMs, hourMs, dayMs] = [1_000, 3_600_000, 86_400_000];
const schema: TableSchemaDocument = {
  schemaName: 'ticks',
  metricFieldSpecs: [{ name: 'n', dataType: 'INT' }],
};

/**
 * A partition whose end can be moved, and which can be made unavailable; offsets count its
 * messages.
 */
class ScriptedStream implements MessageStream {
  readonly description = 'scripted topic';
  latestOffset = 0;
  isAway = false;
  readonly #clock: ManualClock;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  async readPartitions(): Promise<readonly PartitionOffsets[]> {
    if (this.isAway) throw new QuireError('STREAM_UNAVAILABLE', 'It is away.');
    return [{ partition: 0, earliestOffset: 0, latestOffset: this.latestOffset }];
  }

  async fetch(
    _partition: number,
    from: number,
    limits: FetchLimits,
    how?: { signal?: AbortSignal },
  ): Promise<FetchedMessages> {
    if (from === this.latestOffset && !this.isAway) {
      await this.#clock.sleep(limits.waitMs, how?.signal);
    }
    if (this.isAway) throw new QuireError('STREAM_UNAVAILABLE', 'It is away.');
    if (from > this.latestOffset) {
      throw new QuireError('OFFSET_NOT_FOUND', `It ends at ${this.latestOffset}.`);
    }
    const count = this.latestOffset - from;
    const messages = Array.from({ length: count }, (_, index): StreamMessage => {
      const offset = from + index;
      return {
        offset,
        key: null,
        value: Buffer.from(JSON.stringify({ n: offset })),
        timestampMs: null,
      };
    });
    return { messages, nextOffset: this.latestOffset, latestOffset: this.latestOffset };
  }

  findOffset(): Promise<number> {
    return Promise.resolve(this.latestOffset);
  }

  countMessages(): Promise<number> {
    return Promise.resolve(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Nothing is open.
  }
}

/** Records on a disk that refuses writes of some records while it is full. */
class FillingRecords extends Records {
  /** The path parts of records that cannot be written. */
  refused: string | undefined;

  override async replace(record: RecordFile, content: object): Promise<void> {
    const { refused } = this;
    const isRefused = refused !== undefined && record.relativePath.includes(refused);
    if (isRefused) throw new QuireError('STORE_FULL', fullDiskText);
    return super.replace(record, content);
  }
}

describe('the consumer of a partition', () => {
  let directory: string;
  let clock: ManualClock;
  let stream: ScriptedStream;
  let table: ServedTable;
  let records: FillingRecords;
  let consumer: PartitionConsumer;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-consumer-'));
    clock = new ManualClock();
    stream = new ScriptedStream(clock);
    const random = new SeededRandom(1);
    const config = { tableName: 'ticks_REALTIME', tableType: 'REALTIME' };
    const tables = new TableDirectory(directory);
    await tables.make();
    records = new FillingRecords({ random });
    const parts = { directory: tables, records, clock, random, instanceName: 'Server_test' };
    table = await ServedTable.create(
      { tableId: 'ticks_REALTIME.1', createdMs: 0, config, findings: [] },
      parts,
    );
    consumer = new PartitionConsumer({
      table,
      stream,
      partition: 0,
      thresholds: { rowsMax: 1_000, timeMaxMs: 2 * hourMs, sizeBytesMax: 1e9 },
      clock,
      random,
      readSchema: () => Promise.resolve(schema),
      runChunkJob: (job, { signal }) => runChunkJob(job, { clock, signal }),
      findStart: () => Promise.resolve(0),
    });
    stream.latestOffset = 3;
    await passUntil(() => consumer.status.currentOffset === 3);
  });
  afterEach(async () => {
    await consumer.stop({ commits: false });
    await rm(directory, { recursive: true });
  });

  /**
   * Advances time until the condition holds; files are written in between, which takes real time.
   */
  async function passUntil(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await clock.advance(10);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  const committedRows = () => table.segments.manifest.segments.map(({ rowCount }) => rowCount);

  test('the consumer of a partition stops after a minute and a half in which its stream ends before what was consumed, and says what to do', async () => {
    stream.latestOffset = 1;
    await passUntil(() => consumer.status.state === 'RETRYING');
    await clock.advance(89 * secondMs);
    expect(consumer.status.state).toBe('RETRYING');
    await clock.advance(31 * secondMs); // The next attempt is at most 30 s later.
    const stopped = {
      state: 'STOPPED',
      error: expect.stringContaining('consumeFrom=smallest'),
      currentOffset: 3,
    };
    expect(consumer.status).toMatchObject(stopped);
    // It then waits for an operator.
    stream.latestOffset = 4;
    await clock.advance(hourMs);
    expect(consumer.status).toMatchObject(stopped);
  });

  test('the consumer of a partition goes on by itself where the end comes back before that, also when the stream was away for long', async () => {
    stream.isAway = true;
    await passUntil(() => consumer.status.state === 'RETRYING');
    await clock.advance(hourMs);
    // The state of a broker for a moment after a crash.
    [stream.isAway, stream.latestOffset] = [false, 1];
    await clock.advance(60 * secondMs);
    expect(consumer.status).toMatchObject({
      state: 'RETRYING',
      error: expect.stringContaining('It ends at 1.'),
    });
    stream.latestOffset = 4;
    await passUntil(() => consumer.status.currentOffset === 4);
    await passUntil(() => consumer.status.state === 'CONSUMING');
    expect(consumer.status.error).toBeNull();
    expect(consumer.segment?.rowCount).toBe(4);
  });

  // The manifest already had the segment, and the consumer tried to commit it again forever:
  // "Segment … exists already".
  test('the consumer of a partition goes on behind a commit whose second half the disk had no space for', async () => {
    records.refused = 'consuming-';
    clock.stepWallClock(dayMs);
    await passUntil(() => consumer.status.state === 'RETRYING');
    expect(committedRows()).toEqual([3]);
    stream.latestOffset = 5;
    await clock.advance(60 * secondMs);
    expect(consumer.status).toMatchObject({ state: 'RETRYING', error: fullDiskText });
    records.refused = undefined;
    await passUntil(() => consumer.status.currentOffset === 5);
    expect([
      committedRows(),
      consumer.segment?.rowCount,
      consumer.segment?.record.startOffset,
    ]).toEqual([[3], 2, 3]);
  });

  test('the consumer of a partition stays halted while the disk is full, tries ever more rarely, and says so until something is written', async () => {
    records.refused = 'consuming-';
    stream.latestOffset = 5;
    await passUntil(() => consumer.status.state === 'RETRYING');
    const states = new Set<string>();
    for (let step = 0; step < 400; step += 1) {
      await clock.advance(250);
      states.add(consumer.status.state);
    }
    expect([...states]).toEqual(['RETRYING']);
    expect(consumer.status).toMatchObject({ currentOffset: 3, error: fullDiskText });
    records.refused = undefined;
    await passUntil(() => consumer.status.currentOffset === 5);
    await passUntil(() => consumer.status.state === 'CONSUMING');
    expect([consumer.status.error, consumer.segment?.rowCount]).toEqual([null, 5]);
  });

  test('the consumer of a partition commits once where the clock jumps a day ahead, and counts the next segment from there', async () => {
    clock.stepWallClock(dayMs);
    await passUntil(() => committedRows().length > 0);
    stream.latestOffset = 5;
    await passUntil(() => consumer.status.currentOffset === 5);
    await clock.advance(60 * secondMs);
    expect(committedRows()).toEqual([3]);
    expect(consumer.segment?.rowCount).toBe(2);
  });

  test('the consumer of a partition commits an hour later where the clock goes back an hour', async () => {
    clock.stepWallClock(-hourMs);
    await clock.advance(60 * secondMs);
    expect(committedRows()).toEqual([]);
    clock.stepWallClock(3 * hourMs);
    await passUntil(() => committedRows().length > 0);
    expect(committedRows()).toEqual([3]);
  });

  test('the consumer of a partition does not wait for a day that the clock was ahead when it is put right', async () => {
    clock.stepWallClock(-dayMs);
    await passUntil(() => committedRows().length > 0);
    stream.latestOffset = 5;
    await passUntil(() => consumer.status.currentOffset === 5);
    expect(committedRows()).toEqual([3]);
    expect(consumer.segment?.rowCount).toBe(2);
  });
});
