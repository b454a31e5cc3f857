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
const json = '[[7, 9223372036854775807, [1, null, -9223372036854775808], [[2]], "12.50"], [null, 1, null, [], null]]';

function decoded(integers?: IntegerMode) {
  return decodeRows(columns, parseLosslessJson(json) as never, integers);
}

describe('a cell of 64 bits', () => {
  it('is a number where a number holds all of it, else a bigint', () => {
    const expected = [
      [7, 9223372036854775807n, [1, null, -9223372036854775808n], [[2]], '12.50'],
      [null, 1, null, [], null],
    ];
    expect(decoded()).toEqual(expected);
    expect(decoded('lossless')).toEqual(expected);
  });

  it('is always a bigint when asked for, and what has 32 bits is not', () => {
    expect(decoded('bigint')).toEqual([
      [7, 9223372036854775807n, [1n, null, -9223372036854775808n], [[2n]], '12.50'],
      [null, 1n, null, [], null],
    ]);
  });

  it('is always a number when asked for: the nearest one', () => {
    expect(decoded('number')).toEqual([
      [7, 2 ** 63, [1, null, -(2 ** 63)], [[2]], '12.50'],
      [null, 1, null, [], null],
    ]);
  });

  it.each<[IntegerMode, unknown]>([
    ['lossless', 9223372036854775807n],
    ['bigint', 9223372036854775807n],
    ['number', 2 ** 63],
  ])('of a page is as the client’s option %s says', async (integers, cell) => {
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
