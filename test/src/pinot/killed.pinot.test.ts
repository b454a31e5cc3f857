import { PinotTableEngine } from '@quire/engine-pinot';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PinotServer } from '../testkit/servers/pinot-server.ts';
import { describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import { KafkaTopic } from './kafka-topic.ts';
import {
  count,
  dropTable,
  engineOptions,
  loadTable,
  openEngine,
  patience,
  sharedCluster,
  tellController,
} from './pinot-cluster.ts';
import { type QuireOnPinot, startOnPinot } from './quire-on-pinot.ts';

vi.setConfig({ testTimeout: 300_000 });

/** Servers of their own, and the lead of tables that changes: this runs when the variable is set. */
const isTried = process.env['QUIRE_PINOT_TRIALS'] !== undefined;
const limits = { timeoutMs: 120_000 };
const rowCount = 60_000;
const tenants = { broker: 'Spare', server: 'DefaultTenant' };
/** More than what lies in sockets between a broker and a reader. */
const large = `SELECT ${Array.from({ length: 40 }, (_, index) => `n * ${index + 3} AS n${index}`).join(', ')} FROM held LIMIT ${rowCount}`;
const slow = 'SELECT sleep(n + 4000) FROM held WHERE n = 1';
const stream = {
  schemaName: 'rivers',
  dimensionFieldSpecs: [{ name: 'id', dataType: 'LONG' }],
  dateTimeFieldSpecs: [{ name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' }],
};
const restreamPath = '/tables/rivers_REALTIME/restream';

function messages(messageCount: number, first = 0): readonly object[] {
  return Array.from({ length: messageCount }, (_, index) => ({ id: first + index, ts: 1_767_225_600_000 + index }));
}

async function stageOf(quire: QuireOnPinot): Promise<unknown> {
  const { body } = await quire.tell('GET', restreamPath);
  return (body as Readonly<Record<string, unknown>>)['stage'];
}

/** Both roles that Quire speaks to are killed, as by a power cut; the servers with the segments go on. */
describeWithTool(pinotServer, 'a broker and a controller of Apache Pinot that are killed and started again', (folder) => {
  let spare: PinotServer;

  beforeAll(async () => {
    if (!isTried) return;
    const cluster = sharedCluster();
    const { port } = new URL(cluster.brokerUrl);
    await tellController(cluster, 'PUT', `/instances/Broker_127.0.0.1_${port}/updateTags?tags=DefaultTenant_BROKER,Spare_BROKER`);
    spare = await PinotServer.join(folder, cluster);
    const schema = { schemaName: 'held', dimensionFieldSpecs: [{ name: 'n', dataType: 'INT' }] };
    await loadTable(cluster, schema, [Array.from({ length: rowCount }, (_, n) => ({ n }))], { tenants });
    await vi.waitUntil(async () => (await count(spare.address, 'held')) === rowCount, patience);
  });

  afterAll(async () => {
    if (!isTried) return;
    await using engine = new PinotTableEngine(engineOptions(sharedCluster()));
    for (const name of ['held', 'rivers', 'rivers2']) await dropTable(sharedCluster(), engine, name);
    await spare[Symbol.asyncDispose]();
  });

  test.skipIf(!isTried)('cost queries and jobs under way no more than that time, and callers read no host', async () => {
    const cluster = sharedCluster();
    const { controllerUrl, brokerUrl } = spare.address;
    const settings = { 'engine.pinot.controller.url': controllerUrl, 'engine.pinot.broker.url': brokerUrl };
    await using topic = await KafkaTopic.create();
    await using quire = await startOnPinot({ ...settings, 'engine.pinot.broker.refresh': '1s' });
    const kept = await quire.query('SELECT n FROM held ORDER BY n LIMIT 1000', '?doPaginate=true&numRows=10');
    expect(kept).toMatchObject({ numRowsResultSet: 1000, exceptions: [] });

    await topic.append(0, messages(100));
    expect(await quire.tell('POST', '/schemas', stream)).toMatchObject({ status: 200 });
    const made = await quire.tell('POST', '/tables', {
      tableName: 'rivers_REALTIME',
      tableType: 'REALTIME',
      segmentsConfig: { timeColumnName: 'ts', replication: '1' },
      tenants,
      ingestionConfig: { streamIngestionConfig: { streamConfigMaps: [topic.streamConfig] } },
    });
    expect(made).toMatchObject({ status: 200 });
    await vi.waitUntil(async () => (await count(cluster, 'rivers')) === 100, patience);
    const started = await quire.tell('POST', `${restreamPath}?destTableNameWithType=rivers2_REALTIME&debugPause=true`);
    expect(started).toMatchObject({ status: 200 });

    // One query waits for its answer, one has it in part, and both know of another broker.
    await using engine = openEngine({ brokers: [brokerUrl, cluster.brokerUrl], avoidMs: 60_000 });
    await using half = openEngine({ brokers: [brokerUrl] });
    await using execution = await half.execute({ sql: large }, { limits });
    const batches = execution.batches[Symbol.asyncIterator]();
    expect((await batches.next()).done).toBe(false);
    // Of two brokers one is asked after the other.
    const waiting = [engine, engine].map(async (each) => {
      await using answer = await each.execute({ sql: slow }, { limits });
      let rows = 0;
      for await (const batch of answer.batches) rows += batch.numRows;
      return rows;
    });
    await vi.waitUntil(async () => (await (await fetch(`${brokerUrl}/queries`)).text()).includes('sleep'), patience);
    await spare.process.kill();

    expect(await Promise.all(waiting)).toEqual([1, 1]);
    const rest = (async () => {
      while ((await batches.next()).done !== true);
    })();
    await expect(rest).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });

    const refused = await quire.query('SELECT n FROM held', '?doPaginate=true');
    expect(refused.exceptions).toEqual([{ errorCode: 427, message: 'Apache Pinot does not answer: ECONNREFUSED.' }]);
    const page = JSON.parse(await quire.send(`/query/${kept.requestId}/results?offset=990&numRows=10`)) as typeof kept;
    expect(page.resultTable.rows).toHaveLength(10);
    expect(await quire.tell('GET', '/tables')).toMatchObject({
      status: 503,
      body: { reason: 'ENGINE_UNAVAILABLE', error: 'Apache Pinot does not answer: ECONNREFUSED.' },
    });
    expect(await stageOf(quire)).toBe('INIT');
    expect((await quire.tell('POST', `${restreamPath}/resume`)).status).toBe(200);

    await spare.process.restart();
    // The job continues once the controller is back: segments are committed by then.
    const isFar = async (): Promise<boolean> => ['REBALANCE', 'DONE'].includes(String(await stageOf(quire)));
    await vi.waitUntil(isFar, { ...patience, timeout: 180_000 });
    await vi.waitUntil(async () => (await count(cluster, 'rivers2')) === 100, patience);
    await vi.waitFor(async () => {
      expect(await quire.query('SELECT n FROM held', '?doPaginate=true')).toMatchObject({ numRowsResultSet: 10, exceptions: [] });
    }, patience);
  });
});
