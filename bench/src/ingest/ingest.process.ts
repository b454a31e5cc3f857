import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { MiB, systemClock, systemRandom } from '@quire/core';
import { FileProducer, type MessageProducer, openStream } from '@quire/streams';
import { KafkaProducer } from '@quire/streams/kafka';
import { EmbeddedTableEngine } from '@quire/table-server';
import { argumentOfParent, serveParent } from '../process/serve-parent.ts';

export interface IngestOptions {
  readonly messageCount: number;
  /** The directory of streams and tables. */
  readonly directory: string;
  /**
   * An Apache Kafka on this machine, with an empty topic of one partition; undefined without one.
   */
  readonly kafka: { readonly port: number; readonly topic: string } | undefined;
}

/** `fetch`: the stream is only read. */
export type IngestRequest =
  | 'tables'
  | 'fetch'
  | 'duckdb'
  | 'freshness'
  | 'kafka tables'
  | 'kafka fetch';

type StreamType = 'file' | 'kafka';

export interface IngestAnswer {
  /**
   * Messages with the processor time that they took, in the whole process; for `freshness` the time
   * until one is visible, in milliseconds.
   */
  readonly figure: number;
}

const { messageCount, directory, kafka } = argumentOfParent() as IngestOptions;
const streams = join(directory, 'streams');
const kafkaAddress = `127.0.0.1:${kafka?.port}`;
const streamOptions = { fileDirectory: streams, kafkaBrokers: [kafkaAddress], clock: systemClock };
const schema = {
  schemaName: 'orders',
  dimensionFieldSpecs: [
    { name: 'id', dataType: 'LONG' },
    { name: 'customer', dataType: 'STRING' },
    { name: 'city', dataType: 'STRING' },
  ],
  metricFieldSpecs: [
    { name: 'items', dataType: 'INT' },
    { name: 'amount', dataType: 'DOUBLE' },
  ],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
};
const cities = ['Oslo', 'Bergen', 'Lima', 'Quito', 'Accra', 'Hanoi'];
const producer = await FileProducer.open({
  directory: streams,
  topic: 'orders',
  partitionCount: 1,
});
await fill(producer);
if (kafka !== undefined) {
  const { port, topic } = kafka;
  const config = {
    brokers: [{ host: '127.0.0.1', port }],
    tls: undefined,
    sasl: undefined,
    isCommittedOnly: false,
  };
  await using toKafka = new KafkaProducer({ topic, config });
  await fill(toKafka);
}
const lively = await FileProducer.open({ directory: streams, topic: 'lively', partitionCount: 1 });
let tableCount = 0;

const requests: Readonly<Record<IngestRequest, () => Promise<number>>> = {
  tables: () => perProcessorSecond(() => ingestAll('file')),
  fetch: () => perProcessorSecond(() => fetchAll('file')),
  'kafka tables': () => perProcessorSecond(() => ingestAll('kafka')),
  'kafka fetch': () => perProcessorSecond(() => fetchAll('kafka')),
  duckdb: () => perProcessorSecond(copyAll),
  freshness: measureFreshness,
};

serveParent(
  async (request): Promise<IngestAnswer> => ({
    figure: await requests[request as IngestRequest](),
  }),
  () => producer[Symbol.asyncDispose](),
);

async function fill(to: MessageProducer): Promise<void> {
  for (let first = 0; first < messageCount; first += 5_000) {
    await to.append(
      Array.from({ length: Math.min(5_000, messageCount - first) }, (_, index) =>
        messageOf(first + index),
      ),
    );
  }
}

function messageOf(id: number): { key: null; value: Uint8Array } {
  const customer = `c${(id * 7_919) % 10_000}`;
  const row = {
    id,
    customer,
    city: cities[id % 6],
    items: id % 9,
    amount: (id % 10_007) / 4,
    ts: 1_700_000_000_000 + id,
  };
  return { key: null, value: Buffer.from(JSON.stringify(row)) };
}

