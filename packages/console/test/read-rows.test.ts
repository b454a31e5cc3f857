import { expect, test } from 'vitest';
import { shownEndMs } from '../app/results/stored-over-time.ts';
import { readRows } from '../app/tables/read-rows.ts';

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
  expect([readRows(text).rows.length, readRows(text, Infinity).rows.length]).toEqual([500, 501]);
});

test('a chart of storage ends where all but one long-lived result have gone', () => {
  const at = (...times: readonly number[]) => times.map((timeMs) => ({ timeMs, bytes: 1 }));
  expect(shownEndMs(at(0, 100, 200), 50)).toBe(200);
  expect(shownEndMs(at(0, 100, 10_000), 50)).toBe(125);
  expect(shownEndMs(at(0, 10_000), 50)).toBe(10_000);
  expect(shownEndMs(at(0, 10, 10_000), 50)).toBe(10_000);
});
