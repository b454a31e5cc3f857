import { join } from 'node:path';
import { type Clock, systemClock } from '@quire/core';
import type { TableConfigDocument, TableSchemaDocument, TableType } from '@quire/core/table-engine';
import { FileProducer } from '@quire/streams';
import { expect, test } from 'vitest';
import { TestServer } from './test-server.ts';
import { until } from '../../../test/src/testkit/until.ts';

/** The number of queries; QUIRE_CONSISTENT_QUERIES=10000 selects the long trial. */
const queryCount = Number(process.env['QUIRE_CONSISTENT_QUERIES'] ?? 100);
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** All messages have the same length, so that offsets count them. */
const messageBytes = 40;
/** The number of messages that arrive at once, a minute apart. */
const burst = 20;

/**
 * A clock on which waits are a fiftieth as long, so that tasks and upkeep run very often. The
 * messages set its time.
 */
class HastyClock implements Clock {
  wallMs = Date.UTC(2026, 0, 1);
  nowMs = (): number => this.wallMs;
  monotonicMs = (): number => systemClock.monotonicMs() * 50;
  sleep = (delayMs: number, signal?: AbortSignal): Promise<void> =>
    systemClock.sleep(delayMs / 50, signal);
}

const schema: TableSchemaDocument = {
  schemaName: 'ticks',
  metricFieldSpecs: [{ name: 'n', dataType: 'INT' }],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
};
const schedule = '0 */10 * * * ?';

function halfOf(tableType: TableType, retentionHours: number, more: object): TableConfigDocument {
  const segmentsConfig = {
    timeColumnName: 'ts',
    retentionTimeUnit: 'HOURS',
    retentionTimeValue: String(retentionHours),
  };
  return { tableName: 'ticks', tableType, segmentsConfig, ...more };
}

/** The half that commits every half hour and moves each hour to the offline half. */
const realtime = halfOf('REALTIME', 4, {
  ingestionConfig: {
    streamIngestionConfig: {
      streamConfigMaps: [
        {
          streamType: 'file',
          'stream.file.topic.name': 'ticks',
          'stream.file.consumer.prop.auto.offset.reset': 'smallest',
          'realtime.segment.flush.threshold.rows': '30',
        },
      ],
    },
  },
  task: {
    taskTypeConfigsMap: {
      RealtimeToOfflineSegmentsTask: { schedule, bucketTimePeriod: '1h', bufferTimePeriod: '1m' },
    },
  },
});

/** The half that merges two hours into one segment. */
const offline = halfOf('OFFLINE', 3, {
  ingestionConfig: {
    batchIngestionConfig: { segmentIngestionType: 'APPEND', segmentIngestionFrequency: 'HOURLY' },
  },
  task: {
    taskTypeConfigsMap: {
      MergeRollupTask: { schedule, '2h.bucketTimePeriod': '2h', '2h.bufferTimePeriod': '1m' },
    },
  },
});

/**
 * For the rows of a name: their count, the count of different ones, the first, and the one after
 * the last.
 */
interface Shown {
  readonly count: number;
  readonly different: number;
  readonly first: number;
  readonly end: number;
}

test(
  `a query sees one set of each half, while segments are committed, moved, merged and expire (${queryCount} queries)`,
  { timeout: 240_000 + queryCount * 200 },
  async () => {
    const clock = new HastyClock();
    // Files remain for a minute of this machine's time, which is longer than any query here takes.
    await using server = await TestServer.open({ clock, graceMs: 50 * minuteMs });
    const { engine } = server;
    await using producer = await FileProducer.open({
      directory: join(server.directory, 'streams'),
      topic: 'ticks',
      partitionCount: 1,
    });
    await engine.createSchema(schema);
    await engine.createTable(offline);
    await engine.createTable(realtime);
    /** Returns the offsets in the records of segments: the messages `[first, end)`. */
    const span = async (): Promise<Pick<Shown, 'first' | 'end'>> => {
      const segments = await engine.listSegments('ticks_REALTIME');
      const starts = segments.map(({ stream }) => (stream?.startOffset ?? 0) / messageBytes);
      const ends = segments.map(({ rowCount }, index) => (starts[index] ?? 0) + (rowCount ?? 0));
      return starts.length === 0
        ? { first: 0, end: 0 }
        : { first: Math.min(...starts), end: Math.max(...ends) };
    };
    let appended = 0;
    let isDone = false;
    const seen = { committed: 0, moved: 0, merged: 0, expired: 0 };
    const feed = async (): Promise<void> => {
      while (!isDone) {
        const messages = Array.from({ length: burst }, () => {
          const ts = Math.round((clock.wallMs += minuteMs) / minuteMs);
          const text = JSON.stringify({ n: appended, ts: ts * minuteMs });
          appended += 1;
          return { key: null, value: Buffer.from(text.padEnd(messageBytes - 1)) };
        });
        await producer.append(messages);
        // Messages wait for tasks that lag behind, even on a busy machine.
        const isBehind = async (): Promise<boolean> => {
          const times = (await engine.listSegments('ticks_OFFLINE')).map(
            ({ maxTimeMs }) => maxTimeMs ?? 0,
          );
          const start = Date.UTC(2026, 0, 1);
          return (
            (await span()).end < appended || Math.max(start, ...times) < clock.wallMs - 2 * hourMs
          );
        };
        await until(async () => isDone || !(await isBehind()), 'tasks have caught up');
        const offlineSegments = await engine.listSegments('ticks_OFFLINE');
        const realtimeSegments = await engine.listSegments('ticks_REALTIME');
        seen.committed = Math.max(
          seen.committed,
          ...realtimeSegments.map(({ stream }) => stream?.sequence ?? 0),
        );
        seen.moved = Math.max(seen.moved, offlineSegments.length);
        if (offlineSegments.some(({ custom }) => custom['mergeLevel'] === '2h')) seen.merged += 1;
        const oldest = Math.min(...offlineSegments.map(({ minTimeMs }) => minTimeMs ?? 0));
        if (oldest > Date.UTC(2026, 0, 1, 0, 30) && Number.isFinite(oldest)) seen.expired += 1;
      }
    };
    const feeding = feed();
    const look = async (name: string): Promise<Shown> => {
      const sql = `SELECT count(*)::INT "count", count(DISTINCT n)::INT different, coalesce(min(n), 0) "first", coalesce(max(n) + 1, 0)::INT "end" FROM ${name}`;
      const [shown] = await server.rows(sql);
      return shown as unknown as Shown;
    };
    /** The latest answers: the rows of a name only advance. */
    const latest = new Map<string, Shown>();
    try {
      for (let query = 0; query < queryCount || Object.values(seen).includes(0); query += 1) {
        const name = ['ticks', 'ticks_REALTIME', 'ticks_OFFLINE'][query % 3] ?? '';
        const before = await span();
        const shown = await look(name);
        const length = shown.end - shown.first;
        expect([name, shown.count, shown.different]).toEqual([name, length, length]);
        const last = latest.get(name) ?? { first: 0, end: 0 };
        expect(shown.first).toBeGreaterThanOrEqual(last.first);
        expect(shown.end).toBeGreaterThanOrEqual(last.end);
        // At least the rows up to the offsets from before it started; later ones may be included.
        expect(shown.end).toBeGreaterThanOrEqual(name === 'ticks_OFFLINE' ? 0 : before.end);
        expect(shown.first).toBeGreaterThanOrEqual(name === 'ticks_REALTIME' ? before.first : 0);
        expect(shown.end).toBeLessThanOrEqual(appended);
        latest.set(name, shown);
      }
    } finally {
      isDone = true;
      await feeding;
    }
  },
);
