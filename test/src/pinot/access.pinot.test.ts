import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@quire/core';
import { UrlTokenProvider } from '@quire/auth';
import type { PinotEngine } from '@quire/engine-pinot';
import { beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../testkit/cli-process.ts';
import { describeWithTool, pinotServer } from '../testkit/toolchain.ts';
import { loadTable, openEngine, sharedCluster } from './pinot-cluster.ts';
import { startOnPinot } from './quire-on-pinot.ts';
import { startTokenFront } from './token-front.ts';

async function ask(engine: PinotEngine): Promise<number> {
  await using execution = await engine.execute(
    { sql: 'SELECT n FROM guarded' },
    { limits: { timeoutMs: 30_000 } },
  );
  let rowCount = 0;
  for await (const batch of execution.batches) rowCount += batch.numRows;
  return rowCount;
}

describeWithTool(pinotServer, 'the way to an Apache Pinot that is guarded', () => {
  beforeAll(async () => {
    const schema = { schemaName: 'guarded', dimensionFieldSpecs: [{ name: 'n', dataType: 'INT' }] };
    await loadTable(sharedCluster(), schema, [[{ n: 1 }, { n: 2 }]]);
  });

  test('Apache Pinot is reached by its own TLS, with an authority that the settings name: queries and tables', async () => {
    const { tls } = sharedCluster();
    await using directory = await temporaryDirectory();
    const authority = join(directory.path, 'authority.pem');
    await writeFile(authority, tls.authority);
    await using quire = await startOnPinot({
      'engine.pinot.controller.url': tls.controllerUrl,
      'engine.pinot.broker.url': tls.brokerUrl,
      'engine.tls.ca.file': authority,
    });
    expect(await quire.query('SELECT n FROM guarded', '?doPaginate=true')).toMatchObject({
      numRowsResultSet: 2,
      exceptions: [],
    });
    const { status, body } = await quire.tell('GET', '/tables');
    expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining('guarded')]);
  });

  test('a certificate that is not trusted, or is for another host, is told of in a sentence', async () => {
    const { tls } = sharedCluster();
    const { authority: certificateAuthorities } = tls;
    const [controllerUrls, brokers] = [[tls.controllerUrl], [tls.brokerUrl]];
    await using distrusting = openEngine({ controllerUrls, brokers });
    await expect(ask(distrusting)).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: 'Apache Pinot has a certificate that is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT).',
      adminHint: `The address is ${tls.controllerUrl}; check engine.tls.ca.file.`,
    });
    const otherNames = brokers.map((url) => url.replace('127.0.0.1', 'localhost'));
    await using misnaming = openEngine({
      controllerUrls,
      brokers: otherNames,
      certificateAuthorities,
    });
    await expect(ask(misnaming)).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringMatching(
        /^Apache Pinot has a certificate for another host \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
      ),
    });
  });

  test('a token for Bearer, read from a file that changes; a wrong one is refused by a sentence', async () => {
    const { brokerUrl, controllerUrl, authorization } = sharedCluster();
    await using front = await startTokenFront(brokerUrl, { token: 'first', authorization });
    await using directory = await temporaryDirectory();
    const file = join(directory.path, 'token');
    await writeFile(file, 'first\n');
    const provider = new UrlTokenProvider({
      setting: 'engine.pinot.auth.url',
      location: { kind: 'file', path: file },
      scheme: 'Bearer',
      clock: systemClock,
      readFile: (path) => readFile(path, 'utf8'),
    });
    const { authority: certificateAuthorities } = front;
    const options = {
      controllerUrls: [controllerUrl],
      brokers: [front.url],
      certificateAuthorities,
    };
    await using engine = openEngine({ ...options, authorization: provider });
    expect(await ask(engine)).toBe(2);
    front.token = 'second';
    await writeFile(file, 'second\n');
    expect(await ask(engine)).toBe(2);
    expect(front.refusedCount).toBe(1);
    await using wrong = openEngine({
      ...options,
      authorization: { authorization: async () => 'Bearer first' },
    });
    await expect(ask(wrong)).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      exceptionNumber: 180,
      message: 'Apache Pinot rejected the credentials (HTTP 401).',
      adminHint: `The address is ${front.url}; check engine.pinot.auth.token and engine.pinot.auth.url.`,
    });
  });
});
