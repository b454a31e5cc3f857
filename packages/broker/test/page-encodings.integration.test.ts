import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { tableFromIPC } from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brokerId, TestBroker } from '../../../test/src/testkit/broker-server.ts';

const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };
let broker: TestBroker;
let requestId: string;
let path: string;

beforeAll(async () => {
  broker = await TestBroker.start();
  requestId = await broker.stored(2500);
  path = `/query/${requestId}/results`;
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
});

/** A response as received, still compressed. */
async function rawCall(
  target: string,
  headers: Record<string, string>,
): Promise<{ headers: Record<string, unknown>; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${broker.address.url}${target}`,
      { headers: { authorization: 'Bearer ann-token', ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ headers: response.headers, bytes: Buffer.concat(chunks) }),
        );
        response.on('error', reject);
      },
    );
    call.on('error', reject);
    call.end();
  });
}

describe('the format', () => {
  const cursorHeaders = {
    'quire-broker-host': 'broker.example',
    'quire-broker-id': brokerId,
    'quire-next-offset-params': 'offset=12&numRows=4',
    'quire-num-rows': '4',
    'quire-num-rows-result-set': '2500',
    'quire-offset': '8',
    'quire-prev-offset-params': 'offset=4&numRows=4',
  };
  const csv =
    'n,big,text\n8,9007199254741001,row 8\n9,9007199254741002,\n10,9007199254741003,row 10\n11,9007199254741004,row 11\n';

  function cursorHeadersOf(headers: Headers): Record<string, string> {
    return Object.fromEntries(
      [...headers].filter(([name]) => name.startsWith('quire-') && !name.includes('expiration')),
    );
  }

  test.each([
    ['&format=parquet', '*/*'],
    ['', 'application/vnd.apache.parquet'],
  ])(
    'parquet by %s and Accept %s is a file, of which a range may be asked for',
    async (query, accept) => {
      const target = `${path}?offset=8&numRows=4${query}`;
      const answer = await broker.call(target, { headers: { accept } });
      expect([answer.headers.get('content-type'), answer.headers.get('accept-ranges')]).toEqual([
        'application/vnd.apache.parquet',
        'bytes',
      ]);
      expect(answer.headers.get('content-disposition')).toBe(
        `attachment; filename="${requestId}-rows-8-12.parquet"`,
      );
      expect(cursorHeadersOf(answer.headers)).toMatchObject(cursorHeaders);
      const file = new Uint8Array(answer.bytes).buffer;
      expect(
        (await parquetReadObjects({ file, compressors })).map(({ n, text }) => [n, text]),
      ).toEqual([
        [8, 'row 8'],
        [9, null],
        [10, 'row 10'],
        [11, 'row 11'],
      ]);
      const rest = await broker.call(target, { headers: { accept, range: 'bytes=100-' } });
      expect([rest.status, rest.bytes]).toEqual([206, answer.bytes.subarray(100)]);
    },
  );

  test.each([
    ['?offset=8&numRows=4&format=csv', '*/*'],
    ['?offset=8&numRows=4', 'text/csv'],
    ['?offset=8&numRows=4', 'application/json;q=0.1, text/*'],
    ['?offset=8&numRows=4&format=csv', 'application/json'],
  ])('the format: %s with Accept %s is CSV', async (query, accept) => {
    const answer = await broker.call(`${path}${query}`, { headers: { accept } });
    expect(answer.text).toBe(csv);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="${requestId}-rows-8-12.csv"`,
    );
    expect(cursorHeadersOf(answer.headers)).toEqual({
      ...cursorHeaders,
      'quire-request-id': requestId,
      'quire-broker-port': String(broker.address.port),
    });
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    '*/*',
    'text/html;q=0.9, */*;q=0.8',
  ])('a page with Accept %s is JSON, whose body says it all', async (accept) => {
    const answer = await broker.call(`${path}?offset=8&numRows=4`, { headers: { accept } });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBeNull();
    expect(cursorHeadersOf(answer.headers)).toEqual({});
  });

  test('ndjson is an object per row, with all digits', async () => {
    const answer = await broker.call(`${path}?offset=8&numRows=2`, {
      headers: { accept: 'application/x-ndjson' },
    });
    expect(answer.text).toBe(
      '{"n":8,"big":9007199254741001,"text":"row 8"}\n{"n":9,"big":9007199254741002,"text":null}\n',
    );
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  });

  test('arrow is a stream that an Arrow reader reads, across batches', async () => {
    const answer = await broker.call(`${path}?offset=8&numRows=1500`, {
      headers: { accept: 'application/vnd.apache.arrow.stream' },
    });
    expect(answer.headers.get('content-type')).toBe('application/vnd.apache.arrow.stream');
    const table = tableFromIPC(answer.bytes);
    expect(table.numRows).toBe(1500);
    expect(table.get(1499)?.toJSON()).toEqual({
      n: 1507,
      big: 9_007_199_254_742_500n,
      text: 'row 1507',
    });
  });

  test('the last page has no header for a next one, and the first none for the one before', async () => {
    const names = (answer: { headers: Headers }) => Object.keys(cursorHeadersOf(answer.headers));
    expect(names(await broker.call(`${path}?offset=2490&format=csv`))).not.toContain(
      'quire-next-offset-params',
    );
    expect(names(await broker.call(`${path}?offset=0&format=csv`))).not.toContain(
      'quire-prev-offset-params',
    );
  });

  test('the format of Accept also holds for queries, paginated and plain', async () => {
    const first = await broker.query('rows 12', '?doPaginate=true&numRows=1&format=csv');
    expect(first.text).toBe('n,big,text\n0,9007199254740993,row 0\n');
    expect(first.headers.get('quire-next-offset-params')).toBe('offset=1&numRows=1');
    const whole = await broker.query('rows 2', '', { headers: { accept: 'text/csv' } });
    expect(whole.text).toBe('n,big,text\n0,9007199254740993,row 0\n1,9007199254740994,row 1\n');
    expect(cursorHeadersOf(whole.headers)).toEqual({
      'quire-request-id': whole.headers.get('x-request-id'),
      'quire-num-rows': '2',
    });
  });
});

