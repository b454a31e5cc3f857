import { join } from 'node:path';
import { SeededRandom } from '@quire/core/testing';
import { FileProducer } from '@quire/streams';
import { Laws } from '../simulation/laws.ts';
import { ResultUser } from '../simulation/result-user.ts';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { entriesBelow } from '../testkit/files-below.ts';
import { SoakedCluster } from './soaked-cluster.ts';
import type { ProcessSample } from './soak-messages.ts';

const minuteMs = 60_000;
/** The interval between two measurements of the process. */
const sampleEveryMinutes = 5;
const actsPerMinute = 8;
const messagesPerMinute = 50;

/** The resources of a server at one moment. */
export interface SoakSample extends ProcessSample {
  /** Virtual time since the start. */
  readonly hours: number;
  /** Files and directories of results, of tables and of streams. */
  readonly storedFiles: number;
  /** Rows of a table that a stream feeds, and which keeps them for an hour. */
  readonly tableRows: number;
}

/**
 * Lets two users call one server for hours of its own time, which take minutes, and measures its
 * resource use as it ages. The laws of the simulation are checked on what the users see.
 *
 * @throws AssertionError when a law is broken
 */
export async function runSoak(options: {
  readonly hours: number;
  readonly seed: number;
}): Promise<readonly SoakSample[]> {
  const random = new SeededRandom(options.seed);
  const fork = (): SeededRandom => new SeededRandom(random.integer(2 ** 31));
  await using directory = await temporaryDirectory();
  await using cluster = await SoakedCluster.start(directory.path);
  let lookedAtMs: number | undefined;
  const laws = new Laws({
    nowMs: () => lookedAtMs ?? cluster.nowMs(),
    stalenessMaxMs: 0,
    areListingsTrue: true,
    clockErrorMaxMs: 2000,
  });
  cluster.onRemoval = (removed, atMs) => {
    lookedAtMs = atMs;
    laws.noteRemoval('the server', removed);
    lookedAtMs = undefined;
  };
  const rows = { first: 0 };
  const users = ['ann', 'bob'].map(
    (name) => new ResultUser({ name, cluster, laws, random: fork(), rows, note: () => undefined }),
  );
  const producer = await openTable(cluster, join(directory.path, 'streams'));
  const samples: SoakSample[] = [];
  const startMs = cluster.nowMs();
  for (let minute = 1; minute <= options.hours * 60; minute += 1) {
    const atMs = cluster.nowMs();
    await producer.append(
      Array.from({ length: messagesPerMinute }, (_, index) => ({
        key: null,
        value: Buffer.from(JSON.stringify({ id: minute * messagesPerMinute + index, at: atMs })),
      })),
    );
    for (let act = 0; act < actsPerMinute; act += users.length) {
      await Promise.all(users.map((user) => user.act()));
    }
    await cluster.pause(Math.max(0, startMs + minute * minuteMs - cluster.nowMs()));
    if (minute % sampleEveryMinutes !== 0) continue;
    samples.push({
      ...(await cluster.sample()),
      hours: minute / 60,
      storedFiles: (await entriesBelow(directory.path)).length,
      tableRows: await countRows(cluster),
    });
  }
  laws.check({ isEvictionLost: false });
  return samples;
}

/**
 * Creates a real-time table whose segments end after some minutes and are deleted after an hour.
 */
async function openTable(cluster: SoakedCluster, directory: string): Promise<FileProducer> {
  const producer = await FileProducer.open({ directory, topic: 'visits', retentionBytes: 64_000 });
  await post(cluster, '/schemas', {
    schemaName: 'visits',
    dimensionFieldSpecs: [{ name: 'id', dataType: 'LONG' }],
    dateTimeFieldSpecs: [
      { name: 'at', dataType: 'LONG', format: '1:MILLISECONDS:EPOCH', granularity: '1:MINUTES' },
    ],
  });
  await post(cluster, '/tables', {
    tableName: 'visits',
    tableType: 'REALTIME',
    segmentsConfig: {
      timeColumnName: 'at',
      retentionTimeUnit: 'HOURS',
      retentionTimeValue: '1',
      replication: '1',
    },
    tableIndexConfig: {},
    tenants: {},
    metadata: {},
    ingestionConfig: {
      streamIngestionConfig: {
        streamConfigMaps: [
          {
            streamType: 'file',
            'stream.file.topic.name': 'visits',
            'stream.file.consumer.prop.auto.offset.reset': 'smallest',
            'realtime.segment.flush.threshold.rows': '300',
          },
        ],
      },
    },
  });
  return producer;
}

async function countRows(cluster: SoakedCluster): Promise<number> {
  const { resultTable } = await post(cluster, '/query/sql', { sql: 'SELECT count(*) FROM visits' });
  return Number(resultTable?.rows[0]?.[0]);
}

async function post(
  cluster: SoakedCluster,
  path: string,
  body: object,
): Promise<{ readonly resultTable?: { readonly rows: readonly (readonly unknown[])[] } }> {
  const host = path.startsWith('/query') ? 'broker' : 'controller';
  const outcome = await cluster.call(host, path, { method: 'POST', as: 'root', body });
  if (outcome?.status !== 200) throw new Error(`${path}: ${outcome?.status} ${outcome?.text}`);
  return outcome.json();
}
