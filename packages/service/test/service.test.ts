import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { operations } from '@quire/api';
import { QuireError } from '@quire/core';
import { expect, test } from 'vitest';
import { createService, principalOf, routeOf, type Service, type ServerOptions, ServiceMetrics } from '../src/index.ts';

const server: ServerOptions = {
  host: '127.0.0.1',
  port: 0,
  version: '1.0.0',
  authenticate: async (header) => {
    if (header === undefined) throw new QuireError('UNAUTHENTICATED', 'Who are you?');
    return { name: header, role: 'query' };
  },
  bodyBytesMax: 1000,
  headerBytesMax: 16_384,
  requestTimeoutMs: 30_000,
  idleTimeoutMs: 75_000,
  shutdownGraceMs: 30_000,
};

function createEcho(options: Partial<ServerOptions> = {}): Service {
  return createService({
    server: { ...server, ...options },
    about: { title: 'Echo', description: 'Says who calls.', tags: [{ name: 'query', description: 'Ask.' }] },
    metrics: new ServiceMetrics(),
    routes: () => [routeOf(operations.readMetadata, async (request) => [principalOf(request).name])],
  });
}

test('a service answers its routes, and tells about itself, to those who may call', async () => {
  await using service = createEcho();
  const { url } = await service.listen();
  const headers = { authorization: 'me' };

  const answer = await fetch(`${url}/query/x/metadata/`, { headers });
  const document = (await (await fetch(`${url}/openapi.json`, { headers })).json()) as { info: { title: string } };
  const metrics = await (await fetch(`${url}/metrics`, { headers })).text();
  const stranger = await fetch(`${url}/query/x/metadata`);

  expect([answer.status, await answer.json()]).toEqual([200, ['me']]);
  expect(document.info.title).toBe('Echo');
  expect(metrics).toContain(
    'quire_http_request_duration_seconds_count{method="GET",route="/query/:requestId/metadata",status="200"} 1',
  );
  expect(stranger.status).toBe(401);
  expect(await stranger.json()).toEqual({ code: 401, error: 'Who are you?', reason: 'UNAUTHENTICATED' });
});

test('a service whose metrics and documents are turned off has no such paths', async () => {
  await using service = createEcho({ metricsEnabled: false, docsEnabled: false });
  const { url } = await service.listen();

  const statuses = await Promise.all(
    ['/metrics', '/openapi.json', '/docs'].map(
      async (path) => (await fetch(url + path, { headers: { authorization: 'me' } })).status,
    ),
  );

  expect(statuses).toEqual([404, 404, 404]);
});

test('a service listens once, and not after it was closed', async () => {
  const service = createEcho();
  const { url } = await service.listen();
  await expect(service.listen()).rejects.toMatchObject({ code: 'INTERNAL' });

  await service.close();

  await expect(fetch(`${url}/metrics`)).rejects.toThrow('fetch failed');
  await expect(service.listen()).rejects.toMatchObject({ code: 'INTERNAL' });
});

test('a service answers as a part of another server, and is closed by itself', async () => {
  const service = createEcho();
  const handle = await service.handler();
  const host = createServer((request, response) => {
    const { url = '' } = request;
    if (!url.startsWith('/quire/')) return void response.end('the host');
    request.url = url.slice('/quire'.length);
    handle(request, response);
  });
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  const call = async (path: string): Promise<unknown[]> => {
    const answer = await fetch(url + path, { headers: { authorization: 'me' } });
    return [answer.status, await answer.text()];
  };
  try {
    expect(await call('/')).toEqual([200, 'the host']);
    expect(await call('/quire/query/x/metadata')).toEqual([200, '["me"]']);
    expect((await call('/quire/nothing'))[0]).toBe(404);
    expect(service.address).toBeUndefined();
    await expect(service.listen()).rejects.toMatchObject({ code: 'INTERNAL' });
    await service.close();
    expect((await call('/quire/query/x/metadata'))[0]).toBe(503);
    expect(await call('/')).toEqual([200, 'the host']);
  } finally {
    host.closeAllConnections();
    host.close();
  }
});
