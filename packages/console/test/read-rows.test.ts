import { expect, test } from 'vitest';
import { shownEndMs } from '../app/results/stored-over-time.ts';
import { delimiterOfFile, likelyDelimiter } from '../app/tables/delimiter.ts';
import { exactJson, parseDocument } from '../app/tables/exact-json.ts';
import { isCsv, pastedFile, readRows } from '../app/tables/read-rows.ts';

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

const long = [9_007_199_254_740_993n, 9_223_372_036_854_775_807n];

test.each([
  ['lines', `{"id":${long[0]}}\n{"id":${long[1]}}`],
  ['an array', `[{"id":${long[0]}},{"id":${long[1]}}]`],
])('%s of JSON keep all digits of their integers', (_form, text) => {
  expect(readRows(text).rows).toEqual([{ id: long[0] }, { id: long[1] }]);
});

test('an object over several lines, a schema and a config keep all digits of their integers', () => {
  expect(readRows(`{\n"id": ${long[0]}\n}`).rows).toEqual([{ id: long[0] }]);
  const document = `{"defaultNullValue":${long[0]}}`;
  expect(exactJson(parseDocument(document, 'schema'))).toBe(document);
  expect(() => parseDocument('{', 'schema')).toThrow(/^The schema is not JSON: /);
});

test.each([
  ['a,a,b\n1,2,0.12345678901234567891\n', 'rows.csv', ','],
  [`{"id":${long[0]},"n":0.12345678901234567891}`, 'rows.json', undefined],
  ['[{"a":1}]', 'rows.json', undefined],
])('the pasted text %j is loaded as it is', async (text, name, delimiter) => {
  const file = pastedFile(text, delimiter);
  expect({ ...file, content: await file.content.text() }).toEqual({
    name,
    content: text,
    delimiter,
  });
});

test('a text with a row that cannot be read is not loaded, however late the row is', () => {
  const lines = Array.from({ length: 1000 }, (_, index) => `{"a":${index}}`);
  const broken = lines.with(700, '{"a":700,');
  expect(readRows(broken.join('\n')).problem).toBeUndefined();
  expect(() => pastedFile(broken.join('\n'), undefined)).toThrow(
    /^No row was loaded: Line 701 is not JSON: /,
  );
  expect(() => pastedFile('[{"a":1},2,{"a":3}]', undefined)).toThrow(
    'No row was loaded: Item 2 of the array is not an object.',
  );
});

test('the rows of an array have their places in it', () => {
  expect(readRows('[{"a":1},2,{"a":3}]')).toEqual({
    rows: [{ a: 1 }, { a: 3 }],
    lines: [1, 3],
    problem: 'Item 2 of the array is not an object.',
  });
});

test('columns of CSV with the same name, or with none, have the names that a load gives them', () => {
  expect(readRows('a,a,,a_2\n1,2,3,4\n').rows).toEqual([{ a: 1, a_2: 2, column_3: 3, a_2_2: 4 }]);
});

test.each([
  ['123456789012345', 123_456_789_012_345],
  ['-0.123456789012345', -0.123456789012345],
  ['12.500000000000000', 12.5],
  ['1234567890123456', '1234567890123456'],
  ['123456789012345.123456789012345', '123456789012345.123456789012345'],
  ['0.1234567890123456', '0.1234567890123456'],
])('a column of CSV with %s holds %j: a number would not keep more digits', (cell, value) => {
  expect(readRows(`p\n${cell}\n`).rows).toEqual([{ p: value }]);
});

test('files of CSV have a delimiter, and others have none', async () => {
  const likely = ['a.csv', 'a.txt', 'a.csv.gz', 'a.jsonl', 'a.parquet'].map((name) =>
    delimiterOfFile(new File(['a;b\n'], name)),
  );
  expect(await Promise.all(likely)).toEqual([';', ';', ',', undefined, undefined]);
  const wide = new File([`a;b${'x'.repeat(20_000)}`], 'a.csv');
  expect(await delimiterOfFile(wide)).toBe(';');
});

test('a chart of storage ends where all but one long-lived result have gone', () => {
  const at = (...times: readonly number[]) => times.map((timeMs) => ({ timeMs, bytes: 1 }));
  expect(shownEndMs(at(0, 100, 200), 50)).toBe(200);
  expect(shownEndMs(at(0, 100, 10_000), 50)).toBe(125);
  expect(shownEndMs(at(0, 10_000), 50)).toBe(10_000);
  expect(shownEndMs(at(0, 10, 10_000), 50)).toBe(10_000);
});
