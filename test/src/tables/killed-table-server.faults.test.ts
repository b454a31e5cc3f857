import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@quire/core';
import { SeededRandom } from '@quire/core/testing';
import type { DuckDbEngine } from '@quire/engine-duckdb';
import { FileProducer } from '@quire/streams';
import { expect, test } from 'vitest';
import { openEmbeddedTables, openTableQueries } from '../testkit/embedded-tables.ts';

/** QUIRE_TABLE_SERVER_KILLS=100 for the long trial. */
const killCount = Number(process.env['QUIRE_TABLE_SERVER_KILLS'] ?? 6);
const script = join(import.meta.dirname, 'killed-table-server.process.ts');

const schema = {
  schemaName: 'ticks',
  metricFieldSpecs: [{ name: 'n', dataType: 'LONG' }],
  dimensionFieldSpecs: [{ name: 'p', dataType: 'INT' }],
  dateTimeFieldSpecs: [{ name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' }],
};

const config = {
  tableName: 'ticks',
  tableType: 'REALTIME',
  segmentsConfig: { timeColumnName: 'ts' },
  ingestionConfig: {
    streamIngestionConfig: {
      streamConfigMaps: [
        {
          streamType: 'file',
          'stream.file.topic.name': 'ticks',
          'stream.file.consumer.prop.auto.offset.reset': 'smallest',
          // Few rows a segment: kills come in the middle of commits as well.
          'realtime.segment.flush.threshold.rows': '300',
        },
      ],
    },
  },
};

test(
  `each message is in the table once, in every query, through ${killCount} kills of the server`,
  { timeout: 60_000 + killCount * 10_000 },
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'quire-kills-'));
    const [dataDirectory, streams] = [join(home, 'tables'), join(home, 'streams')];
    const random = new SeededRandom(7);
    const partitionCount = 2;
    await using producer = await FileProducer.open({ directory: streams, topic: 'ticks', partitionCount });
    {
      await using engine = await openEmbeddedTables({ dataDirectory, streamDirectory: streams });
      await engine.createSchema(schema);
      await engine.createTable(config, { isPaused: false });
    }
    await using queries = await openTableQueries(dataDirectory, join(home, 'spill'));
    const appended = Array.from({ length: partitionCount }, () => 0);
    const append = async (): Promise<void> => {
      for (const partition of appended.keys()) {
        const first = appended[partition] ?? 0;
        const values = Array.from({ length: 40 }, (_, index) => first + index);
        const messages = values.map((n) => ({
          key: null,
          partition,
          value: Buffer.from(JSON.stringify({ p: partition, n, ts: 1_700_000_000_000 + n })),
        }));
        await producer.append(messages);
        appended[partition] = first + values.length;
      }
    };
    /** Of each partition: rows, different `n`, and the greatest. */
    const look = () =>
      rowsOf(
        queries,
        'SELECT p, CAST(count(*) AS DOUBLE) c, CAST(count(DISTINCT n) AS DOUBLE) d, CAST(max(n) AS DOUBLE) m FROM ticks GROUP BY p ORDER BY p',
      );
    try {
      for (let kill = 0; kill < killCount; kill += 1) {
        const server = await startServer(dataDirectory, streams);
        const endMs = systemClock.monotonicMs() + 200 + random.fraction() * 1_500;
        while (systemClock.monotonicMs() < endMs) {
          await append();
          // What a query sees is a beginning of each partition, without a gap and without a row twice.
          for (const { c, d, m } of await look()) expect([d, m]).toEqual([c, (c as number) - 1]);
        }
        server.kill('SIGKILL');
        await once(server, 'exit');
      }
      await using engine = await openEmbeddedTables({ dataDirectory, streamDirectory: streams });
      const total = appended.reduce((sum, count) => sum + count, 0);
      while ((await engine.countRows('ticks_REALTIME')) < total) await systemClock.sleep(20);
      expect(await look()).toEqual(appended.map((count, p) => ({ p, c: count, d: count, m: count - 1 })));
      const segments = await engine.listSegments('ticks_REALTIME');
      expect(segments.filter(({ state }) => state === 'COMMITTED').length).toBeGreaterThan(0);
      for (const partition of appended.keys()) {
        const streamsOf = segments.flatMap(({ stream }) => (stream?.partition === partition ? [stream] : []));
        const inOrder = streamsOf.toSorted((left, right) => left.sequence - right.sequence);
        expect(inOrder.slice(1).map(({ startOffset }) => startOffset)).toEqual(
          inOrder.slice(0, -1).map(({ endOffset }) => endOffset),
        );
      }
    } finally {
      await rm(home, { recursive: true, maxRetries: 10 });
    }
  },
);

async function startServer(dataDirectory: string, streams: string): Promise<ChildProcess> {
  const server = fork(script, [dataDirectory, streams], { execArgv: ['--conditions=@quire/source'] });
  await once(server, 'message');
  return server;
}

async function rowsOf(queries: DuckDbEngine, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  await using execution = await queries.execute({ sql }, { limits: { timeoutMs: 60_000 } });
  const batches = await Array.fromAsync(execution.batches);
  return batches.flatMap((batch) => batch.toArray().map((row: { toJSON(): Record<string, unknown> }) => row.toJSON()));
}
