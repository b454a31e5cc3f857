import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBroker } from '@quire/broker';
import { QuireClient } from '@quire/client';
import { QuireError } from '@quire/core';
import { ResultStore } from '@quire/results';
import { MemoryObjectStore } from '@quire/core/memory';
import express from 'express';
import fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { ScriptedEngine } from '../../../test/src/testkit/broker-engine.ts';

/** A broker without a server of its own. */
async function openBroker() {
  const store = new MemoryObjectStore({ sizeMaxBytes: 16 * 1024 * 1024 });
  const results = new ResultStore({
    store,
    brokerId: 'mounted',
    expirationMs: 60_000,
    expirationMaxMs: 60_000,
  });
  const broker = createBroker({
    engine: new ScriptedEngine(),
    results,
    authenticate: async (header) => {
      if (header === 'Bearer me') return { name: 'me', role: 'query' };
      throw new QuireError('UNAUTHENTICATED', 'The credentials are wrong.');
    },
    host: '127.0.0.1',
    port: 0,
    version: '0',
    storeLocation: store.location,
    storeType: 'memory',
    bodyBytesMax: 1_000_000,
    headerBytesMax: 16_384,
    requestTimeoutMs: 30_000,
    idleTimeoutMs: 75_000,
    shutdownGraceMs: 1000,
    pageRowCount: 100,
    queryTimeoutMs: 60_000,
    queriesRunningMax: 2,
    queriesQueuedMax: 2,
  });
  return {
    broker,
    handle: await broker.handler(),
    async [Symbol.asyncDispose]() {
      await broker.close();
      await results[Symbol.asyncDispose]();
    },
  };
}

/** Express: mounted handlers run before the body parsers, so they read bodies themselves. */
async function onExpress(handle: RequestListener): Promise<Server> {
  const app = express();
  app.use('/quire', handle);
  app.use(express.json());
  app.post('/echo', (request, response) => void response.json({ echo: request.body as unknown }));
  return createServer(app);
}

/** Fastify: the server that it listens with hands one path to us. */
async function onFastify(handle: RequestListener): Promise<Server> {
  const app = fastify({
    serverFactory: (answer) =>
      createServer((request, response) => {
        const { url = '' } = request;
        if (url.startsWith('/quire/')) {
          request.url = url.slice('/quire'.length);
          handle(request, response);
        } else {
          answer(request, response);
        }
      }),
  });
  app.post('/echo', async (request) => ({ echo: request.body }));
  await app.ready();
  return app.server;
}

describe.each([
  ['Express', onExpress],
  ['Fastify', onFastify],
])('a broker in a server of %s', (_name, open) => {
  test('a broker in a server of %s runs queries and serves their pages beside the host, and ends before it', async () => {
    await using mounted = await openBroker();
    const host = await open(mounted.handle);
    host.listen(0, '127.0.0.1');
    await once(host, 'listening');
    const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    const echo = async (): Promise<unknown> => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${url}/echo`, { method: 'POST', headers, body: '[1]' })).json();
    };
    try {
      const client = new QuireClient({ baseUrl: `${url}/quire`, token: 'me' });
      const cursor = await client.query('rows 250', { keep: true });
      const rows = await Array.fromAsync(cursor.rows());
      expect([rows.length, rows.at(-1)?.[0], cursor.pageSize]).toEqual([250, 249, 100]);
      expect(await echo()).toEqual({ echo: [1] });
      const stranger = new QuireClient({ baseUrl: `${url}/quire`, token: 'nobody' });
      await expect(
        stranger.page(cursor.requestId, { offset: 0, rowCount: 1 }),
      ).rejects.toMatchObject({ status: 401 });
      const other = await fetch(`${url}/quire/nothing`, {
        headers: { authorization: 'Bearer me' },
      });
      expect([other.status, await other.json()]).toEqual([
        404,
        expect.objectContaining({ code: 404 }),
      ]);
      await mounted.broker.close();
      expect((await fetch(`${url}/quire/health`)).status).toBe(503);
      expect(await echo()).toEqual({ echo: [1] });
    } finally {
      host.closeAllConnections();
      host.close();
    }
  });
});