describe('a page that a client has already', () => {
  const target = (query: string) => `${path}?${query}`;

  test('a page that a client has already may be kept until the result expires', async () => {
    const { headers } = await broker.call(target('offset=0&numRows=5'));
    expect(headers.get('cache-control')).toBe('private, max-age=3600, immutable');
    expect(headers.get('quire-expiration-time-ms')).toBe('1767229200000');
    expect(headers.get('vary')).toBe('accept, accept-encoding, authorization, origin');
    expect(headers.get('etag')).toBe(`"${requestId}-0-5-json-identity"`);
  });

  test.each([
    (tag: string) => tag,
    (tag: string) => `"other", ${tag}`,
    (tag: string) => `W/${tag}`,
    () => '*',
  ])('a page that a client has already is not sent again, nor read (%#)', async (ifNoneMatch) => {
    const tag = (await broker.call(target('offset=0&numRows=5'))).headers.get('etag') ?? '';
    broker.store.reset();
    const answer = await broker.call(target('offset=0&numRows=5'), {
      headers: { 'if-none-match': ifNoneMatch(tag) },
    });
    expect(answer.status).toBe(304);
    expect(answer.text).toBe('');
    expect(answer.headers.get('etag')).toBe(tag);
    expect(answer.headers.get('cache-control')).toBe('private, max-age=3600, immutable');
    expect(broker.store.calls).toEqual([]);
  });

  test('a page that a client has already is gone for it as well, five seconds after somebody else has deleted the result', async () => {
    // A broker of its own, because the test advances its time.
    await using other = await TestBroker.start();
    const id = await other.stored(10);
    const page = `/query/${id}/results?offset=0&numRows=5`;
    const tag = (await other.call(page)).headers.get('etag') ?? '';
    for await (const { key } of other.store.list(`${other.results.brokerId}/${id}/`)) {
      await other.store.delete(key);
    }
    const again = { headers: { 'if-none-match': tag } };
    expect((await other.call(page, again)).status).toBe(304);
    await other.clock.advance(5000);
    expect((await other.call(page, again)).status).toBe(410);
  });

  test('a page that a client has already is sent again when it is another one', async () => {
    const tag = (await broker.call(target('offset=0&numRows=5'))).headers.get('etag') ?? '';
    const others = ['offset=1&numRows=5', 'offset=0&numRows=6', 'offset=0&numRows=5&format=csv'];
    for (const query of others) {
      const answer = await broker.call(target(query), { headers: { 'if-none-match': tag } });
      expect(answer.status).toBe(200);
    }
    const forSomebodyElse = await broker.call(target('offset=0&numRows=5'), {
      as: 'bob',
      headers: { 'if-none-match': tag },
    });
    expect(forSomebodyElse.status).toBe(404);
  });

  test('a page that a client has already is refused past the end all the same', async () => {
    const answer = await broker.call(target('offset=2501'), { headers: { 'if-none-match': '*' } });
    expect(answer.status).toBe(416);
  });
});

