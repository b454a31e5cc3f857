import { QuireClient, QuireClientError, type ResultCursor } from '@quire/client';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fault, FaultProxy } from '../testkit/servers/fault-proxy.ts';
import {
  type CliProcess,
  startServer,
  temporaryDirectory,
  testVariables,
  writeSettings,
} from '../testkit/cli-process.ts';

const rowCount = 5000;
const manyRows = `SELECT range AS n, 'row ' || range AS "a ""name""", range * 0.5::DOUBLE AS half,
  make_timestamp(range * 1000000) AS at FROM range(${rowCount})`;

/**
 * One server process for all tests of this file, with DuckDB and results in files, and a proxy
 * before it that can misbehave.
 */
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let server: CliProcess;
let url: string;
let proxy: FaultProxy;
let stored: ResultCursor;

const quickly = { delayMs: 1, delayMaxMs: 1 };

function clientOf(
  baseUrl: string,
  options: Partial<ConstructorParameters<typeof QuireClient>[0]> = {},
): QuireClient {
  return new QuireClient({
    baseUrl,
    token: testVariables.TEST_ADMIN_TOKEN,
    retry: quickly,
    ...options,
  });
}

beforeAll(async () => {
  directory = await temporaryDirectory();
  const settings =
    'engine.broker.pagination.protocol = file\nengine.broker.pagination.file.data.dir = results\n';
  ({ server, url } = await startServer([
    '--config',
    await writeSettings(directory.path, settings),
  ]));
  proxy = await FaultProxy.start(Number(new URL(url).port));
  stored = await clientOf(url).query(manyRows, { rowCount: 700 });
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

/** Makes each page call fail in the given way the given number of times, and then succeed. */
function faulty(times: number, fault: Fault): void {
  const seen = new Map<string, number>();
  proxy.requests.length = 0;
  proxy.intercept = ({ method, url: path }) => {
    const count = (seen.get(path) ?? 0) + 1;
    seen.set(path, count);
    return method === 'GET' && path.includes('/results?') && count <= times ? fault : undefined;
  };
}

/** Bytes of the whole result in a format, in one request. */
async function streamed(format: 'csv' | 'ndjson'): Promise<string> {
  const chunks: Uint8Array[] = [];
  const page = { offset: 0, rowCount, format };
  for await (const chunk of clientOf(url).stream(stored.requestId, page)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function caught(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'nothing',
    (error: unknown) => error,
  );
}

describe('a cursor over a result of a server process', () => {
  test('a cursor over a result of a server process moves forward, back and anywhere, with pages of any size', async () => {
    const cursor = await clientOf(url).open(stored.requestId, { rowCount: 700 });
    const shown = (): unknown[] => [
      cursor.offset,
      cursor.page.rows.length,
      cursor.page.rows[0]?.[0],
    ];
    expect([
      cursor.totalRowCount,
      cursor.columns.map(({ dataType }) => dataType),
      ...shown(),
    ]).toEqual([rowCount, ['LONG', 'STRING', 'DOUBLE', 'TIMESTAMP'], 0, 700, 0]);
    await cursor.next();
    expect(shown()).toEqual([700, 700, 700]);
    cursor.pageSize = 10;
    await cursor.next();
    expect(shown()).toEqual([1400, 10, 1400]);
    await cursor.previous();
    expect(shown()).toEqual([1390, 10, 1390]);
    await cursor.seek(4995);
    expect(shown()).toEqual([4995, 5, 4995]);
    expect(cursor.page.rows.at(-1)).toEqual([4999, 'row 4999', 2499.5, '1970-01-01 01:23:19.0']);
    expect([await cursor.next(), cursor.offset]).toEqual([null, 4995]);
  });

  test('a cursor over a result of a server process gives every row once, in either direction', async () => {
    const cursor = await clientOf(url).open(stored.requestId, { rowCount: 999 });
    const forward: unknown[] = [];
    for await (const [n] of cursor.rows()) forward.push(n);
    expect(forward).toEqual(Array.from({ length: rowCount }, (_, index) => index));
    const backward: unknown[] = [];
    for await (const { n } of cursor.rows({ backward: true, as: 'object' })) backward.push(n);
    expect(backward).toEqual(forward.toReversed());
  });

  test('a cursor over a result of a server process keeps every digit of 64 bits, as the caller likes it', async () => {
    const sql =
      'SELECT 9223372036854775807 AS big, 1::BIGINT AS small, [-9223372036854775808, NULL] AS list, 7::INTEGER AS i';
    const rowOf = async (integers: 'lossless' | 'bigint' | 'number') => {
      await using cursor = await clientOf(url, { integers }).query(sql);
      return cursor.page.rows[0];
    };
    expect(await rowOf('lossless')).toEqual([
      9223372036854775807n,
      1,
      [-9223372036854775808n, null],
      7,
    ]);
    expect(await rowOf('bigint')).toEqual([
      9223372036854775807n,
      1n,
      [-9223372036854775808n, null],
      7,
    ]);
    expect(await rowOf('number')).toEqual([2 ** 63, 1, [-(2 ** 63), null], 7]);
  });

  test('a cursor over a result of a server process gives Arrow that apache-arrow reads, put together from several pages', async () => {
    const table = tableFromIPC(await stored.toArrow({ pageSize: 1234 }));
    expect([table.numRows, table.schema.names, String(table.schema.fields[0]?.type)]).toEqual([
      rowCount,
      ['n', 'a "name"', 'half', 'at'],
      'Int64',
    ]);
    expect(Array.from(table.getChild('n') ?? [])).toEqual(
      Array.from({ length: rowCount }, (_, index) => BigInt(index)),
    );
    expect(table.getChild('a "name"')?.get(4321)).toBe('row 4321');
  });

  test('a cursor over a result of a server process gives JSON that is one array of objects, put together from several pages', async () => {
    const bytes = await stored.download({ format: 'json', pageSize: 1234 }).bytes();
    const rows: unknown[] = JSON.parse(new TextDecoder().decode(bytes));
    expect([rows.length, rows[0], rows.at(-1)]).toEqual([
      rowCount,
      { n: 0, 'a "name"': 'row 0', half: 0, at: '1970-01-01 00:00:00.0' },
      { n: 4999, 'a "name"': 'row 4999', half: 2499.5, at: '1970-01-01 01:23:19.0' },
    ]);
  });

  test('a cursor over a result of a server process gives Arrow without rows that keeps its columns', async () => {
    await using cursor = await clientOf(url).query('SELECT 1 AS a, NULL::VARCHAR AS b WHERE false');
    const table = tableFromIPC(await cursor.toArrow());
    expect([table.numRows, table.schema.names]).toEqual([0, ['a', 'b']]);
  });

  test('a cursor over a result of a server process is renewed, described, and deleted at the end of its block', async () => {
    const client = clientOf(url);
    const idsOf = async (): Promise<string[]> =>
      (await client.list()).map(({ requestId }) => requestId);
    let gone: ResultCursor;
    {
      await using cursor = await client.query('SELECT 42 AS answer');
      gone = cursor;
      const entry = await cursor.renew('2h');
      expect([entry.requestId, entry.rowCount]).toEqual([cursor.requestId, 1]);
      expect((await cursor.metadata())['numRowsResultSet']).toBe(1);
      expect(await idsOf()).toContain(cursor.requestId);
    }
    expect(await idsOf()).not.toContain(gone.requestId);
    const error = await caught(gone.seek(1));
    expect(error).toBeInstanceOf(QuireClientError);
    expect(error).toMatchObject({
      code: 'RESULT_DELETED',
      status: 410,
      kind: 'missing',
      retryable: false,
    });
  });

  test('a cursor over a result of a server process is missing for anybody but its owner and admins', async () => {
    const ann = new QuireClient({
      baseUrl: url,
      basic: { user: 'ann', password: testVariables.TEST_ANN_PASSWORD },
    });
    expect(await caught(ann.open(stored.requestId))).toMatchObject({
      code: 'RESULT_NOT_FOUND',
      status: 404,
    });
    expect(await caught(ann.list())).toMatchObject({ code: 'FORBIDDEN', status: 403 });
    const nobody = new QuireClient({ baseUrl: url });
    expect(await caught(nobody.open(stored.requestId))).toMatchObject({
      code: 'UNAUTHENTICATED',
      status: 401,
    });
  });
});

describe('a connection that breaks', () => {
  test.each<[string, Fault]>([
    ['before the answer', { kind: 'reset' }],
    ['in the middle of a page', { kind: 'reset', afterBytes: 1000 }],
    ['with an answer that is lost', { kind: 'lose answer' }],
    [
      'for a 503',
      { kind: 'answer', status: 503, headers: { 'retry-after': '0' }, body: 'overloaded' },
    ],
  ])('a connection that breaks: %s, is not noticed by who reads pages', async (_name, fault) => {
    const cursor = await clientOf(proxy.endpoint).open(stored.requestId, { rowCount: 1000 });
    faulty(2, fault);
    const rows: unknown[] = [];
    for await (const [n] of cursor.rows()) rows.push(n);
    expect(rows).toEqual(Array.from({ length: rowCount }, (_, index) => index));
    expect(proxy.requests.length).toBe(3 * 4);
  });

  test.each(['csv', 'ndjson'] as const)(
    'a connection that breaks in the middle of every page of a download as %s leaves no trace in it',
    async (format) => {
      const cursor = await clientOf(proxy.endpoint).open(stored.requestId);
      faulty(1, { kind: 'reset', afterBytes: 5000 });
      const bytes = await cursor.download({ format, pageSize: 1300 }).bytes();
      expect(new TextDecoder().decode(bytes)).toBe(await streamed(format));
      expect(proxy.requests.length).toBe(2 * 4);
    },
  );

  test('a connection that breaks for good lets another process go on where the download stopped', async () => {
    const cursor = await clientOf(proxy.endpoint).open(stored.requestId);
    proxy.intercept = ({ url: path }) =>
      path.includes('offset=2000') ? { kind: 'reset', afterBytes: 100 } : undefined;
    const chunks: Uint8Array[] = [];
    const download = cursor.download({ format: 'csv', pageSize: 1000 });
    const error = await caught(
      (async () => {
        for await (const chunk of download) chunks.push(chunk);
      })(),
    );
    expect(error).toMatchObject({ code: 'SERVER_UNREACHABLE', retryable: true });
    const kept = JSON.stringify(download.position);
    expect(download.position).toEqual({
      offset: 2000,
      sizeBytes: Buffer.concat(chunks).byteLength,
    });

    proxy.intercept = () => undefined;
    const later = await clientOf(proxy.endpoint).open(stored.requestId);
    const rest = await later.download({ format: 'csv', from: JSON.parse(kept) }).bytes();
    expect(Buffer.concat([...chunks, rest]).toString()).toBe(await streamed('csv'));
  });

  test('a connection that breaks never has a query run twice', async () => {
    proxy.intercept = ({ method }) => (method === 'POST' ? { kind: 'lose answer' } : undefined);
    proxy.requests.length = 0;
    expect(await caught(clientOf(proxy.endpoint).query('SELECT 1'))).toMatchObject({
      code: 'SERVER_UNREACHABLE',
    });
    expect(proxy.requests.length).toBe(1);
  });

  test('a connection that breaks is told from one that is silent: nobody waits for ever', async () => {
    proxy.intercept = () => ({ kind: 'stall' });
    const client = clientOf(proxy.endpoint, {
      headersTimeoutMs: 50,
      queryTimeoutMs: 60,
      retry: { attemptsMax: 1 },
    });
    expect(await caught(client.metadata(stored.requestId))).toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: `${proxy.endpoint} has sent nothing for 0.05 s.`,
    });
    expect(await caught(client.query('SELECT 1'))).toMatchObject({
      message: `${proxy.endpoint} has sent nothing for 0.06 s.`,
    });
    proxy.intercept = () => undefined;
  });
});

test('a proxy is told where the result is, with every call about it', async () => {
  proxy.intercept = () => undefined;
  proxy.requests.length = 0;
  {
    await using cursor = await clientOf(proxy.endpoint).query('SELECT range FROM range(10)', {
      rowCount: 2,
    });
    await cursor.next();
    await cursor.metadata();
    await cursor.renew('1h');
    await cursor.toArrow();
  }
  const routes = proxy.requests.map(({ method, headers }) => [
    method,
    headers['forward_host'],
    headers['forward_port'],
  ]);
  const { port } = new URL(url);
  const [, host] = routes[1] ?? [];
  expect(host).toBeTruthy();
  expect(routes).toEqual([
    ['POST', undefined, undefined],
    ...['GET', 'GET', 'PATCH', 'GET', 'DELETE'].map((method) => [method, host, port]),
  ]);
});
