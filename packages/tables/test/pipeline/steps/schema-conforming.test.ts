import { expect, test } from 'vitest';
import { column, run } from '../run.ts';

const row = {
  id: 1,
  user: { name: 'x', age: 3, home: { city: 'y' } },
  debug: { trace: 't' },
  raw_noindex: { big: 'z' },
  b: { c_noindex: 1, d: 2 },
};

async function conform(
  schemaConformingTransformerConfig: object,
  dimensions = ['id', 'user.name', 'extras', 'noindex'],
) {
  const { rows, findings, dropped } = await run([row], {
    ingestion: { schemaConformingTransformerConfig },
    dimensions: dimensions.map((name) => column(name, 'STRUCT')),
  });
  return {
    fields: rows[0]?.fields,
    findings,
    reasons: dropped.map(({ reason }) => reason),
  };
}

const config = {
  indexableExtrasField: 'extras',
  unindexableExtrasField: 'noindex',
  unindexableFieldSuffix: '_noindex',
  fieldPathsToDrop: ['debug'],
};

test('values go to the column of their path, and what no column is for to the extras', async () => {
  const { fields } = await conform(config);
  expect(fields).toEqual({
    id: 1,
    'user.name': 'x',
    extras: { user: { age: 3, home: { city: 'y' } }, b: { d: 2 } },
    noindex: { raw_noindex: { big: 'z' }, b: { c_noindex: 1 } },
  });
});

test('paths may have other columns, be kept twice, or only be searched', async () => {
  const { fields } = await conform(
    {
      ...config,
      columnNameToJsonKeyPathMap: { city: 'user.home.city' },
      fieldsToDoubleIngest: ['user.name'],
      fieldPathsToSkipStorage: ['user.age'],
      fieldPathsToDrop: ['debug', 'raw_noindex', 'b.c_noindex'],
      enableUnindexableExtras: false,
    },
    ['id', 'user.name', 'city', 'extras', '__mergedTextIndex'],
  );
  expect(fields).toEqual({
    id: 1,
    'user.name': 'x',
    city: 'y',
    extras: { user: { name: 'x' }, b: { d: 2 } },
    __mergedTextIndex: '3:user.age y:city x:user.name 2:b.d 1:id',
  });
});

test('what would go to extras that are turned off fails the row, as in the engine', async () => {
  const { fields, reasons } = await conform({ ...config, enableUnindexableExtras: false });
  expect(fields).toBeUndefined();
  expect(reasons).toEqual([
    'raw_noindex has no column, and the config disables the extras that would hold it.',
  ]);
});
