import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { noAuthorization } from '@quire/auth';
import { systemRandom } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { PinotEngine } from '../src/index.ts';

test('an engine that is closed has cancelled the queries that the cluster has not answered', async () => {
  const asked = Promise.withResolvers<void>();
  const calls: string[] = [];
  const server = createServer(({ method, url = '' }, response) => {
    calls.push(`${method} ${url.replace(/quire-[^?]*/, 'ID')}`);
    if (url === '/version') response.end('{"pinot-controller":"1.5.1"}');
    else if (method === 'DELETE') response.end('{}');
    else asked.resolve();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const engine = new PinotEngine({
    clock: new ManualClock(),
    random: systemRandom,
    controllerUrls: [url],
    brokers: [url],
    authorization: noAuthorization,
    connectTimeoutMs: 5_000,
    refreshMs: 1_000,
    avoidMs: 10_000,
    isUnlimited: false,
    isSegmentBySegment: false,
  });
  const query = engine.execute({ sql: 'SELECT 1' }, { limits: { timeoutMs: 60_000 } });
  const failure = query.catch((error: unknown) => error);
  await asked.promise;
  await engine[Symbol.asyncDispose]();
  expect(await failure).toMatchObject({ code: 'SHUTTING_DOWN' });
  expect(calls).toEqual(['GET /version', 'POST /query/sql', 'DELETE /query/ID?client=true']);
  server.closeAllConnections();
  server.close();
});
