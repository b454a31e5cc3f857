import { expect, test } from 'vitest';
import { compatibilities, rowOf, tableMarks } from '../client/compatibility.ts';
import { textOf } from './repository-files.ts';

/** Rows without the padding that a formatter adds to their cells. */
const cellsOf = (row: string): string[] => row.split('|').map((cell) => cell.trim());

test('each row of the table of clients names a suite that there is', () => {
  const readme = textOf('packages/client/README.md');
  const table = readme.slice(readme.indexOf(tableMarks[0]), readme.indexOf(tableMarks[1]));
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
  expect(rows.length).toBeGreaterThan(0);
  const known = compatibilities.map((each) => cellsOf(rowOf(each)));
  for (const row of rows) expect(known).toContainEqual(cellsOf(row));
  for (const { file, suite } of compatibilities) {
    expect([file, textOf(file)]).toEqual([file, expect.stringContaining(suite)]);
  }
});
