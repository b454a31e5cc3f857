import { PinotTableEngine } from '@quire/engine-pinot';
import { afterAll, expect, test, vi } from 'vitest';
import { PinotServer } from '../testkit/servers/pinot-server.ts';
import { describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import { KafkaTopic } from './kafka-topic.ts';
import { count, dropTable, engineOptions, sharedCluster } from './pinot-cluster.ts';
import { type QuireOnPinot, startOnPinot } from './quire-on-pinot.ts';
import { makeRivers, restreamPath, untilRestreamed } from './rivers.ts';
import { patience } from '../testkit/until.ts';

vi.setConfig({ testTimeout: 600_000 });

/**
 * It takes minutes, and moves the leader of other suites' tables, so it runs only if the variable
 * is set.
 */
const isTried = process.env['QUIRE_PINOT_TRIALS'] !== undefined;
const tenants = { broker: 'DefaultTenant', server: 'DefaultTenant' };
const start = `${restreamPath}?destTableNameWithType=rivers2_REALTIME`;

/** The message for admins, who can also read the address. */
function refusedAt(url: string): string {
  return `Apache Pinot does not answer: ECONNREFUSED. The address is ${url}; check engine.pinot.controller.url and engine.pinot.broker.url.`;
}

async function jobOf(quire: QuireOnPinot): Promise<unknown> {
  return (await quire.tell('GET', restreamPath)).body;
}

describeWithTool(pinotServer, 'a restream while Apache Pinot is lost', (folder) => {
  afterAll(async () => {
    if (!isTried) return;
    await using engine = new PinotTableEngine(engineOptions(sharedCluster()));
    for (const name of ['rivers', 'rivers2']) await dropTable(sharedCluster(), engine, name);
  });

  test.skipIf(!isTried)(
    'a restream while Apache Pinot is lost goes on when the only controller that it knows is back',
    async () => {
      const cluster = sharedCluster();
      await using spare = await PinotServer.join(folder, cluster, ['controller']);
      await using topic = await KafkaTopic.create();
      await using quire = await startOnPinot({
        'engine.pinot.controller.url': spare.address.controllerUrl,
      });
      await makeRivers(quire, topic, tenants);
      await expect.poll(() => count(cluster, 'rivers')).toBe(100);
      expect(await quire.tell('POST', `${start}&debugPause=true`)).toMatchObject({ status: 200 });
      await spare.process.kill();
      expect(await quire.tell('GET', '/tables')).toMatchObject({
        status: 503,
        body: {
          reason: 'ENGINE_UNAVAILABLE',
          error: refusedAt(spare.address.controllerUrl),
        },
      });
      expect((await quire.tell('POST', `${restreamPath}/resume`)).status).toBe(200);
      const lastProblem = {
        code: 'ENGINE_UNAVAILABLE',
        message: 'Apache Pinot does not answer: ECONNREFUSED.',
        stage: 'INIT',
      };
      await expect.poll(() => jobOf(quire)).toMatchObject({ stage: 'INIT', lastProblem });
      await spare.process.restart();
      await untilRestreamed(quire, 180_000);
      await expect.poll(() => count(cluster, 'rivers2')).toBe(100);
    },
  );

  test.skipIf(!isTried)(
    'a restream while Apache Pinot is lost goes on when the whole cluster is back',
    async () => {
      await using pinot = await PinotServer.start(folder);
      const cluster = pinot.address;
      await using topic = await KafkaTopic.create();
      await using quire = await startOnPinot({
        'engine.pinot.controller.url': cluster.controllerUrl,
        'engine.pinot.auth.token': cluster.authorization,
      });
      await makeRivers(quire, topic, tenants);
      await expect.poll(() => count(cluster, 'rivers')).toBe(100);
      expect(await quire.tell('POST', `${start}&debugPause=true`)).toMatchObject({ status: 200 });
      expect((await quire.tell('POST', `${restreamPath}/resume`)).status).toBe(200);
      const stage = expect.stringMatching(/^(?:TABLE_STREAM|FORCE_COMMIT|REBALANCE)$/);
      await expect.poll(() => jobOf(quire)).toMatchObject({ stage });
      await pinot.process.kill();
      const refused = await quire.query('SELECT id FROM rivers');
      expect(refused.exceptions).toEqual([
        { errorCode: 427, message: refusedAt(cluster.controllerUrl) },
      ]);
      expect((await quire.queryAsReader('SELECT id FROM rivers')).exceptions).toEqual([
        { errorCode: 427, message: 'Apache Pinot does not answer: ECONNREFUSED.' },
      ]);
      await vi.waitFor(async () => {
        expect(await jobOf(quire)).toMatchObject({
          lastProblem: { code: 'ENGINE_UNAVAILABLE' },
          error: null,
        });
      }, patience);
      await pinot.process.restart();
      await untilRestreamed(quire, 400_000);
      await expect.poll(() => count(cluster, 'rivers2')).toBe(100);
      expect(await count(cluster, 'rivers')).toBe(100);
    },
  );
});
