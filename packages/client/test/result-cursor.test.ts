import { describe, expect, it } from 'vitest';
import { until } from '../../../test/src/testkit/until.ts';
import type { QueryPage } from '../src/index.ts';
import { errorOf, thrownBy } from './client-of-one-answer.ts';
import { collect, FakeResult, requestId } from './fake-result.ts';

const query = (fake: FakeResult, rowCount: number) => fake.client.query('SELECT 1', { rowCount });
const firstCells = (page: QueryPage | null) => page?.rows.map(([n]) => n);

/** Answers of a server that returns rows of its own choice. */
const pageOf = (offset: number, rows: readonly unknown[]): Response => {
  const resultTable = { dataSchema: { columnNames: ['n'], columnDataTypes: ['INT'] }, rows };
  return Response.json({
    resultTable,
    requestId,
    brokerId: 'b',
    numRowsResultSet: 10,
    offset,
    numRows: rows.length,
    exceptions: [],
  });
};

describe('a cursor', () => {
  it('a cursor is at the first page, which came with the query, and knows the whole result', async () => {
    const fake = new FakeResult({ rowCount: 25 });
    const cursor = await query(fake, 10);
    const { columns, totalRowCount, pageSize, offset, broker, brokerId } = cursor;
    expect({
      requestId: cursor.requestId,
      columns,
      totalRowCount,
      pageSize,
      offset,
      broker,
      brokerId,
    }).toEqual({
      requestId,
      columns: [
        { name: 'n', dataType: 'LONG' },
        { name: 'text', dataType: 'STRING' },
      ],
      totalRowCount: 25,
      pageSize: 10,
      offset: 0,
      broker: { host: 'broker.test', port: 8099 },
      brokerId: 'Broker_quire.test_80',
    });
    expect(firstCells(cursor.page)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(fake.calls).toEqual(['POST /query/sql?doPaginate=true&numRows=10']);
  });

  it('a cursor takes the server’s page size for its own when it has none, and 10,000 when the first page does not show it', async () => {
    expect((await new FakeResult({ rowCount: 25 }).client.query('SELECT 1')).pageSize).toBe(10);
    expect((await new FakeResult({ rowCount: 5 }).client.query('SELECT 1')).pageSize).toBe(10_000);
  });

  it('a cursor moves to the next page until there is none, and stays at the last', async () => {
    const cursor = await query(new FakeResult({ rowCount: 5 }), 2);
    expect([firstCells(await cursor.next()), firstCells(await cursor.next())]).toEqual([
      [2, 3],
      [4],
    ]);
    expect([await cursor.next(), cursor.offset]).toEqual([null, 4]);
  });

  it('a cursor moves to the page before until there is none; at the start that is the rows before', async () => {
    const fake = new FakeResult({ rowCount: 50 });
    const cursor = await fake.client.open(requestId, { offset: 5, rowCount: 4 });
    expect([firstCells(await cursor.previous()), firstCells(await cursor.previous())]).toEqual([
      [1, 2, 3, 4],
      [0],
    ]);
    expect([await cursor.previous(), cursor.offset]).toEqual([null, 0]);
  });

  it('a cursor goes to any row, with another page size when wanted, and on from there', async () => {
    const cursor = await query(new FakeResult({ rowCount: 100 }), 2);
    cursor.pageSize = 3;
    expect(firstCells(await cursor.seek(50))).toEqual([50, 51, 52]);
    cursor.pageSize = 1;
    expect(firstCells(await cursor.next())).toEqual([53]);
    expect(firstCells(await cursor.previous())).toEqual([52]);
    expect(firstCells(await cursor.seek(100))).toEqual([]);
    expect(firstCells(await cursor.previous())).toEqual([99]);
  });

  it('a cursor does not ask for the page that it is at', async () => {
    const fake = new FakeResult({ rowCount: 100 });
    const cursor = await query(fake, 10);
    expect(await cursor.seek(0)).toBe(cursor.page);
    expect(fake.pages).toEqual([]);
  });

  it('a cursor goes nowhere past the end, before the start or between rows, and asks nobody about it', async () => {
    const fake = new FakeResult({ rowCount: 10 });
    const cursor = await query(fake, 10);
    expect((await errorOf(cursor.seek(11))).code).toBe('OFFSET_OUT_OF_RANGE');
    expect((await errorOf(cursor.seek(-1))).code).toBe('INVALID_PARAMETER');
    expect((await errorOf(cursor.seek(0.5))).code).toBe('INVALID_PARAMETER');
    expect(() => cursor.pages({ from: 11 })).toThrow(
      expect.objectContaining({ code: 'OFFSET_OUT_OF_RANGE' }),
    );
    expect(fake.calls.length).toBe(1);
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 53])(
    'a cursor takes no page size of %d',
    async (pageSize) => {
      const fake = new FakeResult({ rowCount: 10 });
      const cursor = await query(fake, 10);
      expect(() => {
        cursor.pageSize = pageSize;
      }).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER' }));
      expect(cursor.pageSize).toBe(10);
      expect((await errorOf(query(fake, pageSize))).code).toBe('INVALID_PARAMETER');
      expect(fake.calls.length).toBe(1);
    },
  );

  it('a cursor makes moves one after the other when they are asked for at once', async () => {
    const cursor = await query(new FakeResult({ rowCount: 10 }), 2);
    const moves = await Promise.all([
      cursor.next(),
      cursor.next(),
      cursor.previous(),
      cursor.next(),
    ]);
    expect(moves.map((page) => page?.offset)).toEqual([2, 4, 2, 4]);
  });

  it('a cursor stays where it was when a move fails, and can be moved again', async () => {
    const gone = { code: 410, error: 'It has expired.', reason: 'RESULT_EXPIRED' };
    const fake = new FakeResult({
      rowCount: 10,
      fault: (_call, index) => (index === 1 ? Response.json(gone, { status: 410 }) : undefined),
    });
    const cursor = await query(fake, 2);
    expect(await errorOf(cursor.next())).toEqual({
      code: 'RESULT_EXPIRED',
      message: 'It has expired.',
    });
    expect(cursor.offset).toBe(0);
    expect(firstCells(await cursor.next())).toEqual([2, 3]);
  });

  it('a cursor tells a proxy with every call where the result is', async () => {
    const fake = new FakeResult({ rowCount: 10 });
    const cursor = await query(fake, 2);
    await cursor.next();
    await cursor.metadata();
    await collect(cursor.download({ format: 'csv' }));
    await cursor.delete();
    expect(
      fake.headers
        .slice(1)
        .map((headers) => [headers.get('forward_host'), headers.get('forward_port')]),
    ).toEqual(Array.from({ length: 4 }, () => ['broker.test', '8099']));
    expect(fake.headers[0]?.has('forward_host')).toBe(false);
  });

  it('a cursor takes no other page for the one that was asked for', async () => {
    const wrong = new FakeResult({
      rowCount: 10,
      fault: (call) => (call.includes('offset=2') ? pageOf(4, []) : undefined),
    });
    expect(await errorOf((await query(wrong, 2)).next())).toEqual({
      code: 'UNEXPECTED_RESPONSE',
      message: `Requested row 2 of ${requestId}, but received row 4 of ${requestId}.`,
    });
  });
});

describe('walking through a result', () => {
  it('walking through a result misses no row where a page is shorter than asked for', async () => {
    const short = new FakeResult({
      rowCount: 10,
      fault: (call) => (call.includes('offset=4') ? pageOf(4, [[4]]) : undefined),
    });
    expect(await errorOf(collect((await query(short, 2)).rows()))).toEqual({
      code: 'UNEXPECTED_RESPONSE',
      message: `Requested 2 rows from row 4 of ${requestId}, but received 1.`,
    });
  });

  it('walking through a result gives every page once, and uses the one at hand', async () => {
    const fake = new FakeResult({ rowCount: 5 });
    const cursor = await query(fake, 2);
    expect((await collect(cursor)).map(firstCells)).toEqual([[0, 1], [2, 3], [4]]);
    expect(fake.pages).toEqual(['2+2', '4+1']);
    expect(cursor.offset).toBe(0);
  });

  it('walking through a result goes backward without an overlap, from the end or from a row', async () => {
    const cursor = await query(new FakeResult({ rowCount: 5 }), 2);
    expect((await collect(cursor.pages({ backward: true }))).map(firstCells)).toEqual([
      [3, 4],
      [1, 2],
      [0],
    ]);
    expect(
      (await collect(cursor.pages({ backward: true, from: 3, to: 1 }))).map(firstCells),
    ).toEqual([[1, 2]]);
  });

  it('walking through a result gives the rows of a stretch', async () => {
    const cursor = await query(new FakeResult({ rowCount: 50 }), 3);
    expect((await collect(cursor.rows({ from: 10, to: 15 }))).map(([n]) => n)).toEqual([
      10, 11, 12, 13, 14,
    ]);
    expect(
      (await collect(cursor.rows({ from: 15, to: 10, backward: true }))).map(([n]) => n),
    ).toEqual([14, 13, 12, 11, 10]);
    expect(await collect(cursor.rows({ from: 48, as: 'object' }))).toEqual([
      { n: 48, text: 'row 48' },
      { n: 49, text: 'row 49' },
    ]);
  });

  it('walking through a result gives nothing of nothing', async () => {
    const cursor = await query(new FakeResult({ rowCount: 0 }), 3);
    expect([
      await collect(cursor),
      await collect(cursor.rows()),
      await collect(cursor.pages({ backward: true })),
    ]).toEqual([[], [], []]);
  });

  it('walking through a result reads one page ahead, and no more', async () => {
    const fake = new FakeResult({ rowCount: 100 });
    const pages = (await query(fake, 2)).pages();
    await pages.next();
    await pages.next();
    await fake.clock.advance(0);
    expect(fake.pages).toEqual(['2+2', '4+2']);
    await pages.return();
    await fake.clock.advance(0);
    expect(fake.pages).toEqual(['2+2', '4+2']);
  });

  it('walking through a result gives up what it reads ahead when the loop is left, and when it is aborted', async () => {
    const signals: AbortSignal[] = [];
    const fake = new FakeResult({
      rowCount: 100,
      client: {
        fetch: (input, init) => {
          if (init?.signal) signals.push(init.signal);
          const request = new Request(input, init);
          return request.method === 'POST'
            ? Promise.resolve(Response.json(firstPage))
            : new Promise((_resolve, reject) => {
                request.signal.addEventListener('abort', () =>
                  reject(new DOMException('Aborted', 'AbortError')),
                );
              });
        },
      },
    });
    const cursor = await query(fake, 1);
    for await (const page of cursor) {
      await until(() => signals.length === 2, 'the next page is asked for');
      if (page.offset === 0) break;
    }
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);

    const aborter = new AbortController();
    const walk = thrownBy(collect(cursor.rows({ from: 1, signal: aborter.signal })));
    aborter.abort();
    expect(await walk).toBe(aborter.signal.reason);
    const late = cursor.pages({ signal: aborter.signal });
    expect(await thrownBy(late.next())).toBe(aborter.signal.reason);
  });
});

