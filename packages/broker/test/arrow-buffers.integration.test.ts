import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestBroker } from '../../../test/src/testkit/broker-server.ts';
import type { Answer } from '../../../test/src/testkit/http-caller.ts';

const arrow = 'application/vnd.apache.arrow.stream';
let broker: TestBroker;
let requestId: string;
let page: string;

beforeAll(async () => {
  broker = await TestBroker.start({}, { compression: 'zstd' });
  requestId = await broker.stored(2500);
  page = `/query/${requestId}/results?offset=0&numRows=2500`;
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
});

/** Rows that a reader without codecs reads; why it cannot, if it cannot. */
function readPlain({ bytes }: Answer): number | string {
  try {
    return tableFromIPC(bytes).numRows;
  } catch (error) {
    return String(error);
  }
}

const isCompressed = expect.stringContaining('codec not found') as string;

describe('Arrow of a result that is stored with zstd', () => {
  test.each([
    ['?format=arrow', `${arrow}, */*`, 'plain', 2500],
    ['', arrow, 'plain', 2500],
    ['?compression=lz4', arrow, 'lz4', 2500],
    ['?compression=none', `${arrow};compression=zstd`, 'plain', 2500],
    ['?compression=zstd', arrow, 'zstd', isCompressed],
    ['?compression=lz4,zstd', arrow, 'zstd+lz4', isCompressed],
    ['', `${arrow}; compression=zstd`, 'zstd', isCompressed],
    ['?format=arrow', `${arrow};compression=zstd;q=0.5, application/json`, 'zstd', isCompressed],
  ])(
    'asked for with %s and Accept %s has the buffers that its tag names: %s',
    async (parameters, accept, named, expected) => {
      const target = `${page}${parameters.replace('?', '&')}`;
      const answer = await broker.call(target, { headers: { accept } });
      expect(readPlain(answer)).toEqual(expected);
      const etag = `"${requestId}-0-2500-arrow-${named}-identity"`;
      expect(answer.headers.get('etag')).toBe(etag);
      expect(answer.headers.get('vary')).toBe('accept, accept-encoding, authorization, origin');
      expect(answer.headers.get('content-type')).toBe(arrow);

      const again = { accept, 'if-none-match': etag };
      expect((await broker.call(target, { headers: again })).status).toBe(304);
      const other = { accept, 'if-none-match': `"${requestId}-0-2500-arrow-identity"` };
      expect((await broker.call(target, { headers: other })).status).toBe(200);

      const ranged = await broker.call(target, {
        headers: { accept, range: 'bytes=1000-1999', 'if-range': etag },
      });
      expect(ranged.status).toBe(206);
      expect(ranged.headers.get('content-range')).toBe(`bytes 1000-1999/${answer.bytes.length}`);
      expect(Buffer.from(ranged.bytes).equals(Buffer.from(answer.bytes.subarray(1000, 2000)))).toBe(
        true,
      );
    },
  );

  test('Arrow of a result that is stored with zstd is plain as the answer of a query, unless it asks for zstd', async () => {
    for (const [parameters, expected] of [
      ['', 2500],
      ['&compression=zstd', isCompressed],
    ] as const) {
      const paginated = await broker.query(
        'rows 2500',
        `?doPaginate=true&numRows=2500&format=arrow${parameters}`,
      );
      expect(readPlain(paginated)).toEqual(expected);
      expect(readPlain(await broker.query('rows 2500', `?format=arrow${parameters}`))).toEqual(
        expected,
      );
    }
  });

  test('Arrow of a result that is stored with zstd is plain while the query runs, with the bytes that it has when the result stands', async () => {
    const first = await broker.query(
      'rows 3000 then wait then rows 2000',
      '?doPaginate=true&async=true&numRows=1024&format=arrow',
    );
    expect(first.headers.get('quire-query-state')).toBe('RUNNING');
    expect(readPlain(first)).toBe(1024);
    const id = first.headers.get('quire-request-id') ?? '';
    const target = `/query/${id}/results?offset=0&numRows=1024&format=arrow`;
    const growing = await broker.call(`${target}&compression=zstd`);
    expect([growing.headers.get('quire-query-state'), readPlain(growing)]).toEqual([
      'RUNNING',
      isCompressed,
    ]);
    broker.engine.resume();
    await broker.call(`/query/${id}/results?offset=5000&wait=10s`);
    const stands = await broker.call(target);
    expect(stands.headers.get('quire-query-state')).toBeNull();
    expect(Buffer.from(stands.bytes).equals(Buffer.from(first.bytes))).toBe(true);
    expect(
      Buffer.from((await broker.call(`${target}&compression=zstd`)).bytes).equals(
        Buffer.from(growing.bytes),
      ),
    ).toBe(true);
  });

  test.each([
    [
      '&format=arrow&compression=gzip',
      400,
      "compression is 'gzip'; expected zstd, lz4, both as zstd,lz4, or none.",
    ],
    [
      '&format=arrow&compression=zstd&compression=lz4',
      400,
      'compression is given 2 times; expected zstd, lz4',
    ],
    [
      '&format=csv&compression=zstd',
      400,
      'compression is zstd with the format csv; use it with format=arrow',
    ],
    ['&compression=zstd', 400, 'compression is zstd with the format json'],
  ])(
    'Arrow of a result that is stored with zstd is refused with %s',
    async (parameters, status, message) => {
      const answer = await broker.call(`${page}${parameters}`);
      expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(message)]);
      const query = await broker.query('rows 5', `?doPaginate=true${parameters}`);
      expect([query.status, query.text]).toEqual([status, expect.stringContaining(message)]);
    },
  );

  test('Arrow of a result that is stored with zstd is refused when Accept names a codec that Arrow does not have, unless something else will do', async () => {
    const accept = `${arrow};compression=brotli`;
    expect((await broker.call(page, { headers: { accept } })).status).toBe(406);
    expect(
      (await broker.call(page, { headers: { accept: `${accept}, text/csv;q=0.1` } })).headers.get(
        'content-type',
      ),
    ).toContain('text/csv');
  });
});
