import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { noAuthorization } from '@quire/auth';
import { ManualClock } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { Controller } from '../src/http/controller.ts';
import { PinotHttp } from '../src/http/pinot-http.ts';
import { AdminCalls } from '../src/tables/admin-calls.ts';

const words = 'No live instance: Server_10.0.0.7_8098 has the tag';

test.each([
  [404, 'TABLE_NOT_FOUND', 'Apache Pinot says: No live instance: a server has the tag'],
  [
    500,
    'UNEXPECTED_RESPONSE',
    'Apache Pinot answers GET /tables/a with HTTP 500: No live instance: a server has the tag',
  ],
])('a refusal with HTTP %i names instances to admins only', async (status, code, message) => {
  const server = createServer(({ url }, response) => {
    const isVersion = url === '/version';
    response.writeHead(isVersion ? 200 : status);
    response.end(isVersion ? '{"pinot-controller":"1.5.1"}' : JSON.stringify({ error: words }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  {
    await using http = new PinotHttp({
      clock: new ManualClock(),
      authorization: noAuthorization,
      connectTimeoutMs: 5_000,
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const calls = new AdminCalls(new Controller(http, [url]));
    const errors = { 404: 'TABLE_NOT_FOUND' } as const;
    await expect(
      calls.call({ method: 'GET', path: '/tables/a', errors }, {}),
    ).rejects.toMatchObject({ code, message, adminHint: `Its message: ${words}` });
  }
  server.closeAllConnections();
  server.close();
});
