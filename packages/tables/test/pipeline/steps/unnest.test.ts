import { expect, test } from 'vitest';
import { fieldsOf, run } from '../run.ts';

const unnest = (...fieldsToUnnest: readonly string[]) => ({
  ingestion: { complexTypeConfig: { fieldsToUnnest } },
});

test('each element of a collection becomes a row of its own', async () => {
  const row = { id: 1, items: [{ name: 'a', tags: { x: 1 } }, { name: 'b' }] };
  expect(await fieldsOf([row], unnest('items'))).toEqual([
    { id: 1, 'items.name': 'a', 'items.tags.x': 1 },
    { id: 1, 'items.name': 'b' },
  ]);
});

test('collections within collections are unnested after them, whatever the order given', async () => {
  const row = { items: [{ parts: [{ n: 1 }, { n: 2 }] }, { parts: [] }] };
  expect(await fieldsOf([row], unnest('items.parts', 'items'))).toEqual([
    { 'items.parts.n': 1 },
    { 'items.parts.n': 2 },
    { 'items.parts': [] },
  ]);
});

test('several collections give every combination', async () => {
  const rows = await fieldsOf([{ a: [1, 2], b: ['x', 'y'] }], unnest('a', 'b'));
  expect(rows).toEqual([
    { a: 1, b: 'x' },
    { a: 1, b: 'y' },
    { a: 2, b: 'x' },
    { a: 2, b: 'y' },
  ]);
});

test('a row whose collection is empty, missing or no collection goes on as one row', async () => {
  const result = await run(
    [{ id: 1, items: [] }, { id: 2 }, { id: 3, items: 'x' }],
    unnest('items'),
  );
  expect(result.rows.map(({ fields }) => fields)).toEqual([
    { id: 1, items: [] },
    { id: 2 },
    { id: 3, items: 'x' },
  ]);
  expect(result.counts.unnested).toBe(0);
});

test('more rows than the limit fail the row before they are made', async () => {
  const many = Array.from({ length: 200 }, (_, index) => index);
  const result = await run(
    [
      { a: many, b: many },
      { a: [1], b: [2] },
    ],
    unnest('a', 'b'),
  );
  expect(result.counts).toEqual({
    read: 2,
    unnested: 0,
    filtered: 0,
    failed: 1,
    incomplete: 0,
    sanitized: 0,
  });
  expect(result.dropped).toEqual([
    {
      sourceIndex: 0,
      step: 'unnest',
      kind: 'failed',
      column: 'b',
      reason: 'Unnesting b turns one row into 40000; at most 10000 are allowed.',
    },
  ]);
});
