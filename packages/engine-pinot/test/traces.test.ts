import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { noAuthorization } from '@quire/auth';
import { installTracer, traced } from '@quire/core/trace';
import { ManualClock, RecordingTracer } from '@quire/core/testing';
import { expect, test } from 'vitest';
import { PinotHttp } from '../src/http/pinot-http.ts';

test('a call of Apache Pinot sends the span of the call along, and none outside of a trace', async () => {
  const parents: unknown[] = [];
  const server = createServer((request, response) => {
    parents.push(request.headers['traceparent']);
    response.writeHead(parents.length < 3 ? 200 : 503).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/query/sql`;
  await using http = new PinotHttp({
    clock: new ManualClock(),
    authorization: noAuthorization,
    connectTimeoutMs: 60_000,
  });
  const call = (): Promise<unknown> => http.text({ method: 'POST', url, body: '{}' });
  const tracer = new RecordingTracer();
  using _installed = installTracer(tracer);
  await call();
  await traced('query.plan', call);
  await traced('query.plan', call);
  expect(parents).toEqual([undefined, 'POST', 'POST']);
  expect(tracer.lines).toEqual([
    'query.plan in none',
    'POST in query.plan',
    'POST {"http.response.status_code":200}',
    'POST ends',
    'query.plan ends',
    'query.plan in none',
    'POST in query.plan',
    'POST {"http.response.status_code":503}',
    'POST ends',
    'query.plan ends',
  ]);
  server.closeAllConnections();
  server.close();
});
