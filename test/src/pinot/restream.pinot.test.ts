import type { JsonValue } from '@quire/core';
import { PinotTableEngine } from '@quire/engine-pinot';
import { afterAll, expect, test, vi } from 'vitest';
import { describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import { KafkaTopic } from './kafka-topic.ts';
import { count, dropTable, engineOptions, sharedCluster, tellController } from './pinot-cluster.ts';
import { type QuireOnPinot, startOnPinot } from './quire-on-pinot.ts';
import { patience } from '../testkit/until.ts';

const schema = {
  schemaName: 'events',
  dimensionFieldSpecs: [{ name: 'id', dataType: 'LONG' }],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
  ],
};
const restreamPath = '/tables/events_REALTIME/restream';

function events(rowCount: number, first = 0): readonly object[] {
  return Array.from({ length: rowCount }, (_, index) => ({
    id: first + index,
    ts: 1_767_225_600_000 + index,
  }));
}

/** Gives a server the default tenant and, optionally, another one. */
async function tagServer(server: string, tenant?: string): Promise<void> {
  const tags = ['DefaultTenant', ...(tenant === undefined ? [] : [tenant])].flatMap((name) => [
    `${name}_OFFLINE`,
    `${name}_REALTIME`,
  ]);
  await tellController(
    sharedCluster(),
    'PUT',
    `/instances/${server}/updateTags?tags=${tags.join(',')}`,
  );
}

describeWithTool(pinotServer, 'a restream on Apache Pinot', () => {
  let engine: PinotTableEngine | undefined;

  const tables = (): PinotTableEngine =>
    (engine ??= new PinotTableEngine(engineOptions(sharedCluster())));

  afterAll(async () => {
    for (const name of ['events', 'copy']) await dropTable(sharedCluster(), tables(), name);
    await engine?.[Symbol.asyncDispose]();
  });

  test('a restream on Apache Pinot rebuilds a live table, and moves segments to where their tenant is by then', async () => {
    const cluster = sharedCluster();
    const [first = '', second = ''] = cluster.servers;
    await using topic = await KafkaTopic.create();
    await using quire = await startOnPinot();
    await topic.append(0, events(300));
    await topic.append(1, events(200, 300));
    await makeEvents(quire, topic);
    await expect.poll(() => count(cluster, 'events')).toBe(500);
    await tagServer(first, 'Fresh');
    try {
      const started = await quire.tell(
        'POST',
        `${restreamPath}?destTableNameWithType=copy_REALTIME&destServerTenant=Fresh&debugPause=true`,
      );
      expect(started).toMatchObject({ status: 200, body: { stage: 'INIT' } });
      // The segments that it was created with are on the first server when the tenant moves to the
      // second one.
      await expect
        .poll(async () => {
          const segments = await tables().listSegments('copy_REALTIME');
          return (
            segments.length === 2 &&
            segments.every(({ state, servers }) => state === 'COMMITTED' && servers.includes(first))
          );
        })
        .toBe(true);
      await tagServer(second, 'Fresh');
      await tagServer(first);
      expect((await quire.tell('POST', `${restreamPath}/resume`)).status).toBe(200);
      await topic.append(0, events(50, 500));
      const job = await untilDone(quire);
      expect(job).toMatchObject({ stage: 'DONE', error: null });
      const stages = job['stages'] as readonly {
        readonly stage: string;
        readonly outcome: string;
      }[];
      expect(stages.map(({ stage }) => stage)).toEqual([
        'INIT',
        'TABLE_STREAM',
        'FORCE_COMMIT',
        'REBALANCE',
        'DONE',
      ]);
      expect(stages.find(({ stage }) => stage === 'REBALANCE')?.outcome).not.toMatch(
        /nothing|already balanced/i,
      );
      await expect.poll(() => count(cluster, 'copy')).toBe(550);
      const servers = (await tables().listSegments('copy_REALTIME')).flatMap(
        (segment) => segment.servers,
      );
      expect(new Set(servers)).toEqual(new Set([second]));
      expect(await count(cluster, 'events')).toBe(550);
    } finally {
      await tagServer(first);
      await tagServer(second);
    }
  });
});

async function makeEvents(quire: QuireOnPinot, topic: KafkaTopic): Promise<void> {
  expect(await quire.tell('POST', '/schemas', schema)).toMatchObject({ status: 200 });
  const made = await quire.tell('POST', '/tables', {
    tableName: 'events_REALTIME',
    tableType: 'REALTIME',
    segmentsConfig: { timeColumnName: 'ts', replication: '1' },
    tenants: { broker: 'DefaultTenant', server: 'DefaultTenant' },
    ingestionConfig: { streamIngestionConfig: { streamConfigMaps: [topic.streamConfig] } },
  });
  expect(made).toMatchObject({ status: 200 });
}

/** The job, once it has ended. */
async function untilDone(quire: QuireOnPinot): Promise<Readonly<Record<string, JsonValue>>> {
  return vi.waitFor(async () => {
    const { body } = await quire.tell('GET', restreamPath);
    const job = body as Readonly<Record<string, JsonValue>>;
    expect(['DONE', 'FAILED', 'CANCELLED']).toContain(job['stage']);
    return job;
  }, patience);
}
