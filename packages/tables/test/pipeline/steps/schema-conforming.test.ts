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
  const { rows, findings } = await run([row], {
    ingestion: { schemaConformingTransformerConfig },
    dimensions: dimensions.map((name) => column(name, 'STRUCT')),
  });
  return { fields: rows[0]?.fields, codes: findings.map(({ code }) => code) };
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

test('paths may have other columns, be kept twice, or nowhere', async () => {
  const { fields, codes } = await conform(
    {
      ...config,
      columnNameToJsonKeyPathMap: { city: 'user.home.city' },
      fieldsToDoubleIngest: ['user.name'],
      fieldPathsToSkipStorage: ['user.age'],
      enableUnindexableExtras: false,
      mergedTextIndexField: '__mergedTextIndex',
    },
    ['id', 'user.name', 'city', 'extras'],
  );
  expect(fields).toEqual({
    id: 1,
    'user.name': 'x',
    city: 'y',
    extras: { user: { name: 'x' }, b: { d: 2 } },
  });
  expect(codes).toEqual(['PIPELINE_TEXT_INDEX_NOT_SHOWN']);
});
