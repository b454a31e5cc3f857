import type { CursorResponse } from '@quire/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scriptedRowsJson } from '../../../test/src/testkit/broker-engine.ts';
import { brokerId, TestBroker } from '../../../test/src/testkit/broker-server.ts';

const total = 2500;
let broker: TestBroker;
let requestId: string;
let path: string;

beforeAll(async () => {
  broker = await TestBroker.start();
  requestId = await broker.stored(total);
  path = `/query/${requestId}/results`;
});

afterAll(async () => {
  await broker[Symbol.asyncDispose]();
});

describe('a page', () => {
  test.each([
    { query: '?offset=0', offset: 0, end: 100, next: 'offset=100&numRows=100', prev: null },
    {
      query: '?offset=0&numRows=0',
      offset: 0,
      end: 100,
      next: 'offset=100&numRows=100',
      prev: null,
    },
    {
      query: '?offset=50&numRows=7',
      offset: 50,
      end: 57,
      next: 'offset=57&numRows=7',
      prev: 'offset=43&numRows=7',
    },
    {
      query: '?offset=3&numRows=7',
      offset: 3,
      end: 10,
      next: 'offset=10&numRows=7',
      prev: 'offset=0&numRows=3',
    },
    {
      query: '?offset=1000&numRows=1500',
      offset: 1000,
      end: 2500,
      next: null,
      prev: 'offset=0&numRows=1000',
    },
    {
      query: '?offset=2499&numRows=1',
      offset: 2499,
      end: 2500,
      next: null,
      prev: 'offset=2498&numRows=1',
    },
    {
      query: '?offset=2498&numRows=1',
      offset: 2498,
      end: 2499,
      next: 'offset=2499&numRows=1',
      prev: 'offset=2497&numRows=1',
    },
    {
      query: '?offset=2500&numRows=10',
      offset: 2500,
      end: 2500,
      next: null,
      prev: 'offset=2490&numRows=10',
    },
    { query: '?offset=0&numRows=2147483648', offset: 0, end: 2500, next: null, prev: null },
    {
      query: '?offset=1&numRows=9007199254740993',
      offset: 1,
      end: 2500,
      next: null,
      prev: 'offset=0&numRows=1',
    },
    {
      query: '?numRows=2&offset=007',
      offset: 7,
      end: 9,
      next: 'offset=9&numRows=2',
      prev: 'offset=5&numRows=2',
    },
  ])('a page of $query holds rows [$offset, $end)', async ({ query, offset, end, next, prev }) => {
    const answer = await broker.call(`${path}${query}`);
    expect(answer.status).toBe(200);
    const { resultTable: _table, ...members } = answer.json();
    expect(members).toEqual({
      requestId,
      brokerId,
      numRowsResultSet: total,
      offset,
      numRows: end - offset,
      nextOffsetParams: next,
      exceptions: [],
      brokerHost: 'broker.example',
      brokerPort: broker.address.port,
      prevOffsetParams: prev,
      numServersQueried: 1,
      numServersResponded: 1,
      timeUsedMs: 12,
    });
    const rows = answer.text.slice(
      answer.text.indexOf('"rows":') + 7,
      answer.text.lastIndexOf('},"requestId"'),
    );
    expect(rows).toBe(scriptedRowsJson(offset, end));
  });

  test('a page is the same on every path that leads to it', async () => {
    const answers = await Promise.all(
      [`${path}?offset=5&numRows=9`, `${path}/?offset=5&numRows=9&format=json`].map((target) =>
        broker.call(target),
      ),
    );
    expect(answers[0]?.text).toBe(answers[1]?.text);
  });

  test('a page leads to the next one until no row follows, forward and back, whatever the page size', async () => {
    for (const rowCount of [1249, 1250, 1251, 2500, 2501, 999]) {
      const offsets: number[] = [];
      let rows = 0;
      let parameters: string | null = `offset=0&numRows=${rowCount}`;
      while (parameters !== null) {
        const page: CursorResponse = (await broker.call(`${path}?${parameters}`)).json();
        offsets.push(page.offset);
        rows += page.numRows;
        expect(page.numRows).toBeGreaterThan(0);
        parameters = page.nextOffsetParams;
      }
      expect(rows).toBe(total);
      parameters = `offset=${offsets.at(-1)}&numRows=${rowCount}`;
      const back: number[] = [];
      let rowsBack = 0;
      while (parameters !== null) {
        const page: CursorResponse = (await broker.call(`${path}?${parameters}`)).json();
        back.push(page.offset);
        rowsBack += page.numRows;
        parameters = page.prevOffsetParams;
      }
      expect(back).toEqual(offsets.toReversed());
      expect(rowsBack).toBe(total);
    }
  });
});

describe('refused are', () => {
  test.each([
    ['', 'offset is missing; expected an integer ≥ 0.'],
    ['?offset=-1', "offset is '-1'; expected an integer ≥ 0."],
    ['?offset=+1', "offset is ' 1'; expected an integer ≥ 0."],
    ['?offset=0&numRows=-5', "numRows is '-5'; expected an integer ≥ 0."],
    ['?offset=0&numRows=all', "numRows is 'all'; expected an integer ≥ 0."],
    ['?offset=0&format=orc', "format is 'orc'; expected one of json, arrow, csv, ndjson, parquet."],
  ])('the parameters %j are refused', async (query, error) => {
    const answer = await broker.call(`${path}${query}`);
    expect(answer.status).toBe(400);
    expect(answer.json()).toEqual({ code: 400, error, reason: 'INVALID_PARAMETER' });
  });

  test.each(['2501', '2147483648', '9007199254740992', '99999999999999999999999'])(
    'the offset %s, past the end',
    async (offset) => {
      const answer = await broker.call(`${path}?offset=${offset}`);
      expect(answer.status).toBe(416);
      expect(answer.json()).toEqual({
        code: 416,
        error: `offset ${offset} is past the end of the result, which has 2500 rows.`,
        reason: 'OFFSET_OUT_OF_RANGE',
      });
    },
  );

  test('media types that rows do not come in', async () => {
    const answer = await broker.call(`${path}?offset=0`, {
      headers: { accept: 'text/html, application/xml' },
    });
    expect(answer.json()).toEqual({
      code: 406,
      error:
        'Accept allows none of the formats for rows; expected application/json, application/vnd.apache.arrow.stream, text/csv, application/x-ndjson, application/vnd.apache.parquet. ' +
        'Arrow may have compression=zstd or compression=lz4.',
      reason: 'NOT_ACCEPTABLE',
    });
  });
});
