import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { KafkaServer } from '../../../test/src/testkit/servers/kafka-server.ts';
import {
  type ComparisonEntry,
  quire,
  reportComparison,
  runComparison,
} from '../measure/comparison.ts';
import { repeated } from '../measure/interleave.ts';
import type { Part } from '../measure/part.ts';
import { Child } from '../process/child.ts';
import { repositoryRoot } from '../process/node-arguments.ts';
import { readProcessMemory, resetPeak } from '../process/process-memory.ts';
import type { IngestAnswer, IngestOptions, IngestRequest } from './ingest.process.ts';

/**
 * Consumes messages of a stream into committed segments; compared with DuckDB's own way, and with
 * reading alone.
 */
export const ingestPart: Part = {
  name: 'ingest',
  title: 'Messages into tables',
  async run({ isQuick, scratch, profileDirectory, progress }) {
    await using kafka = await startKafka(progress);
    const options: IngestOptions = {
      messageCount: isQuick ? 5_000 : 200_000,
      directory: scratch,
      kafka:
        kafka === undefined
          ? undefined
          : { port: kafka.process.port, topic: await kafka.createTopic(1) },
    };
    await using child = new Child(join(import.meta.dirname, 'ingest.process.ts'), options, {
      profileDirectory,
    });
    const ask = async (request: IngestRequest): Promise<number> =>
      ((await child.call(request)) as IngestAnswer).figure;
    const rounds = { count: isQuick ? 1 : 3, sliceMs: 1 };
    const contenders: readonly Contestant[] = [
      ['file stream', quire, 'tables'],
      ['file stream', 'duckdb read_json → parquet', 'duckdb'],
      ['file stream', 'only fetched', 'fetch'],
      ...(kafka === undefined ? [] : kafkaContenders),
    ];
    const title = 'JSON messages of 6 fields into committed segments, per second of processor time';
    const onSlice = (index: number, count: number): void =>
      progress(`${title}: ${Math.round((100 * index) / count)} %`);
    const entries = contenders.map(([level, name, request]): ComparisonEntry => {
      return { level, name, contender: repeated(() => ask(request)) };
    });
    const speed = await runComparison(
      { id: 'ingest-cpu', title, unit: 'rows/s', factor: 'stream', comparesLevels: false, entries },
      { ...rounds, onSlice },
    );
    progress('how fresh a table is');
    const delays: number[][] = [];
    for (let run = 0; run < (isQuick ? 1 : 10); run += 1) delays.push([await ask('freshness')]);
    const freshness = reportComparison(
      {
        id: 'ingest-freshness',
        title: 'Time from a message in the stream until queries see its row',
        unit: 'ms',
        factor: 'stream',
        comparesLevels: false,
      },
      [{ level: 'file stream', name: quire, rounds: delays }],
    );
    const { residentBytes } = await readProcessMemory(child.pid);
    await resetPeak(child.pid);
    await ask('tables');
    const { peakBytes } = await readProcessMemory(child.pid);
    const memory = reportComparison(
      {
        id: 'ingest-memory',
        title: 'Peak memory while it consumes as fast as possible, beyond that before',
        unit: 'MB',
        factor: 'stream',
        comparesLevels: false,
      },
      [
        {
          level: 'file stream',
          name: quire,
          rounds: [[Math.max(0, peakBytes - residentBytes) / 1e6]],
        },
      ],
    );
    return {
      comparisons: [speed, freshness, memory],
      notes: kafka === undefined ? [...notes, missingKafkaNote] : notes,
    };
  },
};

type Contestant = readonly [level: string, name: string, request: IngestRequest];

const kafkaContenders: readonly Contestant[] = [
  ['kafka', quire, 'kafka tables'],
  ['kafka', 'only fetched', 'kafka fetch'],
];

/** An Apache Kafka like that of the tests; undefined if it is not installed. */
async function startKafka(progress: (what: string) => void): Promise<KafkaServer | undefined> {
  const jars = process.env['QUIRE_KAFKA'] ?? join(repositoryRoot, '.cache/kafka');
  if (!existsSync(jars)) return undefined;
  progress('starts an Apache Kafka');
  return KafkaServer.start(jars);
}

const notes = [
  'Quire runs every message through the pipeline of its table, makes it durable in chunks, and commits one segment.',
  'The contender that only fetches reads the messages as Quire does, from the file or from one broker of a real Apache Kafka, whose own time does not count.',
  'DuckDB reads the whole file of the stream in one query, on one thread, and writes Parquet with zstd.',
];

const missingKafkaNote =
  'Apache Kafka is not installed here (.ci/run installs it). The measurements that need it were omitted.';
