import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { noAuthorization } from '@quire/auth';
import { ManualClock } from '@quire/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Controller } from '../src/http/controller.ts';
import { PinotHttp } from '../src/http/pinot-http.ts';

/** A controller that takes calls and answers none, and one that answers all. */
const received: string[] = [];
const hung = createServer(({ method, url }) => received.push(`${method} ${url}`));
const sound = createServer((_request, response) => response.end('{}'));
let urls: readonly string[];

beforeAll(async () => {
  const started = [hung, sound].map(async (server) => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  urls = await Promise.all(started);
});
afterAll(() => {
  for (const server of [hung, sound]) {
    server.closeAllConnections();
    server.close();
  }
});

test.each([
  ['GET', 30_000, 'The controller of Apache Pinot has not answered GET /tables within 30s.'],
  [
    'POST',
    120_000,
    'The controller of Apache Pinot has not answered POST /tables within 2m; it may still have taken effect.',
  ],
] as const)(
  '%s fails when the controller hangs, and the next call is for the next controller',
  async (method, limitMs, message) => {
    const clock = new ManualClock();
    const options = { clock, authorization: noAuthorization, connectTimeoutMs: 60_000 };
    await using http = new PinotHttp(options);
    const controller = new Controller(http, urls);
    const call = { method, path: '/tables?type=offline' } as const;
    const first = controller.call(call).catch((error: unknown) => error);
    await expect.poll(() => received).toContain(`${method} ${call.path}`);
    await clock.advance(limitMs - 1);
    expect(controller.url).toBe(urls[0]);
    await clock.advance(1);
    expect(await first).toMatchObject({ code: 'ENGINE_UNAVAILABLE', message });
    expect(await controller.call(call)).toEqual({ status: 200, text: '{}' });
  },
);
