import { expect, test } from 'vitest';
import { fieldsOf, run } from '../run.ts';

const rename = (prefixesToRename: Record<string, string>) => ({
  complexTypeConfig: { prefixesToRename },
});

test('columns whose names begin with a prefix get another beginning', async () => {
  const row = { payload: { user: { name: 'x' } }, other: 1 };
  expect(await fieldsOf([row], { ingestion: rename({ 'payload.': '' }) })).toEqual([
    { 'user.name': 'x', other: 1 },
  ]);
  expect(await fieldsOf([row], { ingestion: rename({ payload: 'p', user: 'u' }) })).toEqual([
    { 'p.user.name': 'x', other: 1 },
  ]);
});

test('a name that is taken, or none, is an error of the column', async () => {
  const { dropped } = await run([{ 'a.x': 1, x: 2 }, { 'a.': 1 }], {
    ingestion: rename({ 'a.': '' }),
  });
  expect(dropped.map(({ column, reason }) => [column, reason])).toEqual([
    ['a.x', 'a.x cannot be renamed: ‘x’ is taken.'],
    ['a.', 'a. cannot be renamed: ‘’ is not a name.'],
  ]);
});
