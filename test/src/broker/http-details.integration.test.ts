import { connect as connectHttp2 } from 'node:http2';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestBroker } from '../testkit/broker-server.ts';
import { TestController } from '../testkit/controller-server.ts';
import { sendRaw } from '../testkit/raw-request.ts';

/** The behaviour of HTTP clients that differs from browsers and `fetch`. */

let broker: TestBroker;
let requestId: string;

beforeAll(async () => {
  broker = await TestBroker.start();
  requestId = await broker.stored(20_000);
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
});

const bearer = 'Host: broker\r\nConnection: close\r\nAuthorization: Bearer ann-token';

test.each(['/query/sql', '/health'])(
  'the method QUERY without a body is refused as any other that %s does not take',
  async (path) => {
    const answer = await sendRaw(broker.address, `QUERY ${path} HTTP/1.1\r\n${bearer}\r\n\r\n`);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      405,
      expect.objectContaining({ reason: 'METHOD_NOT_ALLOWED' }),
    ]);
    expect(answer.head).toContain('allow: ');
  },
);

test('a compressed body is 415, and one that says that it is not is taken', async () => {
  const body = JSON.stringify({ sql: 'rows 1' });
  const compressed = await fetch(`${broker.address.url}/query/sql`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer ann-token',
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    },
    body: gzipSync(body),
  });
  expect([compressed.status, await compressed.json()]).toEqual([
    415,
    {
      code: 415,
      error: "Content-Encoding is 'gzip'; expected an uncompressed body.",
      reason: 'UNSUPPORTED_MEDIA_TYPE',
    },
  ]);
  expect(
    (await broker.query('', '', { body, headers: { 'content-encoding': 'identity' } })).status,
  ).toBe(200);
});

test('a client that begins with HTTP/2 is told that HTTP/1.1 is required', async () => {
  const session = connectHttp2(broker.address.url);
  session.on('error', () => undefined);
  const call = session.request({ ':path': '/health' });
  call.on('error', () => undefined);
  const [code, , reason] = (await once(session, 'goaway')) as [number, number, Buffer];
  expect([code, reason.toString()]).toEqual([0x0d, 'This server supports only HTTP/1.1.']);
  session.destroy();
});

test('an id may be in upper case', async () => {
  const id = requestId.toUpperCase();
  const page = await broker.call(`/query/${id}/results?offset=0&numRows=1`);
  expect(page.json()).toMatchObject({ requestId, numRows: 1 });
  expect((await broker.call(`/query/${id}/metadata`)).status).toBe(200);
  expect((await broker.call(`/responseStore/${id}/results`)).status).toBe(200);
  const renewed = await broker.call(`/query/resultStore/${id}`, {
    method: 'PATCH',
    body: '{"expiration":"2h"}',
  });
  expect(renewed.status).toBe(200);
  const doomed = (await broker.stored(1)).toUpperCase();
  expect((await broker.call(`/query/resultStore/${doomed}`, { method: 'DELETE' })).status).toBe(
    200,
  );
});

test('a mark of the encoding before a body counts nowhere', async () => {
  expect((await broker.query('', '', { body: '\uFEFF{"sql":"rows 1"}' })).json()).toMatchObject({
    exceptions: [],
  });
  const renewed = await broker.call(`/query/resultStore/${requestId}`, {
    method: 'PATCH',
    body: '\uFEFF{"expiration":"2h"}',
  });
  expect(renewed.status).toBe(200);
  await using controller = await TestController.start([]);
  for (const path of [
    '/schemas/validate',
    '/tables/validate',
    '/tables/preview',
    '/tableConfigs/validate',
  ]) {
    expect([
      path,
      (await controller.call(path, { method: 'POST', body: '\uFEFF{}' })).status,
    ]).toEqual([path, 200]);
  }
});

test.each(['TRUE', '1', 'True'])('doPaginate=%s stores the answer', async (value) => {
  expect((await broker.query('rows 3', `?doPaginate=${value}`)).json()).toMatchObject({
    numRowsResultSet: 3,
    offset: 0,
  });
});

test('an offset beyond 2^53 is in the error as it was sent', async () => {
  const sent = '90071992547409931234';
  for (const path of [`/query/${requestId}/results`, `/responseStore/${requestId}/results`]) {
    const answer = await broker.call(`${path}?offset=${sent}`);
    expect([answer.status, answer.json<{ error: string }>().error]).toEqual([
      416,
      expect.stringContaining(` ${sent} `),
    ]);
  }
});

describe('a range of bytes', () => {
  const path = (format: string): string =>
    `/query/${requestId}/results?offset=5&numRows=15000&format=${format}`;
  const ranged = (format: string, range: string, more: Readonly<Record<string, string>> = {}) =>
    broker.call(path(format), { headers: { range, ...more } });

  test.each(['csv', 'ndjson', 'arrow'])(
    'a range of bytes of a download as %s is what the whole has there',
    async (format) => {
      const whole = await broker.call(path(format));
      expect(whole.headers.get('accept-ranges')).toBe('bytes');
      const size = whole.bytes.length;
      for (const [range, start, end] of [
        ['bytes=0-9', 0, 10],
        ['bytes=100000-', 100_000, size],
        ['bytes=-1000', size - 1000, size],
        [`bytes=70000-${size + 5}`, 70_000, size],
        [`bytes=-${size + 5}`, 0, size],
      ] as const) {
        const part = await ranged(format, range, { 'accept-encoding': 'gzip' });
        expect([part.status, part.headers.get('content-range')]).toEqual([
          206,
          `bytes ${start}-${end - 1}/${size}`,
        ]);
        expect(part.headers.get('content-length')).toBe(String(end - start));
        expect(part.bytes.equals(whole.bytes.subarray(start, end))).toBe(true);
        expect(part.headers.get('etag')).toBe(whole.headers.get('etag'));
      }
    },
  );

  test('a range of bytes behind the end is 416, and says where that is', async () => {
    const { length } = (await broker.call(path('csv'))).bytes;
    for (const range of [`bytes=${length}-`, 'bytes=-0', 'bytes=999999999999999-']) {
      const answer = await ranged('csv', range);
      expect([answer.status, answer.headers.get('content-range')]).toEqual([
        416,
        `bytes */${length}`,
      ]);
      expect(answer.json()).toMatchObject({ reason: 'OFFSET_OUT_OF_RANGE' });
    }
  });

  test('a range of bytes counts only for the page that it names, and where it is one that is served', async () => {
    const entityTag = (await broker.call(path('csv'))).headers.get('etag') ?? '';
    expect((await ranged('csv', 'bytes=5-', { 'if-range': entityTag })).status).toBe(206);
    const whole = [
      await ranged('csv', 'bytes=5-', { 'if-range': '"another"' }),
      await ranged('csv', 'bytes=0-1,5-6'),
      await ranged('csv', 'bytes=6-5'),
      await ranged('csv', 'lines=1-2'),
      await ranged('csv', 'bytes=-'),
      await ranged('json', 'bytes=5-'),
    ];
    expect(whole.map(({ status }) => status)).toEqual(whole.map(() => 200));
  });
});