describe('compression', () => {
  const decoders = {
    gzip: gunzipSync,
    br: brotliDecompressSync,
    zstd: zstdDecompressSync,
  } as const;

  test.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['zstd', 'zstd'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['*', 'zstd'],
  ] as const)('compression with Accept-Encoding %s is %s', async (accepted, encoding) => {
    for (const format of ['json', 'csv', 'arrow']) {
      const target = `${path}?offset=0&numRows=2500&format=${format}`;
      const plain = await rawCall(target, {});
      const small = await rawCall(target, { 'accept-encoding': accepted });
      expect(small.headers['content-encoding']).toBe(encoding);
      const form = format === 'arrow' ? 'arrow-plain' : format;
      expect(small.headers['etag']).toBe(`"${requestId}-0-2500-${form}-${encoding}"`);
      expect(plain.headers['etag']).toBe(`"${requestId}-0-2500-${form}-identity"`);
      expect(small.bytes.length).toBeLessThan(plain.bytes.length / 2);
      expect(decoders[encoding](small.bytes).equals(plain.bytes)).toBe(true);
    }
  });

  test.each(['identity', 'gzip;q=0, br;q=0, zstd;q=0', 'deflate', ''])(
    'compression with Accept-Encoding %j is not used',
    async (accepted) => {
      const answer = await rawCall(`${path}?offset=0&numRows=2500`, {
        'accept-encoding': accepted,
      });
      expect(answer.headers['content-encoding']).toBeUndefined();
    },
  );

  test('compression is not spent on small pages', async () => {
    const answer = await rawCall(`${path}?offset=0&numRows=10`, { 'accept-encoding': 'gzip' });
    expect(answer.headers['content-encoding']).toBeUndefined();
  });
});

describe('HEAD', () => {
  test('HEAD gives the headers of a page and reads nothing', async () => {
    broker.store.reset();
    const answer = await broker.call(`${path}?offset=8&numRows=4&format=csv`, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe('');
    expect(answer.headers.get('etag')).toBe(`"${requestId}-8-4-csv-identity"`);
    expect(answer.headers.get('quire-num-rows')).toBe('4');
    expect(broker.store.calls).toEqual([]);
  });

  test('HEAD is refused like GET', async () => {
    expect((await broker.call(`${path}?offset=-1`, { method: 'HEAD' })).status).toBe(400);
    expect((await broker.call(`${path}?offset=0`, { method: 'HEAD', as: 'bob' })).status).toBe(404);
  });
});
