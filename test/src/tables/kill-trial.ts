import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@quire/core';
import type { TableConfigDocument } from '@quire/core/table-engine';
import { SeededRandom } from '@quire/core/testing';
import type { DuckDbEngine } from '@quire/engine-duckdb';
import { openStream, type OpenStreamOptions } from '@quire/streams';
import { expect } from 'vitest';
import { openEmbeddedTables, openTableQueries } from '../testkit/embedded-tables.ts';
import { until } from '../testkit/until.ts';

/**
 * Every message of the trial is as long as every other: in a file stream, too, offsets count them.
 */
export const trialMessageBytes = 64;

/** An empty topic of two partitions. */
export interface TrialStream {
  readonly config: Readonly<Record<string, string>>;
  readonly options: OpenStreamOptions;
  /** The increment of the offset from one message to the next. */
  readonly offsetStep: number;
}

/** The setup of a process of the trial. */
export interface TrialSetup extends TrialStream {
  readonly dataDirectory: string;
}

const schema = {
  schemaName: 'ticks',
  metricFieldSpecs: [{ name: 'n', dataType: 'LONG' }],
  dimensionFieldSpecs: [{ name: 'p', dataType: 'INT' }],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
};

/** Few rows a segment: kills also happen during commits. */
const tableOf = (config: Readonly<Record<string, string>>): TableConfigDocument => ({
  tableName: 'ticks',
  tableType: 'REALTIME',
  segmentsConfig: { timeColumnName: 'ts' },
  ingestionConfig: {
    streamIngestionConfig: {
      streamConfigMaps: [{ ...config, 'realtime.segment.flush.threshold.rows': '300' }],
    },
  },
});

/**
 * Lets a producer write numbered messages to a stream and a table server consume it, each in a
 * process of its own, and kills one or the other at random. Every query during the trial sees a
 * beginning of each partition, without a gap and without a row twice; in the end each message of
 * the stream is in the table once.
 */
export async function runKillTrial(stream: TrialStream, killCount: number): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'quire-kills-'));
  const setup: TrialSetup = { ...stream, dataDirectory: join(home, 'tables') };
  const random = new SeededRandom(7);
  const openEngine = () =>
    openEmbeddedTables({
      dataDirectory: setup.dataDirectory,
      streamDirectory: '',
      openStream: (config) => openStream(config, stream.options),
    });
  const running = new Map<string, ChildProcess>();
  try {
    {
      await using engine = await openEngine();
      await engine.createSchema(schema);
      await engine.createTable(tableOf(stream.config));
    }
    await using queries = await openTableQueries(setup.dataDirectory, join(home, 'spill'));
    /** Returns for each partition the rows, the distinct `n`, and the greatest. */
    const look = () =>
      rowsOf(
        queries,
        'SELECT p, CAST(count(*) AS DOUBLE) c, CAST(count(DISTINCT n) AS DOUBLE) d, CAST(max(n) AS DOUBLE) m FROM ticks GROUP BY p ORDER BY p',
      );
    for (let kill = 0; kill < killCount; kill += 1) {
      for (const role of ['producer', 'server']) {
        if (!running.has(role)) running.set(role, await startProcess(role, setup));
      }
      const endMs = systemClock.monotonicMs() + 100 + random.fraction() * 1_500;
      while (systemClock.monotonicMs() < endMs) {
        for (const { c, d, m } of await look()) expect([d, m]).toEqual([c, (c as number) - 1]);
      }
      // Kills one after the other, so that a short trial kills both, and sometimes both at once.
      const victims =
        random.fraction() < 0.2 ? ['producer', 'server'] : [kill % 2 === 0 ? 'server' : 'producer'];
      for (const role of victims) await end(running, role);
    }
    for (const role of running.keys()) await end(running, role);
    await using engine = await openEngine();
    await using ended = openStream(stream.config, stream.options);
    const written = (await ended.readPartitions()).map(
      ({ latestOffset }) => latestOffset / stream.offsetStep,
    );
    const total = written.reduce((sum, count) => sum + count, 0);
    await until(
      async () => (await engine.countRows('ticks_REALTIME')) >= total,
      'all messages are rows',
    );
    expect(await look()).toEqual(
      written.flatMap((count, p) => (count === 0 ? [] : [{ p, c: count, d: count, m: count - 1 }])),
    );
    const segments = await engine.listSegments('ticks_REALTIME');
    expect(segments.filter(({ state }) => state === 'COMMITTED').length).toBeGreaterThan(0);
    for (const partition of written.keys()) {
      const ofPartition = segments.flatMap(({ stream: of }) =>
        of?.partition === partition ? [of] : [],
      );
      const inOrder = ofPartition.toSorted((left, right) => left.sequence - right.sequence);
      expect(inOrder.slice(1).map(({ startOffset }) => startOffset)).toEqual(
        inOrder.slice(0, -1).map(({ endOffset }) => endOffset),
      );
    }
  } finally {
    for (const role of running.keys()) await end(running, role);
    await rm(home, { recursive: true, maxRetries: 10 });
  }
}

async function startProcess(role: string, setup: TrialSetup): Promise<ChildProcess> {
  const script = join(import.meta.dirname, `killed-${role}.process.ts`);
  const child = fork(script, [JSON.stringify(setup)], { execArgv: ['--conditions=@quire/source'] });
  await once(child, 'message');
  return child;
}

async function end(running: Map<string, ChildProcess>, role: string): Promise<void> {
  const child = running.get(role);
  running.delete(role);
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function rowsOf(
  queries: DuckDbEngine,
  sql: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  await using execution = await queries.execute({ sql }, { limits: { timeoutMs: 60_000 } });
  const batches = await Array.fromAsync(execution.batches);
  return batches.flatMap((batch) =>
    batch.toArray().map((row: { toJSON(): Record<string, unknown> }) => row.toJSON()),
  );
}
