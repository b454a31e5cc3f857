import type { ErrorBody } from '@quire/api';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answers, MisbehavingBroker } from '../testkit/servers/misbehaving-broker.ts';
import { TestProxy } from '../testkit/proxy-server.ts';
import { type RawAnswer, sendRaw } from '../testkit/raw-request.ts';

let broker: MisbehavingBroker;
let proxy: TestProxy;
const id = '0190163d-8694-739b-aea5-966c26f8ad91';
const usual = 'Host: proxy\r\nAuthorization: Bearer ann-token';

beforeAll(async () => {
  broker = await MisbehavingBroker.start();
  proxy = await TestProxy.start([broker]);
});

beforeEach(() => {
  broker.calls.length = 0;
  broker.conduct = answers(200, '{}');
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await broker[Symbol.asyncDispose]();
});

const send = (bytes: string): Promise<RawAnswer> => sendRaw(proxy.address, bytes);
const errorOf = ({ body }: RawAnswer): ErrorBody => JSON.parse(body) as ErrorBody;
const page = (headers: string, path = `/query/${id}/results?offset=0`): Promise<RawAnswer> =>
  send(`GET ${path} HTTP/1.1\r\n${usual}\r\nConnection: close\r\n${headers}\r\n`);

describe('headers that would send a call elsewhere', () => {
  const { port } = new URL('http://127.0.0.1:8099');
  test.each([
    ['a foreign host', `FORWARD_HOST: evil.example\r\nFORWARD_PORT: ${port}\r\n`],
    ['a link-local address', 'FORWARD_HOST: 169.254.169.254\r\nFORWARD_PORT: 80\r\n'],
    ['loopback at another port', 'FORWARD_HOST: 127.0.0.1\r\nFORWARD_PORT: 22\r\n'],
    ['an IPv6 address', 'FORWARD_HOST: ::1\r\nFORWARD_PORT: 8099\r\n'],
    ['an IPv6 address in brackets', 'FORWARD_HOST: [::1]\r\nFORWARD_PORT: 8099\r\n'],
    ['a URL', 'FORWARD_HOST: http://odd.example\r\nFORWARD_PORT: 8099\r\n'],
    [
      'credentials before the host',
      'FORWARD_HOST: odd.example@evil.example\r\nFORWARD_PORT: 8099\r\n',
    ],
    ['a path behind the host', 'FORWARD_HOST: odd.example/x\r\nFORWARD_PORT: 8099\r\n'],
    [
      'a line break in the host, encoded',
      'FORWARD_HOST: odd.example%0d%0ax: 1\r\nFORWARD_PORT: 8099\r\n',
    ],
    [
      'the host twice',
      'FORWARD_HOST: odd.example\r\nFORWARD_HOST: odd.example\r\nFORWARD_PORT: 8099\r\n',
    ],
    ['the port twice', 'FORWARD_HOST: odd.example\r\nFORWARD_PORT: 8099\r\nforward_port: 8099\r\n'],
    ['two hosts in one', 'FORWARD_HOST: odd.example, evil.example\r\nFORWARD_PORT: 8099\r\n'],
    ['no port', 'FORWARD_HOST: odd.example\r\n'],
    ['no host', 'FORWARD_PORT: 8099\r\n'],
    ['an empty host', 'FORWARD_HOST:\r\nFORWARD_PORT: 8099\r\n'],
    ['a port that is not one', 'FORWARD_HOST: odd.example\r\nFORWARD_PORT: 8099x\r\n'],
    ['a port beyond all', 'FORWARD_HOST: odd.example\r\nFORWARD_PORT: 73635\r\n'],
    ['a negative port', 'FORWARD_HOST: odd.example\r\nFORWARD_PORT: -1\r\n'],
  ])(
    'headers that would send a call elsewhere are refused, and no broker is called: %s',
    async (_what, headers) => {
      const answer = await page(headers);
      expect([answer.status, errorOf(answer).reason]).toEqual([400, 'INVALID_PARAMETER']);
      expect(answer.body).not.toContain('evil');
      expect(broker.calls).toEqual([]);
    },
  );

  test('headers that would send a call elsewhere are heeded when they name a broker, and are not passed on', async () => {
    const answer = await page('forward_host: ODD.example\r\nFORWARD_PORT: 8099\r\n');
    // Ids are case-sensitive, like object names.
    expect(answer.status).toBe(400);
    const right = await page('FORWARD_HOST: odd.example\r\nFORWARD_PORT: 8099\r\n');
    expect(right.status).toBe(200);
    expect(
      broker.calls.map(({ url, headers }) => [
        url,
        headers['forward_host'],
        headers['forward_port'],
      ]),
    ).toEqual([[`/query/${id}/results?offset=0`, undefined, undefined]]);
  });
});