async function perProcessorSecond(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return messageCount / ((user + system) / 1e6);
}

/** Consumes all messages of the topic into committed segments of a new table. */
async function ingestAll(streamType: StreamType): Promise<void> {
  await using opened = await openTable('orders', streamType, String(messageCount));
  for (let committed = 0; committed < messageCount;) {
    const segments = await opened.engine.listSegments('orders_REALTIME');
    committed = segments.reduce(
      (sum, { state, rowCount }) => sum + (state === 'COMMITTED' ? rowCount : 0),
      0,
    );
    await systemClock.sleep(20);
  }
}

async function fetchAll(streamType: StreamType): Promise<void> {
  await using stream = openStream(streamOf('orders', streamType), streamOptions);
  let seen = 0;
  for (let offset = 0; seen < messageCount;) {
    const limits = { messagesMax: 5_000, bytesMax: 4 * MiB, waitMs: 0 };
    const { messages, nextOffset } = await stream.fetch(0, offset, limits);
    seen += messages.length;
    offset = nextOffset;
  }
}

async function copyAll(): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const [source, target] = [join(streams, 'orders', '0.jsonl'), join(directory, 'orders.parquet')];
  await connection.run(
    `COPY (SELECT * FROM read_json('${source}', format = 'newline_delimited')) TO '${target}' (FORMAT parquet, COMPRESSION zstd)`,
  );
  connection.closeSync();
  instance.closeSync();
}

/** Measures the time from a message in the stream until a reader in any process sees its row. */
async function measureFreshness(): Promise<number> {
  await using opened = await openTable('lively', 'file', '1000000');
  await lively.append([messageOf(0)]);
  for (
    let isStarted = false;
    !isStarted;
    isStarted = (await opened.engine.countRows('lively_REALTIME')) > 0
  ) {
    await systemClock.sleep(10);
  }
  const before = await opened.engine.countRows('lively_REALTIME');
  const startMs = performance.now();
  await lively.append([messageOf(1)]);
  while ((await opened.engine.countRows('lively_REALTIME')) === before) await systemClock.sleep(1);
  return performance.now() - startMs;
}

async function openTable(
  topic: string,
  streamType: StreamType,
  rowsOfSegment: string,
): Promise<AsyncDisposable & { readonly engine: EmbeddedTableEngine }> {
  tableCount += 1;
  const dataDirectory = join(directory, `tables-${tableCount}`);
  const engine = await EmbeddedTableEngine.open({
    dataDirectory,
    clock: systemClock,
    random: systemRandom,
    tenants: ['DefaultTenant'],
    host: 'localhost',
    finder: undefined,
    rowBytesMax: MiB,
    graceMs: 60_000,
    openStream: (config) => openStream(config, streamOptions),
  });
  await engine.createSchema({ ...schema, schemaName: topic });
  const streamConfigMaps = [
    { ...streamOf(topic, streamType), 'realtime.segment.flush.threshold.rows': rowsOfSegment },
  ];
  await engine.createTable({
    tableName: topic,
    tableType: 'REALTIME',
    segmentsConfig: { timeColumnName: 'ts' },
    ingestionConfig: { streamIngestionConfig: { streamConfigMaps } },
  });
  return {
    engine,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await rm(dataDirectory, { recursive: true });
    },
  };
}

function streamOf(topic: string, streamType: StreamType): Readonly<Record<string, string>> {
  return {
    streamType,
    [`stream.${streamType}.topic.name`]: streamType === 'kafka' ? (kafka?.topic ?? '') : topic,
    [`stream.${streamType}.consumer.prop.auto.offset.reset`]: 'smallest',
    ...(streamType === 'kafka' && {
      'stream.kafka.broker.list': kafkaAddress,
      'stream.kafka.decoder.class.name':
        'org.apache.pinot.plugin.inputformat.json.JSONMessageDecoder',
    }),
  };
}