const firstPage = {
  resultTable: { dataSchema: { columnNames: ['n'], columnDataTypes: ['INT'] }, rows: [[0]] },
  requestId,
  brokerId: 'Broker_quire.test_80',
  numRowsResultSet: 100,
  offset: 0,
  numRows: 1,
  exceptions: [],
};

describe('rows as objects', () => {
  it('rows as objects are refused when two columns have one name, and take any name', async () => {
    const answer = (columnNames: string[]) =>
      Response.json({
        ...firstPage,
        resultTable: {
          dataSchema: { columnNames, columnDataTypes: ['INT', 'INT'] },
          rows: [[1, 2]],
        },
      });
    const walk = async (...names: string[]) => {
      const fake = new FakeResult({ rowCount: 1, fault: () => answer(names) });
      const cursor = await query(fake, 1);
      return collect(cursor.rows({ as: 'object', to: 1 }));
    };
    expect(await errorOf(walk('a', 'a'))).toEqual({
      code: 'INVALID_PARAMETER',
      message:
        "Two columns have the name 'a': give them different names in the SQL, or read rows as arrays.",
    });
    const [row] = await walk('__proto__', 'b');
    expect(Object.entries(row ?? {})).toEqual([
      ['__proto__', 1],
      ['b', 2],
    ]);
  });
});