describe('requests of which two parties may think differently', () => {
  const post = (headers: string, body: string): Promise<RawAnswer> =>
    send(
      `POST /query/sql HTTP/1.1\r\n${usual}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`,
    );
  const hidden =
    'GET /query/resultStore HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer root-token\r\n\r\n';

  test.each([
    [
      'a length and chunks',
      'Content-Length: 4\r\nTransfer-Encoding: chunked',
      `0\r\n\r\n${hidden}`,
    ],
    [
      'chunks and a length',
      'Transfer-Encoding: chunked\r\nContent-Length: 4',
      `0\r\n\r\n${hidden}`,
    ],
    ['two lengths', `Content-Length: 2\r\nContent-Length: ${2 + hidden.length}`, `{}${hidden}`],
    ['two lengths in one', `Content-Length: 2, ${2 + hidden.length}`, `{}${hidden}`],
    ['a length with a sign', 'Content-Length: +2', `{}${hidden}`],
    ['a length in hexadecimal', 'Content-Length: 0x2', `{}${hidden}`],
    ['an unknown encoding', 'Transfer-Encoding: xchunked', `0\r\n\r\n${hidden}`, 501],
    ['an encoding after chunks', 'Transfer-Encoding: chunked, identity', `0\r\n\r\n${hidden}`, 501],
    ['a tab before the colon', 'Transfer-Encoding\t: chunked', `0\r\n\r\n${hidden}`],
    ['a space before the colon', 'Content-Length : 2', `{}${hidden}`],
    ['a folded header', 'Transfer-Encoding:\r\n chunked', `0\r\n\r\n${hidden}`],
    ['a bare line feed', 'X: 1\nTransfer-Encoding: chunked', `0\r\n\r\n${hidden}`],
    ['a bare carriage return', 'X: 1\rTransfer-Encoding: chunked', `0\r\n\r\n${hidden}`],
    ['a NUL in a header', 'X: a\0b', hidden],
    [
      'a chunk size that is not one',
      'Transfer-Encoding: chunked',
      `0x2\r\n{}\r\n0\r\n\r\n${hidden}`,
    ],
    [
      'a chunk longer than it says',
      'Transfer-Encoding: chunked',
      `2\r\n{}xx\r\n0\r\n\r\n${hidden}`,
    ],
  ] as const)(
    'requests of which two parties may think differently are refused, and hide no call: %s',
    async (_what, headers, body, status: number = 400) => {
      const answer = await post(headers, body);
      expect([answer.status, answer.count]).toEqual([status, 1]);
      // If the body turns out to be malformed, the broker may have received the head of its call,
      // but never the complete call.
      expect(broker.calls).toEqual([]);
    },
  );

  test.each([
    ['an absolute target', `GET http://169.254.169.254/query/${id}/results?offset=0 HTTP/1.1`],
    ['an absolute target of a list', 'GET http://169.254.169.254/query/resultStore HTTP/1.1'],
    [
      'an absolute target of a deletion',
      'DELETE http://169.254.169.254/query/resultStore HTTP/1.1',
    ],
    ['a target of another scheme', `GET file:///query/${id}/results HTTP/1.1`],
    ['an authority', 'CONNECT 127.0.0.1:22 HTTP/1.1'],
    ['an asterisk', 'OPTIONS * HTTP/1.1'],
    ['another protocol', `GET /query/${id}/results?offset=0 HTTP/3.0`],
    ['a space in the target', `GET /query/${id}/results?offset=0 x HTTP/1.1`],
  ])(
    'requests of which two parties may think differently lead to no broker: %s',
    async (_what, line) => {
      const answer = await send(`${line}\r\n${usual}\r\nConnection: close\r\n\r\n`);
      expect(answer.status === 0 || (answer.status >= 400 && answer.status < 500)).toBe(true);
      expect(broker.calls).toEqual([]);
    },
  );

  test('a body that nobody announced for a page is not a second call', async () => {
    const answer = await send(
      `GET /query/${id}/metadata HTTP/1.1\r\n${usual}\r\nContent-Length: ${hidden.length}\r\nConnection: close\r\n\r\n${hidden}`,
    );
    expect([answer.status, answer.count]).toEqual([200, 1]);
    const seen = broker.calls.filter(({ method }) => method === 'GET');
    expect(seen.map(({ url, body }) => [url, body])).toEqual([[`/query/${id}/metadata`, '']]);
  });
});

