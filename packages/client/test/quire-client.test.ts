import { describe, expect, it } from 'vitest';
import { QuireClient } from '../src/quire-client.ts';
import { clientOf, errorOf, thrownBy } from './client-of-one-answer.ts';

const requestId = '018f6b1e-0000-7000-8000-000000000001';

const cursorResponse = {
  resultTable: {
    dataSchema: { columnNames: ['n', 'x'], columnDataTypes: ['LONG', 'DOUBLE'] },
    rows: [[1, 0.5]],
  },
  requestId,
  brokerId: 'Broker_localhost_8099',
  numRowsResultSet: 3,
  offset: 1,
  numRows: 1,
  nextOffsetParams: 'offset=2&numRows=1',
  exceptions: [],
  brokerHost: 'localhost',
  brokerPort: 8099,
};

describe('a query', () => {
  it('a query asks for pagination with the page size, the token and the SQL', async () => {
    const { client, sent } = clientOf(cursorResponse);
    await client.query('SELECT 1', { rowCount: 1 });
    expect(sent).toEqual([
      {
        method: 'POST',
        url: 'http://quire.test/base/query/sql?doPaginate=true&numRows=1',
        headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
        body: { sql: 'SELECT 1' },
      },
    ]);
  });

  it('a query sends the parameter -0 as a DOUBLE, with its sign', async () => {
    const { client, sent } = clientOf(cursorResponse);
    const zero = { type: 'DOUBLE', value: -0 } as const;
    await client.query('SELECT 1 / ?', { parameters: [-0, zero, 0] });
    expect(sent[0]?.body).toEqual({ sql: 'SELECT 1 / ?', parameters: [zero, zero, 0] });
  });

  it('a query sends a Date of the years 1 to 9999 as a TIMESTAMP, and refuses any other', async () => {
    const { client, sent } = clientOf(cursorResponse);
    const query = (at: Date) => client.query('SELECT $at', { parameters: { at } });
    for (const time of ['0001-01-01 00:00:00.000', '9999-12-31 23:59:59.999']) {
      await query(new Date(`${time.replace(' ', 'T')}Z`));
      expect(sent.at(-1)?.body).toMatchObject({
        parameters: { at: { type: 'TIMESTAMP', value: time } },
      });
    }
    for (const [at, year] of [
      [new Date(Number.NaN), Number.NaN],
      [new Date('0000-12-31T00:00:00Z'), 0],
      [new Date('+010000-01-01T00:00:00Z'), 10_000],
    ] as const) {
      await expect(query(at)).rejects.toThrow(
        `Parameter at is a Date of the year ${year}; expected a time in the years 1 to 9999.`,
      );
    }
    expect(sent).toHaveLength(2);
  });

  it('a query gives the page with its columns, its neighbours and where its result is', async () => {
    const { client } = clientOf(cursorResponse);
    expect((await client.query('SELECT 1', { rowCount: 1 })).page).toEqual({
      requestId,
      brokerId: 'Broker_localhost_8099',
      broker: { host: 'localhost', port: 8099 },
      columns: [
        { name: 'n', dataType: 'LONG' },
        { name: 'x', dataType: 'DOUBLE' },
      ],
      rows: [[1, 0.5]],
      offset: 1,
      totalRowCount: 3,
      next: { offset: 2, rowCount: 1 },
      previous: { offset: 0, rowCount: 1 },
    });
  });

  it('a query gives LONG cells with all digits, and floats as floats: whole ones of many digits, NaN, infinities, inside arrays too', async () => {
    const { client } = clientOf(
      JSON.stringify({
        ...cursorResponse,
        resultTable: {
          dataSchema: {
            columnNames: ['n', 'x', 'a'],
            columnDataTypes: ['LONG', 'DOUBLE', 'DOUBLE_ARRAY'],
          },
          rows: 'ROWS',
        },
      }).replace(
        '"ROWS"',
        '[[9223372036854775807,100000000000000000000,[1,"NaN"]],[null,"-Infinity",null],[1,"Infinity",[]]]',
      ),
    );
    expect((await client.query('SELECT 1')).page.rows).toEqual([
      [9223372036854775807n, 1e20, [1, Number.NaN]],
      [null, Number.NEGATIVE_INFINITY, null],
      [1, Number.POSITIVE_INFINITY, []],
    ]);
  });

  it.each([
    [150, 'QUERY_SYNTAX'],
    [190, 'TABLE_NOT_FOUND'],
    [200, 'QUERY_FAILED'],
    [245, 'QUERY_LIMIT_EXCEEDED'],
    [250, 'QUERY_TIMED_OUT'],
    [429, 'TOO_MANY_QUERIES'],
    [450, 'INTERNAL'],
    [503, 'QUERY_CANCELLED'],
    [700, 'QUERY_INVALID'],
    [710, 'COLUMN_NOT_FOUND'],
    [999, 'QUERY_FAILED'],
  ])(
    'a query that fails with exception %i rejects with %s and the server’s message',
    async (errorCode, code) => {
      const { client } = clientOf({ exceptions: [{ errorCode, message: 'What went wrong.' }] });
      expect(await errorOf(client.query('SELECT 1'))).toEqual({
        code,
        message: 'What went wrong.',
      });
    },
  );

  it.each([undefined, new Error('enough'), 'a text'])(
    'a query rejects with the reason of its signal, as fetch does: %s',
    async (reason) => {
      const controller = new AbortController();
      const client = new QuireClient({
        baseUrl: 'http://quire.test',
        fetch: (_url, request) =>
          new Promise((_resolve, reject) => {
            request?.signal?.addEventListener('abort', () =>
              reject(new DOMException('Aborted', 'AbortError')),
            );
          }),
      });
      const { signal } = controller;
      const query = thrownBy(client.query('SELECT 1', { signal }));
      controller.abort(reason);
      expect(await query).toBe(signal.reason);
      expect(await thrownBy(client.query('SELECT 1', { signal }))).toBe(signal.reason);
      expect([reason, 'AbortError']).toContain(
        signal.reason instanceof DOMException ? signal.reason.name : signal.reason,
      );
    },
  );
});

