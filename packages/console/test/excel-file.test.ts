import { readXlsx, writeXlsxStream } from 'hucre/xlsx';
import { expect, test } from 'vitest';
import { excelCell } from '../app/query/excel-file.ts';

test.each([
  [null, 'STRING', null],
  [true, 'BOOLEAN', true],
  [7, 'INT', 7],
  [0.1, 'DOUBLE', 0.1],
  [1 / 3, 'DOUBLE', 1 / 3],
  ['NaN', 'DOUBLE', 'NaN'],
  [123_456_789_012_345n, 'LONG', 123_456_789_012_345],
  [-9_007_199_254_740_993n, 'LONG', '-9007199254740993'],
  ['12.50', 'BIG_DECIMAL', 12.5],
  ['0.00000000000000012', 'BIG_DECIMAL', 1.2e-16],
  ['1234567890.1234567', 'BIG_DECIMAL', '1234567890.1234567'],
  ['2024-02-29', 'DATE', new Date(Date.UTC(2024, 1, 29))],
  ['2024-02-29 23:59:59.123', 'TIMESTAMP', new Date(Date.UTC(2024, 1, 29, 23, 59, 59, 123))],
  ['2024-02-29 23:59:59.123456', 'TIMESTAMP', '2024-02-29 23:59:59.123456'],
  ['1899-12-31', 'DATE', '1899-12-31'],
  ['=1+1', 'STRING', '=1+1'],
  ['x'.repeat(40_000), 'STRING', 'x'.repeat(32_767)],
  [`${'x'.repeat(32_766)}😀`, 'STRING', 'x'.repeat(32_766)],
  [[1n, 'a'], 'STRING_ARRAY', '[1,"a"]'],
])('Excel holds %s of %s as %s', (value, dataType, cell) => {
  expect(excelCell(value, dataType)).toEqual(cell);
});

test('a workbook has texts as they are, none of them a formula, and times as times', async () => {
  const time = new Date(Date.UTC(2024, 1, 29, 23, 59, 59, 123));
  const row = ['=1+1', 'a\u0001<&>"b\n', 12.5, true, null, time, '_x0041_ _x005f_'];
  const columns = row.map((_cell, index) => ({
    header: `=c${index}`,
    ...(index === 5 && { numFmt: 'yyyy-mm-dd hh:mm:ss.000' }),
  }));
  const cells = row.map((cell) => (typeof cell === 'string' ? excelCell(cell, 'STRING') : cell));
  const stream = writeXlsxStream([cells], { name: 'Result', columns });
  const bytes = new Uint8Array(await new Response(stream as ReadableStream).arrayBuffer());
  const { sheets } = await readXlsx(bytes);
  expect(sheets[0]?.rows[0]).toEqual(['=c0', '=c1', '=c2', '=c3', '=c4', '=c5', '=c6']);
  expect(sheets[0]?.rows[1]).toEqual(row);
});
