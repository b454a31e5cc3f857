import { type PinotEngine, PinotTableEngine } from '@quire/engine-pinot';
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
  sharedCluster,
  tellController,
} from './pinot-cluster.ts';
import { makeRivers, restreamPath, untilRestreamed } from './rivers.ts';
import { startOnPinot } from './quire-on-pinot.ts';
import { patience, until } from '../testkit/until.ts';

const limits = { timeoutMs: 120_000 };
const rowCount = 60_000;
/** More than the socket buffers between a broker and a reader. */
const large = `SELECT ${Array.from({ length: 40 }, (_, index) => `n * ${index + 3} AS n${index}`).join(', ')} FROM held LIMIT ${rowCount}`;

/** Counts the rows of an answer that has one. */
async function countHeld(engine: PinotEngine): Promise<number> {
  await using answer = await engine.execute({ sql: 'SELECT n FROM held WHERE n = 1' }, { limits });
  let rows = 0;
  for await (const batch of answer.batches) rows += batch.numRows;
  return rows;
}

/**
 * Kills a broker, and a server to which a table is being rebuilt, as by a power failure; the rest
 * of the cluster continues.
 */
describeWithTool(
  pinotServer,
  'a broker and a server of Apache Pinot that are killed and started again',
  (folder) => {
    let spare: PinotServer;

    beforeAll(async () => {
      const cluster = sharedCluster();
      const { port } = new URL(cluster.brokerUrl);
      await tellController(
        cluster,
        'PUT',
        `/instances/Broker_127.0.0.1_${port}/updateTags?tags=DefaultTenant_BROKER,Spare_BROKER`,
      );
      const schema = { schemaName: 'held', dimensionFieldSpecs: [{ name: 'n', dataType: 'INT' }] };
      const rows = Array.from({ length: rowCount }, (_, n) => ({ n }));
      const tenants = { broker: 'Spare', server: 'DefaultTenant' };
      [spare] = await Promise.all([
        PinotServer.join(folder, cluster, ['broker', 'server']),
        loadTable(cluster, schema, [rows], { tenants }),
      ]);
      await until(
        async () => (await count(spare.address, 'held')) === rowCount,
        'held has its rows',
      );
    });

    afterAll(async () => {
      await using engine = new PinotTableEngine(engineOptions(sharedCluster()));
      for (const name of ['held', 'rivers', 'rivers2']) {
        await dropTable(sharedCluster(), engine, name);
      }
      await spare[Symbol.asyncDispose]();
    });

    test('a broker and a server of Apache Pinot that are killed and started again cost queries and jobs under way no more than that time, and callers read no host', async () => {
      const cluster = sharedCluster();
      const { brokerUrl } = spare.address;
      await using topic = await KafkaTopic.create();
      await using quire = await startOnPinot({ 'engine.pinot.broker.url': brokerUrl });
      const kept = await quire.query(
        'SELECT n FROM held ORDER BY n LIMIT 1000',
        '?doPaginate=true&numRows=10',
      );
      expect(kept).toMatchObject({ numRowsResultSet: 1000, exceptions: [] });
      await makeRivers(quire, topic, { broker: 'Spare', server: 'DefaultTenant' });
      await expect.poll(() => count(cluster, 'rivers')).toBe(100);
      const started = await quire.tell(
        'POST',
        `${restreamPath}?destTableNameWithType=rivers2_REALTIME&destServerTenant=Spare&debugPause=true`,
      );
      expect(started).toMatchObject({ status: 200, body: { stage: 'INIT' } });
      // Brokers miss no segment that they have never seen on a server: they answer without it.
      await using other = openEngine({ brokers: [cluster.brokerUrl] });
      const countAll = async (useMultistageEngine: string): Promise<unknown> => {
        const query = { sql: 'SELECT count(*) FROM rivers2', options: { useMultistageEngine } };
        await using execution = await other.execute(query, { limits });
        for await (const _ of execution.batches) continue;
        return execution.statistics().cluster?.segments;
      };
      await expect
        .poll(() => countAll('false').catch(() => undefined))
        .toMatchObject({ queried: 2 });
      // Servers commit a few seconds after the request to pause. A server that is killed earlier
      // leaves other segments than one that is killed later.
      const pauseStatus = () => quire.tell('GET', '/tables/rivers2_REALTIME/pauseStatus');
      await expect
        .poll(pauseStatus)
        .toMatchObject({ body: { pauseFlag: true, consumingSegments: [] } });

      // Both brokers are found through the controller, and called in turn: each has a query whose
      // answer is read in part, and one in flight.
      await using engine = openEngine({ avoidMs: 60_000 });
      await using stack = new AsyncDisposableStack();
      const halves = await Promise.all(
        [large, large].map(async (sql) => {
          const execution = stack.use(await engine.execute({ sql }, { limits }));
          return execution.batches[Symbol.asyncIterator]();
        }),
      );
      const firstBatches = await Promise.all(halves.map((batches) => batches.next()));
      const waiting = [countHeld(engine), countHeld(engine)];
      await spare.process.kill();
      expect((await quire.tell('POST', `${restreamPath}/resume`)).status).toBe(200);

      const rests = await Promise.allSettled(
        halves.map(async (batches, index) => {
          let rows = 0;
          for (
            let next = firstBatches[index];
            next !== undefined && next.done !== true;
            next = await batches.next()
          ) {
            rows += next.value.numRows;
          }
          return rows;
        }),
      );
      expect(rests.toSorted((a, b) => a.status.localeCompare(b.status))).toMatchObject([
        { status: 'fulfilled', value: rowCount },
        { status: 'rejected', reason: { code: 'ENGINE_UNAVAILABLE' } },
      ]);
      // The lost broker costs the next queries nothing.
      expect(await Promise.all([1, 2, 3, 4].map(() => countHeld(engine)))).toEqual([1, 1, 1, 1]);
      const refused = await quire.query('SELECT n FROM held', '?doPaginate=true');
      expect(refused.exceptions).toEqual([
        {
          errorCode: 427,
          message: `Apache Pinot does not answer: ECONNREFUSED. The address is ${brokerUrl}; check engine.pinot.controller.url and engine.pinot.broker.url.`,
        },
      ]);
      expect((await quire.queryAsReader('SELECT n FROM held')).exceptions).toEqual([
        { errorCode: 427, message: 'Apache Pinot does not answer: ECONNREFUSED.' },
      ]);
      const page = JSON.parse(
        await quire.send(`/query/${kept.requestId}/results?offset=990&numRows=10`),
      ) as typeof kept;
      expect(page.resultTable.rows).toHaveLength(10);
      // One cause has one answer, whichever engine of the cluster encounters it, and at any time.
      for (const useMultistageEngine of ['false', 'true']) {
        const failure: unknown = await countAll(useMultistageEngine).then(
          (segments) => ({ segments }),
          (error: unknown) => error,
        );
        expect(failure).toMatchObject({
          code: 'ENGINE_UNAVAILABLE',
          message: expect.not.stringMatching(/127\.0\.0\.1|Server_|org\.apache/),
        });
      }
      // A resumed table has no consuming segment until the cluster's validation, which it runs for
      // one table after another, has created the next ones.
      await expect.poll(pauseStatus).toMatchObject({
        body: {
          pauseFlag: false,
          consumingSegments: [0, 1].map((partition) =>
            expect.stringMatching(`^rivers2__${partition}__1__`),
          ),
        },
      });
      // The lost server is listed, with an unknown state.
      const shown = await quire.tell('GET', '/tables/rivers2_REALTIME/consumingSegmentsInfo');
      expect(shown).toMatchObject({ status: 200, body: { serversFailingToRespond: 1 } });
      expect(JSON.stringify(shown.body)).toContain(
        `{"serverName":"${spare.address.servers[0]}","consumerState":"UNKNOWN"`,
      );
      const size = await quire.tell('GET', '/tables/rivers2/size');
      expect(size.status).toBe(200);
      expect(JSON.stringify(size.body)).toContain('The rows of consuming segments are not known: ');
      await vi.waitFor(async () => {
        expect(await quire.tell('GET', restreamPath)).toMatchObject({
          body: { stage: 'TABLE_STREAM', error: null },
        });
      }, patience);

      const [answers] = await Promise.all([Promise.all(waiting), spare.process.restart()]);
      expect(answers).toEqual([1, 1]);
      await untilRestreamed(quire);
      await expect.poll(() => count(cluster, 'rivers2')).toBe(100);
      await vi.waitFor(async () => {
        expect(await quire.query('SELECT n FROM held', '?doPaginate=true')).toMatchObject({
          numRowsResultSet: 10,
          exceptions: [],
        });
      }, patience);
    });
  },
);
