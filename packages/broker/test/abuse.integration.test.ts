import { connect } from 'node:net';
import type { ErrorBody } from '@quire/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestBroker } from '../../../test/src/testkit/broker-server.ts';

let broker: TestBroker;

beforeAll(async () => {
  broker = await TestBroker.start({ requestTimeoutMs: 1000, idleTimeoutMs: 5000 });
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
});

const authorization = 'Authorization: Bearer ann-token\r\nHost: broker';

interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends bytes as they are and reads until the server closes. HTTP clients would normalize them. */
function send(bytes: string, { half = false } = {}): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(broker.address.port, broker.address.host);
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('close', () => {
      const [head = '', ...body] = text.split('\r\n\r\n');
      resolve({
        status: Number(head.slice(9, 12)),
        head: head.toLowerCase(),
        body: body.join('\r\n\r\n'),
      });
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.write(bytes);
    if (half) socket.end();
  });
}

function errorOf({ body }: RawAnswer): ErrorBody {
  return JSON.parse(body) as ErrorBody;
}

describe('an id that is not one', () => {
  const hostileIds = [
    '..',
    '.',
    '%2e%2e',
    '%2e%2e%2f',
    '..%2f..%2f..%2fetc%2fpasswd',
    '%2e%2e%5c',
    '%00',
    'x%00',
    '0190163d-8694-739b-aea5-966c26f8ad91%00',
    '0190163D-8694-439B-AEA5-966C26F8AD91',
    '0190163d8694739baea5966c26f8ad91',
    '0190163d-8694-439b-aea5-966c26f8ad91',
    '{0190163d-8694-739b-aea5-966c26f8ad91}',
    '%F0%9F%92%A5',
    '%0d%0aX-Injected:1',
    '__proto__',
    'constructor',
    '1; DROP TABLE flights',
    "'%20OR%20'1'='1",
    'a'.repeat(4096),
    '%2e'.repeat(1365),
  ].map((id) => id.replaceAll(' ', '%20'));

  test.each(hostileIds)('an id that is not one leads nowhere: %s', async (id) => {
    broker.store.reset();
    for (const [method, path, body] of [
      ['GET', `/query/${id}/results?offset=0`, ''],
      ['GET', `/query/${id}/metadata`, ''],
      ['DELETE', `/query/resultStore/${id}`, ''],
      ['PATCH', `/query/resultStore/${id}`, '{"expiration":"1h"}'],
    ] as const) {
      const headers = `${authorization}\r\nConnection: close${body === '' ? '' : `\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`}`;
      const answer = await send(`${method} ${path} HTTP/1.1\r\n${headers}\r\n\r\n${body}`);
      expect(answer.status).toBe(404);
      const { code, error, reason } = errorOf(answer);
      expect([code, reason]).toEqual([404, 'RESULT_NOT_FOUND']);
      expect(error).toMatch(/^Query results for .{1,140} not found\.$/);
      expect(answer.head).not.toContain('x-injected');
    }
    expect(broker.store.calls).toEqual([]);
  });

  test.each([
    '/query/../../etc/passwd/results?offset=0',
    '/query/a/b/results',
    '//query/sql',
    '/query/resultStore/a/b',
  ])('a path that is not one leads nowhere: %s', async (path) => {
    const answer = await send(
      `GET ${path} HTTP/1.1\r\n${authorization}\r\nConnection: close\r\n\r\n`,
    );
    expect(errorOf(answer)).toMatchObject({ code: 404, reason: 'ROUTE_NOT_FOUND' });
  });

  test.each(['%', '%zz', '%2', '%c3%28', '%ff'])(
    'a path that cannot be decoded is refused: %s',
    async (id) => {
      const answer = await send(
        `GET /query/${id}/results?offset=0 HTTP/1.1\r\n${authorization}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer.status).toBe(400);
      expect(errorOf(answer)).toEqual({
        code: 400,
        error: 'The path cannot be decoded: its percent-encoding is not valid.',
        reason: 'INVALID_PARAMETER',
      });
    },
  );
});

describe('a method that a path does not take', () => {
  test.each([
    ['GET', '/query/sql', 'POST'],
    ['PUT', '/query/resultStore', 'GET, HEAD, DELETE'],
    ['POST', '/query/resultStore/x', 'GET, HEAD, DELETE, PATCH'],
    ['POST', '/query/x/results', 'GET, HEAD'],
    ['DELETE', '/health', 'GET, HEAD'],
  ])(
    'a method that a path does not take: %s %s is refused, naming those that it takes',
    async (method, path, allow) => {
      const answer = await broker.call(path, { method });
      expect(answer.headers.get('allow')).toBe(allow);
      expect(answer.json()).toEqual({
        code: 405,
        error: `${method} is not allowed for this path; expected ${allow}.`,
        reason: 'METHOD_NOT_ALLOWED',
      });
    },
  );
});

describe('a body', () => {
  const post = (headers: string, body: string) =>
    `POST /query/sql HTTP/1.1\r\n${authorization}\r\n${headers}\r\n\r\n${body}`;

  test('a body of 10 MB is refused as soon as it says so', async () => {
    const answer = await send(
      post('Content-Type: application/json\r\nContent-Length: 10000000', '{"sql":"'),
    );
    expect(errorOf(answer)).toEqual({
      code: 413,
      error: 'The request body is too large.',
      reason: 'BODY_TOO_LARGE',
    });
    expect(answer.head).toContain('connection: close');
  });

  test('a body that grows beyond the limit is refused on the way', async () => {
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
    const answer = await send(
      post('Content-Type: application/json\r\nTransfer-Encoding: chunked', chunk.repeat(2)),
    );
    expect(errorOf(answer)).toMatchObject({ code: 413, reason: 'BODY_TOO_LARGE' });
  });

  test('a body up to the limit is taken', async () => {
    const sql = `rows 1 ${' '.repeat(4096 - 17)}`;
    const body = JSON.stringify({ sql });
    expect(body.length).toBe(4096);
    expect((await broker.query('', '', { body })).status).toBe(200);
    expect((await broker.query('', '', { body: `${body} ` })).json()).toMatchObject({ code: 413 });
  });

  test('nested without end is refused', async () => {
    const answer = await broker.query('', '', { body: '['.repeat(4000) });
    expect(answer.json()).toMatchObject({ code: 400, reason: 'INVALID_BODY' });
  });

  test('a body that never comes is not waited for', async () => {
    const answer = await send(
      post('Content-Type: application/json\r\nContent-Length: 100', '{"sql":'),
    );
    expect(errorOf(answer)).toEqual({
      code: 408,
      error: 'The request was sent too slowly.',
      reason: 'REQUEST_TIMED_OUT',
    });
  });

  test('a body that is shorter than announced is not a call', async () => {
    const answer = await send(
      post('Content-Type: application/json\r\nContent-Length: 100', '{"sql":"rows 1"}'),
      { half: true },
    );
    expect(answer.status === 400 || answer.body === '').toBe(true);
    expect(broker.engine.openCount).toBe(0);
  });

  test('a body with two lengths is refused', async () => {
    const smuggled =
      'Content-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked';
    const answer = await send(post(smuggled, '0\r\n\r\nGET /query/resultStore HTTP/1.1\r\n\r\n'));
    expect(errorOf(answer)).toMatchObject({ code: 400, reason: 'INVALID_PARAMETER' });
  });
});

describe('a head', () => {
  test('a head that is too large is refused', async () => {
    const answer = await send(
      `GET /health HTTP/1.1\r\nHost: broker\r\nX-Large: ${'x'.repeat(9000)}\r\n\r\n`,
    );
    expect(errorOf(answer)).toEqual({
      code: 431,
      error: 'The request headers are too large.',
      reason: 'HEADERS_TOO_LARGE',
    });
  });

  test('a head with an endless path is refused', async () => {
    const answer = await send(`GET /${'x'.repeat(9000)} HTTP/1.1\r\nHost: broker\r\n\r\n`);
    expect(errorOf(answer)).toMatchObject({ code: 431 });
  });

  test('a head that never ends is not waited for', async () => {
    const answer = await send('GET /health HTTP/1.1\r\nHost: broker\r\nX-Slow: ');
    expect(errorOf(answer)).toMatchObject({ code: 408, reason: 'REQUEST_TIMED_OUT' });
  });

  test.each([
    'NONSENSE\r\n\r\n',
    '\u0016\u0003\u0001\u0002\u0000\u0001',
    'GET / HTTP/9.9\r\n\r\n',
    'GET /health HTTP/1.1\r\nA b: c\r\n\r\n',
  ])('a head that is not HTTP is refused: %j', async (bytes) => {
    expect(errorOf(await send(bytes))).toEqual({
      code: 400,
      error: 'This is not an HTTP/1.1 request.',
      reason: 'INVALID_PARAMETER',
    });
  });

  test('a head without a Host is refused', async () => {
    expect((await send('GET /health HTTP/1.1\r\nConnection: close\r\n\r\n')).status).toBe(400);
  });
});

test('an error in the next call does not get into the response that is under way', async () => {
  const requestId = await broker.stored(200_000);
  const page = `GET /query/${requestId}/results?offset=0&numRows=200000 HTTP/1.1\r\n${authorization}\r\n\r\n`;
  const answer = await send(`${page}NONSENSE\r\n\r\n`);
  expect(answer.body).not.toContain('INVALID_PARAMETER');
  await broker.call(`/query/resultStore/${requestId}`, { method: 'DELETE' });
});

test('the broker is as well as before', async () => {
  expect((await broker.query('rows 1')).status).toBe(200);
});
