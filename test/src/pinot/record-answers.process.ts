import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KafkaProducer } from '@quire/streams/kafka';
import { KafkaServer } from '../testkit/servers/kafka-server.ts';
import { PinotServer } from '../testkit/servers/pinot-server.ts';
import { kafkaServer, pinotServer } from '../testkit/toolchain.ts';
import { until } from '../testkit/until.ts';
import { streamConfigOf } from './stream-config.ts';

/**
 * Records what a real Apache Pinot 1.5.1 answers about consumption, for the tests of
 * `@quire/engine-pinot`: in normal operation, after one of two servers has given up, after the only
 * server has given up, and while Kafka is unavailable. Run with `QUIRE_PINOT` and `QUIRE_KAFKA`
 * set: `npx node --conditions=@quire/source test/src/pinot/record-answers.process.ts`.
 */
const target = join(
  import.meta.dirname,
  '../../../packages/engine-pinot/test/recorded/consumption.json',
);
const [pinotFolder, kafkaJars] = [pinotServer.find(process.env), kafkaServer.find(process.env)];
if (pinotFolder === undefined || kafkaJars === undefined) {
  throw new Error('QUIRE_PINOT and QUIRE_KAFKA have to name the programs.');
}
await using kafka = await KafkaServer.start(kafkaJars);
await using pinot = await PinotServer.start(pinotFolder);
const { address } = pinot;
const topic = await kafka.createTopic(2);

async function call(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${address.controllerUrl}${path}`, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
  return JSON.parse(text);
}

/** Two servers consume `rivers`, one `brook`. */
const tables = { rivers: 2, brook: 1 } as const;

async function record(table: keyof typeof tables): Promise<Record<string, unknown>> {
  const name = `${table}_REALTIME`;
  const answers: Record<string, unknown> = {};
  for (const path of [
    '/version',
    `/tables/${table}?type=realtime`,
    `/tables/${name}/pauseStatus`,
    `/tables/${name}/consumingSegmentsInfo`,
    `/tables/${table}/status?type=REALTIME`,
    `/segments/${name}/zkmetadata`,
    `/segments/${name}/servers`,
    `/tables/${name}/size?verbose=true`,
  ]) {
    answers[path] = await call('GET', path);
  }
  return answers;
}

interface Info {
  readonly _segmentToConsumingInfoMap: Readonly<
    Record<string, readonly { readonly consumerState: string }[]>
  >;
}

async function readInfo(table: keyof typeof tables): Promise<Info> {
  return (await call('GET', `/tables/${table}_REALTIME/consumingSegmentsInfo`)) as Info;
}

async function stoppedCount(table: keyof typeof tables): Promise<number> {
  return JSON.stringify(await readInfo(table)).split('"NOT_CONSUMING"').length - 1;
}

/** The folder in which a server builds segments becomes a file: its next commit fails. */
async function breakServers(table: keyof typeof tables): Promise<void> {
  for (const role of ['server', 'server2']) {
    const folder = join(dirname(address.deepStore), role, 'index', `${table}_REALTIME`);
    await rm(folder, { recursive: true, force: true });
    await writeFile(folder, '');
  }
}

for (const [table, replication] of Object.entries(tables)) {
  await call('POST', '/schemas', {
    schemaName: table,
    dimensionFieldSpecs: [{ name: 'id', dataType: 'LONG' }],
    dateTimeFieldSpecs: [
      {
        name: 'ts',
        dataType: 'LONG',
        format: 'EPOCH|MILLISECONDS|1',
        granularity: 'MILLISECONDS|1',
      },
    ],
  });
  await call('POST', '/tables', {
    tableName: `${table}_REALTIME`,
    tableType: 'REALTIME',
    segmentsConfig: { timeColumnName: 'ts', replication: String(replication) },
    tenants: {},
    metadata: {},
    tableIndexConfig: {},
    ingestionConfig: {
      streamIngestionConfig: { streamConfigMaps: [streamConfigOf(topic, kafka.address)] },
    },
  });
}
{
  await using producer = new KafkaProducer({ topic, config: kafka.config });
  for (const partition of [0, 1]) {
    const rows = Array.from({ length: 100 }, (_, id) => ({ id, ts: 1_767_225_600_000 + id }));
    await producer.append(
      rows.map((row) => ({ key: null, partition, value: Buffer.from(JSON.stringify(row)) })),
    );
  }
}
const count = (text: string, part: RegExp): number => [...text.matchAll(part)].length;
for (const [table, replication] of Object.entries(tables)) {
  await until(async () => {
    const info = JSON.stringify(await readInfo(table as keyof typeof tables));
    return count(info, /"currentOffsetsMap":\{"\d":"100"\}/g) === 2 * replication;
  }, `${table} has consumed all`);
}
const scenes: Record<string, unknown> = { healthy: await record('rivers') };
for (const table of ['rivers', 'brook'] as const) {
  await breakServers(table);
  await call('POST', `/tables/${table}_REALTIME/forceCommit`);
  await until(
    async () => (await stoppedCount(table)) === 2,
    `one server of each partition of ${table} has given up`,
  );
}
scenes['halfDead'] = await record('rivers');
scenes['dead'] = await record('brook');
await kafka.process.kill();
await until(
  async () =>
    Object.values((await readInfo('rivers'))._segmentToConsumingInfoMap).flat().length === 0,
  'no server answers',
);
scenes['kafkaAway'] = await record('rivers');

/** Names and ports are the same in each recording. */
const [first = '', second = ''] = address.servers;
const text = JSON.stringify(scenes, null, 1)
  .replaceAll(first, 'Server_pinot-0_8098')
  .replaceAll(second, 'Server_pinot-1_8098')
  .replaceAll(address.controllerUrl, 'http://pinot-controller:9000')
  .replaceAll(kafka.address, 'kafka:9092');
await mkdir(dirname(target), { recursive: true });
await writeFile(target, `${text}\n`);
