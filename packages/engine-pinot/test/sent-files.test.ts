import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type AuthorizationProvider, noAuthorization } from '@quire/auth';
import { systemRandom } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { PinotTableEngine } from '../src/index.ts';
import { replay } from './replayed-controller.ts';

const answers: Readonly<Record<string, object>> = {
  '/version': { 'pinot-controller': '1.5.1' },
  '/tables/t?type=offline': { OFFLINE: { tableName: 't_OFFLINE' } },
  '/segments/t_OFFLINE/zkmetadata': { t_0: { 'segment.total.docs': '1' } },
};

async function listen(listener: RequestListener): Promise<Server & { readonly url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(server, { url });
}

function close(server: Server): void {
  server.closeAllConnections();
  server.close();
}

function engineOf(
  controllerUrls: readonly string[],
  authorization: AuthorizationProvider = noAuthorization,
): PinotTableEngine {
  return new PinotTableEngine({
    clock: new ManualClock(),
    random: systemRandom,
    controllerUrls,
    authorization,
    connectTimeoutMs: 5_000,
    refreshMs: 1_000,
    avoidMs: 10_000,
    isUnlimited: false,
    isSegmentBySegment: false,
  });
}

/** A file that is readable once, as that of a caller. */
function ingestOf(bytes: string): Parameters<PinotTableEngine['ingest']>[0] {
  const body = (async function* () {
    yield Buffer.from(bytes);
  })();
  const source = { kind: 'bytes', name: 'rows.json', body } as const;
  return { tableNameWithType: 't_OFFLINE', batchConfig: {}, source };
}

test('a file for a controller that has just died is sent to the next one as a whole', async () => {
  const dying = await listen(({ url = '' }, response) => {
    if (url !== '/version') dying.close();
    response.setHeader('connection', 'close').end(JSON.stringify(answers[url]));
  });
  const received = Promise.withResolvers<string>();
  const next = await listen((request, response) => {
    const { method, url = '' } = request;
    if (method === 'GET') response.end(JSON.stringify(answers[url]));
    else {
      void text(request).then((body) => {
        received.resolve(body);
        response.end('{"status":"Successfully ingested file as segment: t_0"}');
      });
    }
  });
  {
    await using engine = engineOf([dying.url, next.url]);
    expect(await engine.ingest(ingestOf('{"n":1}'))).toMatchObject({ rowCount: 1 });
    expect(await received.promise).toContain('\r\n\r\n{"n":1}\r\n');
  }
  close(next);
});

test('a file whose token was refused is not sent a second time without its rows', async () => {
  const posts: string[] = [];
  const server = await listen((request, response) => {
    const { method, url = '', headers } = request;
    if (method === 'GET') response.end(JSON.stringify(answers[url]));
    else {
      posts.push(headers.authorization ?? '');
      void text(request).then(() => response.writeHead(401).end());
    }
  });
  {
    await using engine = engineOf([server.url], {
      authorization: async ({ refused } = {}) =>
        refused === undefined ? 'Basic old' : 'Basic new',
    });
    await expect(engine.ingest(ingestOf('{"n":1}'))).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      exceptionNumber: 180,
    });
  }
  expect(posts).toEqual(['Basic old']);
  close(server);
});

test('a file that is loaded is not reported as failed when its rows cannot be counted', async () => {
  const parameters = new URLSearchParams({
    tableNameWithType: 't_OFFLINE',
    batchConfigMapStr: '{}',
    sourceURIStr: 's3://b/rows.json',
  });
  await using cluster = await replay({
    ...answers,
    [`POST /ingestFromURI?${parameters.toString()}`]: { status: 'Ingested as segment: t_0' },
    '/segments/t_OFFLINE/zkmetadata': { status: 500, text: '{"error":"ZooKeeper is down"}' },
  });
  const source = { kind: 'uri', uri: 's3://b/rows.json' } as const;
  const request = { tableNameWithType: 't_OFFLINE', batchConfig: {}, source };
  expect(await cluster.engine.ingest(request)).toEqual({
    segmentNames: ['t_0'],
    rowCount: 0,
    findings: [
      {
        path: '',
        code: 'PINOT',
        message: 'The file is loaded, but the number of its rows is not known.',
        severity: 'warning',
      },
    ],
  });
});
