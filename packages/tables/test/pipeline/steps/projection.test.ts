import { expect, test } from 'vitest';
import { column, run } from '../run.ts';

test('only the columns of the schema are kept, and the others are named', async () => {
  const { rows, changes } = await run(
    [
      { a: 'x', b: 1 },
      { a: 'y', b: 2 },
    ],
    { dimensions: [column('a')] },
  );
  expect(rows.map(({ fields }) => fields)).toEqual([{ a: 'x' }, { a: 'y' }]);
  expect(changes).toEqual([
    {
      step: 'projection',
      kind: 'removed',
      column: 'b',
      count: 2,
      examples: [
        { sourceIndex: 0, before: 1, reason: 'not in the schema' },
        { sourceIndex: 1, before: 2, reason: 'not in the schema' },
      ],
    },
  ]);
});

test('a name that objects inherit is a field like any other', async () => {
  const row = JSON.parse('{"__proto__": {"x": 1}, "constructor": 1}') as Record<string, number>;
  const { rows } = await run([row], {
    ingestion: { complexTypeConfig: {} },
    dimensions: [column('__proto__.x', 'INT'), column('toString')],
  });
  expect(rows.map(({ fields }) => Object.entries(fields))).toEqual([
    [
      ['__proto__.x', 1],
      ['toString', 'null'],
    ],
  ]);
});