describe('what is passed on', () => {
  test('what is passed on leaves out what is between two neighbours, and says where the call came from', async () => {
    await page(
      [
        'Connection: close, X-Private, Keep-Alive',
        'X-Private: 1',
        'Keep-Alive: timeout=5',
        'Proxy-Authorization: Basic x',
        'Proxy-Connection: keep-alive',
        'TE: trailers',
        'Trailer: X-After',
        'Expect: 100-continue',
        'Via: 1.0 front',
        'X-Forwarded-For: 192.0.2.1',
        'Forwarded: for=192.0.2.1',
        'X-Forwarded-Host: spoofed.example',
        'X-Request-Id: caller-7',
        'X-Kept: a',
        'X-Kept: b',
        'Accept-Encoding: zstd;q=0.5',
        '',
      ].join('\r\n'),
      '/query/x/metadata',
    );
    const [call] = broker.calls;
    const { host, connection, ...headers } = call?.headers ?? {};
    expect(headers).toEqual({
      'accept-encoding': 'zstd;q=0.5',
      authorization: 'Bearer ann-token',
      forwarded: 'for=192.0.2.1, for=127.0.0.1;host="proxy";proto=http',
      via: '1.0 front, 1.1 quire-proxy',
      'x-forwarded-for': '192.0.2.1, 127.0.0.1',
      'x-forwarded-host': 'proxy',
      'x-forwarded-proto': 'http',
      'x-kept': 'a, b',
      'x-request-id': 'caller-7',
    });
    expect([host, connection]).toEqual([new URL(broker.url).host, 'keep-alive']);
  });

  test('what is passed on gives the call an id where the caller gives none, or one that nobody could log', async () => {
    await page('', '/query/x/metadata');
    await page(`X-Request-Id: ${'x'.repeat(200)}\r\n`, '/query/x/metadata');
    const ids = broker.calls.map(({ headers }) => headers['x-request-id']);
    expect(ids).toEqual([
      expect.stringMatching(/^[0-9a-f-]{36}$/),
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ]);
    expect(new Set(ids).size).toBe(2);
  });

  test('what an answer brings is passed on likewise, in the other direction', async () => {
    broker.conduct = answers(200, '{}', {
      connection: 'X-Internal, close',
      'x-internal': '1',
      'keep-alive': 'timeout=9',
      'proxy-authenticate': 'Basic',
      upgrade: 'h2c',
      etag: '"7"',
      via: '1.1 rack',
      'set-cookie': 'a=1',
    });
    const { status, headers } = await proxy.call('/query/x/metadata');
    expect(status).toBe(200);
    const names = [
      'connection',
      'x-internal',
      'proxy-authenticate',
      'upgrade',
      'etag',
      'via',
      'set-cookie',
      'content-length',
    ];
    expect(names.map((name) => headers.get(name))).toEqual([
      'keep-alive',
      null,
      null,
      null,
      '"7"',
      '1.1 rack, 1.1 quire-proxy',
      'a=1',
      '2',
    ]);
  });

  test('a body goes on as it is, byte for byte, with its length or without', async () => {
    const body = '{"sql": "SELECT \\u0041 -- ä€𝄞"}';
    await proxy.call('/query/sql', { method: 'POST', body });
    const bytes = Buffer.byteLength(body).toString(16);
    const chunked = await send(
      `POST /query/sql?doPaginate=true HTTP/1.1\r\n${usual}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n` +
        `${bytes}\r\n${Buffer.from(body).toString('latin1')}\r\n0\r\n\r\n`,
    );
    expect(chunked.status).toBe(200);
    expect(
      broker.calls.map(({ url, headers, body: got }) => [url, headers['content-length'], got]),
    ).toEqual([
      ['/query/sql', String(Buffer.byteLength(body)), body],
      ['/query/sql?doPaginate=true', undefined, body],
    ]);
  });

  test('a body that is compressed does not get through, nor one that is encoded in a way of its own', async () => {
    const answer = await proxy.call('/query/sql', {
      method: 'POST',
      body: 'x',
      headers: { 'content-encoding': 'x-own' },
    });
    expect([answer.status, broker.calls]).toEqual([415, []]);
  });

  test.each(['announced', 'sent in chunks'])(
    'a body that is too large does not get through, %s',
    async (how) => {
      const body = 'x'.repeat(5000);
      const headers =
        how === 'announced' ? `Content-Length: ${body.length}` : 'Transfer-Encoding: chunked';
      const text =
        how === 'announced' ? body : `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      const answer = await send(
        `POST /query/sql HTTP/1.1\r\n${usual}\r\nConnection: close\r\n${headers}\r\n\r\n${text}`,
      );
      expect([answer.status, errorOf(answer).reason]).toEqual([413, 'BODY_TOO_LARGE']);
      expect(broker.calls).toEqual([]);
      expect((await proxy.call('/query/x/metadata')).status).toBe(200);
    },
  );
});

test('a path that is not ours, or takes another method, leads to no broker', async () => {
  const unknown = await proxy.call('/admin', { as: 'root' });
  const method = await proxy.call('/query/sql', { as: 'root' });
  expect([unknown.status, unknown.json<ErrorBody>().reason]).toEqual([404, 'ROUTE_NOT_FOUND']);
  expect([method.status, method.headers.get('allow')]).toEqual([405, 'POST']);
  expect(broker.calls).toEqual([]);
});
