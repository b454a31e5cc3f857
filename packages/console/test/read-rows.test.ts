import { expect, test } from 'vitest';
import { shownEndMs } from '../app/results/stored-over-time.ts';
import { delimiterOfFile, likelyDelimiter } from '../app/tables/delimiter.ts';
import { isCsv, readRows } from '../app/tables/read-rows.ts';

test('an object over several lines is one row', () => {
  expect(readRows('{\n  "a": 1\n}\n')).toEqual({ rows: [{ a: 1 }], lines: [1] });
});

test('a text without rows is answered by how rows are written', () => {
  expect(readRows('"a": 1').problem).toMatch(
    /^No rows can be read: expected JSON objects .* or CSV/,
  );
});

test('a preview reads the first rows, a load all of them', () => {
  const text = '{"a":1}\n'.repeat(501);
  expect([readRows(text).rows.length, readRows(text, { rowsMax: Infinity }).rows.length]).toEqual([
    500, 501,
  ]);
});

test.each([
  ['a,b;c', ','],
  ['a;b\n1,5;2,5,7\n', ';'],
  ['"a,b,c"\td\n', '\t'],
  ['a|b|c,d', '|'],
  ['alone\n1', ','],
])('the likely delimiter of %j is %j', (text, delimiter) => {
  expect(likelyDelimiter(text)).toBe(delimiter);
});

test('CSV is read with the chosen delimiter', () => {
  expect(readRows('a;b\n1,5;"x;y"\n', { delimiter: ';' }).rows).toEqual([{ a: '1,5', b: 'x;y' }]);
  expect([' {"a":1}', '\n[1]', '', '\ta\tb'].map(isCsv)).toEqual([false, false, false, true]);
});

test('files of CSV have a delimiter, and others have none', async () => {
  const likely = ['a.csv', 'a.txt', 'a.csv.gz', 'a.jsonl', 'a.parquet'].map((name) =>
    delimiterOfFile(new File(['a;b\n'], name)),
  );
  expect(await Promise.all(likely)).toEqual([';', ';', ',', undefined, undefined]);
  const long = new File([`a;b${'x'.repeat(20_000)}`], 'a.csv');
  expect(await delimiterOfFile(long)).toBe(';');
});

test('a chart of storage ends where all but one long-lived result have gone', () => {
  const at = (...times: readonly number[]) => times.map((timeMs) => ({ timeMs, bytes: 1 }));
  expect(shownEndMs(at(0, 100, 200), 50)).toBe(200);
  expect(shownEndMs(at(0, 100, 10_000), 50)).toBe(125);
  expect(shownEndMs(at(0, 10_000), 50)).toBe(10_000);
  expect(shownEndMs(at(0, 10, 10_000), 50)).toBe(10_000);
});
