import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { json } from 'node:stream/consumers';
import { brokerOperations } from '@quire/api';
import { expect, test } from 'vitest';
import { createService, routeOf, type ServerOptions, ServiceMetrics } from '../src/index.ts';
import { server } from './echo.ts';

const id = '0190163d-8694-739b-aea5-966c26f8ad91';
const friend = 'https://notebooks.example.com';

interface Heard {
  readonly status: number | undefined;
  readonly challenges: string | undefined;
  readonly body: { readonly error?: string; readonly reason?: string };
}

/**
 * Returns the answer of a service to one call with any headers: `fetch` would refuse some of them.
 */
async function answerTo(
  method: string,
  headers: Readonly<Record<string, string>>,
  options: Partial<ServerOptions> = {},
): Promise<Heard> {
  await using service = createService({
    server: { ...server, ...options },
    about: {
      title: 'Echo',
      description: 'Deletes nothing.',
      tags: [{ name: 'results', description: 'Results.' }],
    },
    metrics: new ServiceMetrics(),
    routes: () => [
      routeOf(brokerOperations.deleteResult, async () => ['deleted']),
      routeOf(brokerOperations.readResult, async () => ['read']),
    ],
  });
  const { url } = await service.listen();
  const call = httpRequest(`${url}/query/resultStore/${id}`, {
    method,
    headers: { authorization: 'me', ...headers },
  }).end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const body = (await json(response)) as Heard['body'];
  return { status: response.statusCode, challenges: response.headers['www-authenticate'], body };
}

const ours = { host: 'quire.example:8099' };

test.each([
  ['a program', {}],
  [
    'a page of its own origin',
    { ...ours, origin: 'http://quire.example:8099', 'sec-fetch-site': 'same-origin' },
  ],
  [
    'a page of its own origin, in a browser that does not say so',
    { ...ours, origin: 'http://quire.example:8099' },
  ],
  ['the same by TLS that ends at a proxy', { ...ours, origin: 'https://quire.example:8099' }],
  [
    'the same by the default port of HTTPS',
    { host: 'Quire.example:443', origin: 'https://quire.example' },
  ],
  [
    'the same behind a proxy that says nothing',
    { host: 'inner:1', origin: 'https://quire.example', 'sec-fetch-site': 'same-origin' },
  ],
  ['the user', { ...ours, 'sec-fetch-site': 'none' }],
  [
    'a page of an origin that is allowed',
    { ...ours, origin: friend, 'sec-fetch-site': 'cross-site' },
  ],
])('a call may change something: %s', async (_who, headers) => {
  const { status } = await answerTo('DELETE', headers, { corsOrigins: [friend] });
  expect(status).toBe(200);
});

test.each([
  ['of another site', { ...ours, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  [
    'of another origin of the same site',
    { ...ours, origin: 'http://quire.example:3000', 'sec-fetch-site': 'same-site' },
  ],
  ['of another site, in a browser that says no more', { ...ours, origin: 'https://evil.example' }],
  [
    'of another port, in a browser that says no more',
    { ...ours, origin: 'http://quire.example:3000' },
  ],
  ['whose name only begins like ours', { ...ours, origin: 'http://quire.example:80990' }],
  ['that hides its origin', { ...ours, origin: 'null' }],
  [
    'that hides its origin, in a new browser',
    { ...ours, origin: 'null', 'sec-fetch-site': 'cross-site' },
  ],
  [
    'of another site that was redirected here',
    { ...ours, origin: 'http://quire.example:8099', 'sec-fetch-site': 'cross-site' },
  ],
  ['that sends no origin', { ...ours, 'sec-fetch-site': 'cross-site' }],
  ['of another site, before which nobody put a host', { host: '', origin: 'https://evil.example' }],
  [
    'that claims to be behind a proxy',
    { ...ours, origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' },
  ],
  [
    'whose origin differs from an allowed one in its case',
    { ...ours, origin: friend.toUpperCase(), 'sec-fetch-site': 'cross-site' },
  ],
])(
  'a page %s may not change anything, whatever credentials the browser adds',
  async (_which, headers) => {
    const { status, body } = await answerTo('DELETE', headers, { corsOrigins: [friend] });
    expect([status, body.reason]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
  },
);

test('the refusal names the page and the setting, and repeats only what is an origin', async () => {
  const { body } = await answerTo('DELETE', { ...ours, origin: 'https://evil.example' });
  const { body: strange } = await answerTo('DELETE', {
    ...ours,
    origin: 'https://evil.example/<script>',
  });
  expect(body.error).toBe(
    'The call was sent by a page of https://evil.example, which may not call this server; engine.http.cors.origins lists the allowed origins.',
  );
  expect(strange.error).toMatch(/^The call was sent by a page of another origin, which/);
});

test('a page of another site may send calls that change nothing: the browser keeps their answers from it', async () => {
  const { status } = await answerTo('GET', {
    ...ours,
    origin: 'https://evil.example',
    'sec-fetch-site': 'cross-site',
  });
  expect(status).toBe(200);
});

test('a page of another site does not have the browser ask for a password', async () => {
  const { status, challenges } = await answerTo('DELETE', {
    authorization: '',
    origin: 'https://evil.example',
  });
  expect([status, challenges]).toEqual([403, undefined]);
});

test.each([
  ['the host that a trusted proxy names', ['127.0.0.1'], 200],
  ['no host of a proxy that is not trusted', ['10.0.0.0/8'], 403],
])('behind a proxy, the own origin has %s', async (_which, trustedProxies, expected) => {
  const headers = {
    host: 'inner:8099',
    origin: 'https://quire.example',
    'x-forwarded-host': 'quire.example',
  };
  const { status } = await answerTo('DELETE', headers, { trustedProxies });
  expect(status).toBe(expected);
});

test.each([
  [undefined, 'Basic realm="quire", charset="UTF-8", Bearer realm="quire"'],
  [false, 'Bearer realm="quire"'],
])(
  'browsers are offered Basic unless a setting says otherwise: %s',
  async (basicOffered, expected) => {
    const authenticate = server.authenticate;
    const { status, challenges } = await answerTo(
      'GET',
      {},
      {
        ...(basicOffered !== undefined && { basicOffered }),
        authenticate: () => authenticate(undefined),
      },
    );
    expect([status, challenges]).toEqual([401, expected]);
  },
);
