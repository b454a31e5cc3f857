import { describe, expect, it } from 'vitest';
import { type IntegerMode, parseLosslessJson } from '../src/index.ts';
import { decodeRows } from '../src/cells.ts';
import { requestId } from './fake-result.ts';
import { QuireClient } from '../src/quire-client.ts';

const columns = [
  { name: 'i', dataType: 'INT' },
  { name: 'l', dataType: 'LONG' },
  { name: 'a', dataType: 'LONG_ARRAY' },
  { name: 'aa', dataType: 'LONG_ARRAY_ARRAY' },
  { name: 'd', dataType: 'BIG_DECIMAL' },
];
const json =
  '[[7, 9223372036854775807, [1, null, -9223372036854775808], [[2]], "12.50"], [null, 1, null, [], null]]';

function decoded(integers: IntegerMode) {
  return decodeRows(columns, parseLosslessJson(json) as never, { integers, dates: 'string' });
}

describe('a cell of 64 bits', () => {
  it('a cell of 64 bits is a number where a number holds all of it, else a bigint', () => {
    expect(decoded('lossless')).toEqual([
      [7, 9223372036854775807n, [1, null, -9223372036854775808n], [[2]], '12.50'],
      [null, 1, null, [], null],
    ]);
  });

  it('a cell of 64 bits is always a bigint when asked for, and what has 32 bits is not', () => {
    expect(decoded('bigint')).toEqual([
      [7, 9223372036854775807n, [1n, null, -9223372036854775808n], [[2n]], '12.50'],
      [null, 1n, null, [], null],
    ]);
  });

  it('a cell of 64 bits is always a number when asked for: the nearest one', () => {
    expect(decoded('number')).toEqual([
      [7, 2 ** 63, [1, null, -(2 ** 63)], [[2]], '12.50'],
      [null, 1, null, [], null],
    ]);
  });

  it.each<[IntegerMode, unknown]>([
    ['lossless', 9223372036854775807n],
    ['bigint', 9223372036854775807n],
    ['number', 2 ** 63],
  ])('a cell of 64 bits in a page is as the client’s option %s says', async (integers, cell) => {
    const body =
      '{"resultTable":{"dataSchema":{"columnNames":["l"],"columnDataTypes":["LONG"]},"rows":[[9223372036854775807]]},' +
      `"requestId":"${requestId}","brokerId":"b","numRowsResultSet":1,"offset":0,"numRows":1,"exceptions":[]}`;
    const client = new QuireClient({
      baseUrl: 'http://quire.test',
      integers,
      fetch: () => Promise.resolve(new Response(body)),
    });
    expect((await client.page(requestId, { offset: 0 })).rows).toEqual([[cell]]);
  });
});

describe('a cell of type TIMESTAMP', () => {
  const timeColumns = [
    { name: 't', dataType: 'TIMESTAMP' },
    { name: 'ts', dataType: 'TIMESTAMP_ARRAY' },
    { name: 's', dataType: 'STRING' },
  ];
  const text = '2024-02-29 12:30:00.123456';
  const rows = [
    [text, ['1969-12-31 23:59:59.9', null], text],
    [null, null, null],
  ];

  it('a cell of type TIMESTAMP is its text, with all its digits', () => {
    expect(decodeRows(timeColumns, rows, { integers: 'lossless', dates: 'string' })).toBe(rows);
  });

  it('a cell of type TIMESTAMP is a Date when asked for, to the millisecond, and a text that looks like one is not', () => {
    expect(decodeRows(timeColumns, rows, { integers: 'lossless', dates: 'date' })).toEqual([
      [new Date('2024-02-29T12:30:00.123Z'), [new Date(-100), null], text],
      [null, null, null],
    ]);
  });

  it.each<[string, number | string]>([
    ['0001-01-01 (BC) 00:00:00.0', -62_167_219_200_000],
    ['0044-03-15 (BC) 12:00:00.5', Date.UTC(-43, 2, 15, 12, 0, 0, 500)],
    ['271822-04-20 (BC) 00:00:00.0', -8_640_000_000_000_000],
    ['271822-04-19 (BC) 23:59:59.999', '271822-04-19 (BC) 23:59:59.999'],
    ['0099-03-01 00:00:00.01', -59_037_897_599_990],
    ['0002-12-31 (BC) 23:59:59.0', -62_167_219_201_000],
    ['10000-01-01 00:00:00.0', 253_402_300_800_000],
    ['275760-09-13 00:00:00.0', 8_640_000_000_000_000],
    ['275760-09-13 00:00:00.1', '275760-09-13 00:00:00.1'],
    ['infinity', 'infinity'],
  ])('a cell of type TIMESTAMP far away: %s', (time, expected) => {
    const [row] = decodeRows(timeColumns.slice(0, 1), [[time]], {
      integers: 'lossless',
      dates: 'date',
    });
    const cell = row?.[0];
    expect(cell instanceof Date ? cell.getTime() : cell).toBe(expected);
  });

  it('a cell of type TIMESTAMP in a page is as the client’s option says', async () => {
    const body = JSON.stringify({
      resultTable: {
        dataSchema: { columnNames: ['t'], columnDataTypes: ['TIMESTAMP'] },
        rows: [[text]],
      },
      requestId,
      brokerId: 'b',
      numRowsResultSet: 1,
      offset: 0,
      exceptions: [],
    });
    const client = new QuireClient({
      baseUrl: 'http://quire.test',
      dates: 'date',
      fetch: () => Promise.resolve(new Response(body)),
    });
    expect((await client.page(requestId, { offset: 0 })).rows).toEqual([
      [new Date('2024-02-29T12:30:00.123Z')],
    ]);
  });
});