describe('a page', () => {
  it('a page is asked for by offset and size, and tells a proxy where the result is', async () => {
    const { client, sent } = clientOf(cursorResponse);
    const page = await client.page(requestId, {
      offset: 1,
      rowCount: 1,
      broker: { host: 'localhost', port: 8099 },
    });
    expect(sent).toEqual([
      {
        method: 'GET',
        url: `http://quire.test/base/query/${requestId}/results?offset=1&numRows=1`,
        headers: {
          authorization: 'Bearer secret',
          forward_host: 'localhost',
          forward_port: '8099',
        },
        body: undefined,
      },
    ]);
    expect(page.offset).toBe(1);
  });

  it('a page has no next page at the end and none before at the start', async () => {
    const { client } = clientOf({ ...cursorResponse, offset: 0, numRowsResultSet: 1 });
    const page = await client.page(requestId, { offset: 0, rowCount: 5 });
    expect([page.next, page.previous]).toEqual([undefined, undefined]);
  });

  it('a page rejects with the server’s own code and sentence', async () => {
    const body = { code: 410, error: 'The result has expired.', reason: 'RESULT_EXPIRED' };
    const { client } = clientOf(body, { status: 410 });
    expect(await errorOf(client.page(requestId, { offset: 0 }))).toEqual({
      code: 'RESULT_EXPIRED',
      message: 'The result has expired.',
    });
  });

  it.each([-1, 0.5, Number.NaN, 2 ** 53])(
    'a page is not asked for at offset %d',
    async (offset) => {
      const { client, sent } = clientOf(cursorResponse);
      expect((await errorOf(client.page(requestId, { offset }))).code).toBe('INVALID_PARAMETER');
      expect(sent).toEqual([]);
    },
  );
});

describe('a stream', () => {
  it('a stream asks for the format and gives the bytes as they are', async () => {
    const { client, sent } = clientOf('n,x\n1,0.5\n');
    const chunks: Uint8Array[] = [];
    for await (const chunk of client.stream(requestId, { offset: 0, rowCount: 7, format: 'csv' })) {
      chunks.push(chunk);
    }
    expect(Buffer.concat(chunks).toString()).toBe('n,x\n1,0.5\n');
    expect(sent[0]?.url).toBe(
      `http://quire.test/base/query/${requestId}/results?offset=0&numRows=7&format=csv`,
    );
  });

  it('a stream throws when the connection breaks after the first bytes', async () => {
    const broken = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('n\n1\n')),
      pull: () =>
        Promise.reject(new TypeError('terminated', { cause: new Error('other side closed') })),
    });
    const client = new QuireClient({
      baseUrl: 'http://quire.test',
      fetch: () => Promise.resolve(new Response(broken)),
    });
    const received: string[] = [];
    const reading = (async () => {
      for await (const chunk of client.stream(requestId, { offset: 0, format: 'csv' })) {
        received.push(Buffer.from(chunk).toString());
      }
    })();
    expect(await errorOf(reading)).toEqual({
      code: 'SERVER_UNREACHABLE',
      message: 'No answer from http://quire.test: other side closed.',
    });
    expect(received).toEqual(['n\n1\n']);
  });

  it('a stream ends the transfer when the reader leaves early', async () => {
    let cancelled = false;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1)),
      cancel: () => {
        cancelled = true;
      },
    });
    const client = new QuireClient({
      baseUrl: 'http://quire.test',
      fetch: () => Promise.resolve(new Response(endless)),
    });
    for await (const chunk of client.stream(requestId, { offset: 0, format: 'arrow' })) {
      if (chunk.length > 0) break;
    }
    expect(cancelled).toBe(true);
  });
});