describe('the end of a cursor’s block', () => {
  const callsOf = async (fake: FakeResult, options: { keep?: boolean }) => {
    {
      await using _cursor = await fake.client.query('SELECT 1', options);
    }
    return fake.calls.slice(1);
  };

  it('the end of a cursor’s block deletes the result of a query, unless it is to be kept', async () => {
    expect(await callsOf(new FakeResult({ rowCount: 1 }), {})).toEqual([
      `DELETE /query/resultStore/${requestId}`,
    ]);
    expect(await callsOf(new FakeResult({ rowCount: 1 }), { keep: true })).toEqual([]);
  });

  it('the end of a cursor’s block keeps a result that was opened, unless it is not to be kept', async () => {
    const fake = new FakeResult({ rowCount: 1 });
    {
      await using _kept = await fake.client.open(requestId);
      await using _deleted = await fake.client.open(requestId, { keep: false });
    }
    expect(fake.calls.filter((call) => call.startsWith('DELETE')).length).toBe(1);
  });

  it.each([
    [
      'is gone already',
      Response.json({ code: 410, error: 'Deleted.', reason: 'RESULT_DELETED' }, { status: 410 }),
    ],
    ['cannot be reached', new TypeError('fetch failed')],
  ])('the end of a cursor’s block is quiet about a result that %s', async (_name, failure) => {
    const fake = new FakeResult({
      rowCount: 1,
      fault: (call) => (call.startsWith('DELETE') ? failure : undefined),
    });
    expect((await callsOf(fake, {})).length).toBe(1);
  });

  it('the end of a cursor’s block fails when the result may not be deleted', async () => {
    const refusal = Response.json(
      { code: 403, error: 'No.', reason: 'FORBIDDEN' },
      { status: 403 },
    );
    const fake = new FakeResult({
      rowCount: 1,
      fault: (call) => (call.startsWith('DELETE') ? refusal : undefined),
    });
    expect(await errorOf(callsOf(fake, {}))).toEqual({ code: 'FORBIDDEN', message: 'No.' });
  });
});
