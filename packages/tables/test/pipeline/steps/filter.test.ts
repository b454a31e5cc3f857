import { expect, test } from 'vitest';
import { run } from '../run.ts';

const filter = (filterFunction: string) => ({ filterConfig: { filterFunction } });

test('rows for which the filter is true are dropped; false and null keep them', async () => {
  const { rows, counts, dropped } = await run([{ a: 1 }, { a: 2 }, {}], {
    ingestion: filter('a > 1'),
  });
  expect(rows.map(({ sourceIndex }) => sourceIndex)).toEqual([0, 2]);
  expect(counts).toEqual({
    read: 3,
    unnested: 0,
    filtered: 1,
    failed: 0,
    incomplete: 0,
    sanitized: 0,
  });
  expect(dropped).toEqual([
    { sourceIndex: 1, step: 'filter', kind: 'filtered', reason: 'the filter is true' },
  ]);
});

test('it sees what transforms made, and values before their types are those of the schema', async () => {
  const transformConfigs = [{ columnName: 'b', transformFunction: 'upper(a)' }];
  const { rows } = await run([{ a: 'x' }, { a: 'y' }], {
    ingestion: { ...filter("b IS NOT DISTINCT FROM 'X'"), transformConfigs },
  });
  expect(rows.map(({ fields }) => fields)).toEqual([{ a: 'y', b: 'Y' }]);
});

test('a filter that fails on a row fails it, or keeps it as incomplete', async () => {
  const failing = filter('a + 1 > 0');
  expect((await run([{ a: 'x' }], { ingestion: failing })).counts.failed).toBe(1);
  const kept = await run([{ a: 'x' }], { ingestion: { ...failing, continueOnError: true } });
  expect(kept.rows.map(({ fields, isIncomplete }) => [fields, isIncomplete])).toEqual([
    [{ a: 'x' }, true],
  ]);
});

test('a filter that cannot be read is a finding, and drops nothing', async () => {
  const { findings, rows } = await run([{ a: 1 }], { ingestion: filter('Groovy({a > 1}, a)') });
  expect(findings.map(({ path, code }) => [path, code])).toEqual([
    ['/ingestionConfig/filterConfig/filterFunction', 'EXPRESSION_GROOVY'],
  ]);
  expect(rows).toHaveLength(1);
});
