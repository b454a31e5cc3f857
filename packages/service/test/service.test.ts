import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { CallLimits } from '@quire/auth';
import { QuireError } from '@quire/core';
import { ManualClock } from '@quire/core/testing';
import { describe, expect, test } from 'vitest';
import type { Service } from '../src/index.ts';
import { createEcho } from './echo.ts';

test('a service answers its routes, and tells about itself, to those who may call', async () => {
  await using service = createEcho();
  const { url } = await service.listen();
  const headers = { authorization: 'me' };

  const answer = await fetch(`${url}/query/x/metadata/`, { headers });
  const document = (await (await fetch(`${url}/openapi.json`, { headers })).json()) as {
    info: { title: string };
  };
  const metrics = await (await fetch(`${url}/metrics`, { headers })).text();
  const stranger = await fetch(`${url}/query/x/metadata`);

  expect([answer.status, await answer.json()]).toEqual([200, ['me']]);
  expect(document.info.title).toBe('Echo');
  expect(metrics).toContain(
    'quire_http_request_duration_seconds_count{method="GET",route="/query/:requestId/metadata",status="200"} 1',
  );
  expect(stranger.status).toBe(401);
  expect(await stranger.json()).toEqual({
    code: 401,
    error: 'Who are you?',
    reason: 'UNAUTHENTICATED',
  });
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

test('a service that is closed while it starts listens no longer', async () => {
  const service = createEcho();
  const listening = service.listen();
  const again = service.listen();
  await expect(again).rejects.toMatchObject({ code: 'INTERNAL' });
  await service.close();
  const { url } = await listening;
  await expect(fetch(`${url}/metrics`)).rejects.toThrow('fetch failed');
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

/** Returns the answer of a service to bytes that no HTTP client would send. */
async function answerTo(
  service: Service,
  ...lines: readonly string[]
): Promise<{ readonly status: string; readonly body: unknown }> {
  const { url } = await service.listen();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  socket.write([...lines, '', ''].join('\r\n'));
  await once(socket, 'close');
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: head.split(' ', 2).at(-1) ?? '', body: JSON.parse(body) };
}

test.each([
  ['CONNECT', 405, 'METHOD_NOT_ALLOWED', ['CONNECT example.com:80 HTTP/1.1', 'Host: example.com']],
  [
    'another Transfer-Encoding',
    501,
    'UNSUPPORTED',
    ['POST / HTTP/1.1', 'Host: x', 'Transfer-Encoding: gzip'],
  ],
  [
    'two of them',
    501,
    'UNSUPPORTED',
    [
      'POST / HTTP/1.1',
      'Host: x',
      'Connection: close',
      'Transfer-Encoding: gzip, chunked',
      '',
      '0',
    ],
  ],
  ['no Host', 400, 'INVALID_PARAMETER', ['GET /metrics HTTP/1.1', 'Connection: close']],
  [
    'an expectation',
    401,
    'UNAUTHENTICATED',
    ['GET /metrics HTTP/1.1', 'Host: x', 'Expect: magic', 'Connection: close'],
  ],
  ['no HTTP', 400, 'INVALID_PARAMETER', ['nonsense']],
])(
  'a call that is refused early has the body of every error: %s',
  async (_what, status, reason, lines) => {
    await using service = createEcho();
    const answer = await answerTo(service, ...lines);
    expect(answer).toEqual({
      status: String(status),
      body: { code: status, reason, error: expect.any(String) as string },
    });
  },
);

describe('limits on wrong credentials', () => {
  const settings = {
    callsPerSecondMax: Infinity,
    callsRunningMax: Infinity,
    failuresPerMinuteMax: 5,
  };
  const authenticate = async (header: string | undefined): Promise<never> => {
    throw new QuireError('UNAUTHENTICATED', `Who is ${header}?`);
  };
  async function statuses(trustedProxies: readonly string[] | undefined): Promise<number[]> {
    const limits = new CallLimits(() => settings, new ManualClock());
    await using service = createEcho({ authenticate, limits, trustedProxies });
    const { url } = await service.listen();
    const found: number[] = [];
    for (const [caller, count] of [
      ['192.0.2.1', 30],
      ['192.0.2.2', 1],
    ] as const) {
      for (let index = 0; index < count; index += 1) {
        const headers = { authorization: `Bearer ${caller}-${index}`, 'x-forwarded-for': caller };
        found.push((await fetch(`${url}/metrics`, { headers })).status);
      }
    }
    return found.slice(-2);
  }

  test('limits on wrong credentials count the caller behind a proxy that is trusted', async () => {
    expect(await statuses(['127.0.0.1'])).toEqual([429, 401]);
  });

  test('limits on wrong credentials count other addresses that connect, whatever their headers say', async () => {
    expect(await statuses(undefined)).toEqual([429, 429]);
    expect(await statuses(['10.0.0.0/8'])).toEqual([429, 429]);
  });
});

test('a failed store is told of in words that name no key, and in those of the error where they are for callers', async () => {
  const errors = [
    new QuireError('RECORD_DAMAGED', 'schemas/orders.json is missing.'),
    new QuireError('RESULT_CORRUPT', 'secret/key in /srv has another checksum.'),
    new QuireError('STORE_FULL', 'put of secret/key in /srv failed: ENOSPC.'),
    new QuireError('STORE_FULL', 'The disk of the tables is full.', { isForCallers: true }),
  ];
  const bodies = [];
  for (const error of errors) {
    await using service = createEcho({ authenticate: () => Promise.reject(error) });
    const { url } = await service.listen();
    bodies.push(await (await fetch(`${url}/metrics`, { headers: { authorization: 'me' } })).json());
  }
  expect(bodies).toEqual([
    { code: 500, error: 'schemas/orders.json is missing.', reason: 'RECORD_DAMAGED' },
    {
      code: 500,
      error: expect.stringMatching(/^The stored result is damaged\. The log has details of call /),
      reason: 'RESULT_CORRUPT',
    },
    { code: 507, error: 'The result store is full.', reason: 'STORE_FULL' },
    { code: 507, error: 'The disk of the tables is full.', reason: 'STORE_FULL' },
  ]);
});
