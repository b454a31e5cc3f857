import { expect, test } from 'vitest';
import { fieldsOf, run } from '../run.ts';

test('maps become columns whose names are the way to their values', async () => {
  const row = { id: 1, user: { name: 'x', home: { city: 'y' } }, empty: {} };
  expect(await fieldsOf([row], { ingestion: { complexTypeConfig: {} } })).toEqual([
    { id: 1, 'user.name': 'x', 'user.home.city': 'y' },
  ]);
  expect(await fieldsOf([row], { ingestion: { complexTypeConfig: { delimiter: '__' } } })).toEqual([
    { id: 1, user__name: 'x', user__home__city: 'y' },
  ]);
});

test('without a config for complex types, nothing is flattened', async () => {
  expect(await fieldsOf([{ user: { name: 'x' } }])).toEqual([{ user: { name: 'x' } }]);
});

test.each([
  ['NONE', [1, 2], [{ a: 1 }]],
  ['NON_PRIMITIVE', [1, 2], '[{"a":1}]'],
  [undefined, [1, 2], '[{"a":1}]'],
  ['ALL', '[1,2]', '[{"a":1}]'],
])(
  'collections that are not unnested become JSON by the mode %s',
  async (collectionNotUnnestedToJson, numbers, maps) => {
    const ingestion = { complexTypeConfig: { collectionNotUnnestedToJson } };
    expect(await fieldsOf([{ in: { numbers: [1, 2], maps: [{ a: 1 }] } }], { ingestion })).toEqual([
      { 'in.numbers': numbers, 'in.maps': maps },
    ]);
  },
);

test('a value that is nested too deep fails its row, or leaves it incomplete', async () => {
  let deep: object = { end: 1 };
  for (let depth = 0; depth < 200; depth += 1) deep = { d: deep };
  const failed = await run([{ deep: deep as never }], { ingestion: { complexTypeConfig: {} } });
  expect(failed.counts).toEqual({
    read: 1,
    unnested: 0,
    filtered: 0,
    failed: 1,
    incomplete: 0,
    sanitized: 0,
  });
  expect(failed.dropped[0]?.reason).toMatch(/nested more than 100 levels deep/);
  const kept = await run([{ deep: deep as never, id: 1 }], {
    ingestion: { complexTypeConfig: {}, continueOnError: true },
  });
  expect(kept.rows).toEqual([
    {
      sourceIndex: 0,
      fields: { deep: null, id: 1 },
      nullFields: [],
      isIncomplete: true,
      isSanitized: false,
    },
  ]);
});
