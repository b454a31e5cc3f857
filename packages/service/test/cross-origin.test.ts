import { QuireError } from '@quire/core';
import { expect, test } from 'vitest';
import { createService, ServiceMetrics } from '../src/index.ts';
import { createEcho, server } from './echo.ts';

const ours = 'https://notebooks.example.com';

/** The headers by which a browser decides. */
function allowancesOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
}

test('pages of an allowed origin may call, and read what a page of a result says in its head', async () => {
  await using service = createEcho({ corsOrigins: [ours] });
  const { url } = await service.listen();
  const answer = await fetch(`${url}/query/x/metadata`, {
    headers: { origin: ours, authorization: 'me' },
  });
  expect([
    answer.status,
    allowancesOf(answer)['access-control-allow-origin'],
    answer.headers.get('vary'),
  ]).toEqual([200, ours, 'origin']);
  expect(allowancesOf(answer)['access-control-expose-headers']).toMatch(
    /quire-num-rows-result-set.*quire-expiration-time-ms.*accept-ranges, content-range, etag/,
  );
  expect(allowancesOf(answer)).not.toHaveProperty('access-control-allow-credentials');
});

test('a refusal can be read as well, or a page could not tell why', async () => {
  await using service = createEcho({ corsOrigins: [ours] });
  const { url } = await service.listen();
  const answer = await fetch(`${url}/query/x/metadata`, { headers: { origin: ours } });
  expect([answer.status, allowancesOf(answer)['access-control-allow-origin']]).toEqual([401, ours]);
});

test('a browser that asks first is answered without credentials, for allowed origins only', async () => {
  await using service = createEcho({ corsOrigins: [ours] });
  const { url } = await service.listen();
  const ask = (origin: string): Promise<Response> =>
    fetch(`${url}/query/x/metadata`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    });
  const allowed = await ask(ours);
  expect([allowed.status, allowancesOf(allowed)]).toEqual([
    204,
    {
      'access-control-allow-origin': ours,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers':
        'authorization, content-type, if-none-match, if-range, range, forward_host, forward_port',
      'access-control-max-age': '600',
    },
  ]);
  for (const origin of [
    'https://evil.example',
    `${ours}.evil.example`,
    'null',
    ours.toUpperCase(),
  ]) {
    const refused = await ask(origin);
    expect([origin, refused.status >= 400, allowancesOf(refused)]).toEqual([origin, true, {}]);
  }
});

test('without the setting nobody is allowed anything', async () => {
  await using service = createEcho();
  const { url } = await service.listen();
  const answer = await fetch(`${url}/query/x/metadata`, {
    headers: { origin: ours, authorization: 'me' },
  });
  expect([answer.status, allowancesOf(answer), answer.headers.get('vary')]).toEqual([
    200,
    {},
    null,
  ]);
});

test('the documents are open to everybody where a setting says so, and nothing else is', async () => {
  await using service = createEcho({ docsPublic: true });
  const { url } = await service.listen();
  const paths = ['/docs', '/openapi.json', '/metrics', '/query/x/metadata'];
  const statuses = await Promise.all(paths.map(async (path) => (await fetch(url + path)).status));
  expect(statuses).toEqual([200, 200, 401, 401]);
  const { paths: described } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, { get: { security?: unknown } }>;
  };
  expect([
    described['/docs']?.get.security,
    described['/query/{requestId}/metadata']?.get.security,
  ]).toEqual([[], undefined]);
});

test('calls of a mounted service go to it from their first byte on, and come back as it answers them', async () => {
  const seen: string[] = [];
  await using outer = createService({
    server: {
      ...server,
      bodyBytesMax: 10,
      authenticate: async () => {
        throw new QuireError('UNAUTHENTICATED', 'The outer one knows nobody.');
      },
    },
    about: {
      title: 'Outer',
      description: 'Hands over.',
      tags: [{ name: 'query', description: 'Ask.' }],
    },
    metrics: new ServiceMetrics(),
    routes: () => [],
    mounted: {
      prefixes: ['/query'],
      handler: async () => (request, response) => {
        void (async () => {
          let body = '';
          for await (const chunk of request) body += String(chunk);
          seen.push(`${request.method} ${request.url} ${body}`);
          response.writeHead(201, { 'x-from': 'inner' }).end('inner');
        })();
      },
    },
  });
  const { url } = await outer.listen();
  const answer = await fetch(`${url}/query/sql?a=1`, {
    method: 'POST',
    body: 'longer than the outer one takes',
  });
  expect([answer.status, answer.headers.get('x-from'), await answer.text()]).toEqual([
    201,
    'inner',
    'inner',
  ]);
  expect(seen).toEqual(['POST /query/sql?a=1 longer than the outer one takes']);
  expect((await fetch(`${url}/queryx`)).status).toBe(401);
});
