import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { PinotTableEngine } from '@quire/engine-pinot';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { PinotServer } from '../testkit/servers/pinot-server.ts';
import { describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import { patience, until } from '../testkit/until.ts';
import { KafkaTopic } from './kafka-topic.ts';
import { engineOptions } from './pinot-cluster.ts';
import { type QuireOnPinot, startQuireOn } from './quire-on-pinot.ts';
import { makeRivers, restreamPath, untilRestreamed } from './rivers.ts';

const denied = {
  errorCode: 180,
  message: 'Apache Pinot rejected the credentials (HTTP 401).',
};

const wrongToken = 'Basic d3Jvbmc6d3Jvbmc=';

/**
 * A cluster whose controller, broker and server require credentials (BasicAuth) and TLS, and which
 * reports its brokers itself.
 */
describeWithTool(pinotServer, 'an Apache Pinot that is guarded everywhere', (folder) => {
  let pinot: PinotServer;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let tokenFile: string;
  let settings: Readonly<Record<string, string>>;
  let quire: QuireOnPinot;
  let topic: KafkaTopic;

  /** Replaces the token as secret rotation does: atomically. */
  async function writeToken(authorization: string): Promise<void> {
    await writeFile(`${tokenFile}.new`, `${authorization}\n`);
    await rename(`${tokenFile}.new`, tokenFile);
  }

  async function countStored(sql: string): Promise<number> {
    const answer = await quire.query(sql, '?doPaginate=true');
    expect(answer.exceptions).toEqual([]);
    return Number((answer.resultTable.rows[0] as readonly unknown[])[0]);
  }

  beforeAll(async () => {
    directory = await temporaryDirectory();
    pinot = await PinotServer.start(folder, { isGuarded: true });
    const { address } = pinot;
    tokenFile = join(directory.path, 'token');
    await writeToken(address.authorization);
    const authority = join(directory.path, 'authority.pem');
    await writeFile(authority, address.tls.authority);
    settings = {
      'engine.pinot.controller.url': address.controllerUrl,
      'engine.tls.ca.file': authority,
    };
    quire = await startQuireOn({ ...settings, 'engine.pinot.auth.url': tokenFile });
    topic = await KafkaTopic.create();
    await makeRivers(quire, topic, { broker: 'DefaultTenant', server: 'DefaultTenant' });
    await until(async () => {
      const answer = await quire.query('SELECT count(*) FROM rivers');
      return JSON.stringify(answer.resultTable?.rows) === '[[100]]';
    }, 'rivers has its rows');
  });
  afterAll(async () => {
    await topic[Symbol.asyncDispose]();
    await quire[Symbol.asyncDispose]();
    await pinot[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  test('a guarded Apache Pinot is queried by both of its engines, loaded, looked after and rebuilt', async () => {
    const sql = 'SELECT id FROM rivers ORDER BY id LIMIT 100';
    for (const queryOptions of ['useMultistageEngine=false', 'useMultistageEngine=true']) {
      const answer = await quire.query(sql, '?doPaginate=true&numRows=200', { queryOptions });
      expect(answer.exceptions).toEqual([]);
      expect(answer.resultTable.rows).toEqual(Array.from({ length: 100 }, (_, id) => [id]));
    }
    expect(await quire.health('broker')).toMatchObject({ status: 'ok', engine: { state: 'ok' } });

    const consuming = await quire.tell('GET', '/tables/rivers_REALTIME/consumingSegmentsInfo');
    expect(consuming).toMatchObject({ status: 200, body: { serversFailingToRespond: 0 } });
    expect(JSON.stringify(consuming.body)).toContain('"consumerState":"CONSUMING"');
    expect((await quire.tell('GET', '/tables/rivers/size')).status).toBe(200);

    const start = `${restreamPath}?destTableNameWithType=rivers2_REALTIME`;
    expect(await quire.tell('POST', start)).toMatchObject({ status: 200 });
    await untilRestreamed(quire);
    await expect.poll(() => countStored('SELECT count(*) FROM rivers2')).toBe(100);
  });

  test('a file is loaded into a guarded Apache Pinot, whose controller uploads the segment to itself', async () => {
    const schema = { schemaName: 'lakes', dimensionFieldSpecs: [{ name: 'n', dataType: 'INT' }] };
    expect(await quire.tell('POST', '/schemas', schema)).toMatchObject({ status: 200 });
    const made = await quire.tell('POST', '/tables', {
      tableName: 'lakes_OFFLINE',
      tableType: 'OFFLINE',
      segmentsConfig: { replication: '1' },
    });
    expect(made).toMatchObject({ status: 200 });
    const { address } = pinot;
    const certificateAuthorities = address.tls.authority;
    await using engine = new PinotTableEngine(engineOptions(address, { certificateAuthorities }));
    const { segmentNames } = await engine.ingest({
      tableNameWithType: 'lakes_OFFLINE',
      batchConfig: { inputFormat: 'json' },
      source: { kind: 'bytes', name: 'rows.json', body: Readable.from([Buffer.from('{"n":7}\n')]) },
    });
    expect(segmentNames).toHaveLength(1);
    await expect.poll(() => countStored('SELECT count(*) FROM lakes')).toBe(1);
  });

  test('a token that is wrong, and none at all, are refused by each part of it in one sentence', async () => {
    const strangers = [{ 'engine.pinot.auth.token': wrongToken }, {}];
    for (const credentials of strangers) {
      await using stranger = await startQuireOn({ ...settings, ...credentials });
      const { exceptions } = await stranger.query('SELECT id FROM rivers', '?doPaginate=true');
      const { address } = pinot;
      const hint = ` The address is ${address.controllerUrl}; check engine.pinot.auth.token and engine.pinot.auth.url.`;
      expect(exceptions).toEqual([{ ...denied, message: `${denied.message}${hint}` }]);
      expect((await stranger.queryAsReader('SELECT id FROM rivers')).exceptions).toEqual([denied]);
      expect(await stranger.tell('GET', '/tables')).toMatchObject({
        status: 503,
        body: { reason: 'ENGINE_UNAVAILABLE', error: `${denied.message}${hint}` },
      });
      for (const role of ['broker', 'controller'] as const) {
        expect(await stranger.health(role)).toMatchObject({
          status: 'degraded',
          engine: { state: 'unavailable', problem: denied.message },
        });
      }
    }
  });

  test('a token that was rotated is followed without a restart, and results are read meanwhile', async () => {
    const kept = await quire.query('SELECT id FROM rivers LIMIT 1', '?doPaginate=true');
    // As after the password was changed: Apache Pinot rejects what was read from the file.
    await writeToken(wrongToken);
    await expect
      .poll(async () => (await quire.queryAsReader('SELECT id FROM rivers')).exceptions)
      .toEqual([denied]);
    await expect
      .poll(() => quire.health('broker'))
      .toMatchObject({ status: 'degraded', engine: { problem: denied.message } });
    const page = JSON.parse(
      await quire.send(`/query/${kept.requestId}/results?offset=0&numRows=9`),
    ) as typeof kept;
    expect(page.resultTable.rows).toHaveLength(1);

    await writeToken(pinot.address.authorization);
    await expect
      .poll(() => quire.query('SELECT count(*) FROM rivers', '?doPaginate=true'), patience)
      .toMatchObject({ exceptions: [], resultTable: { rows: [[100]] } });
    expect(await quire.tell('GET', '/tables')).toMatchObject({ status: 200 });
    await expect.poll(() => quire.health('broker')).toMatchObject({ status: 'ok' });
  });
});
