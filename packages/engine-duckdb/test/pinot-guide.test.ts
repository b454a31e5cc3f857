import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { aggregateNames } from '../src/pinot/functions/aggregates.ts';
import { windowFunctions } from '../src/pinot/functions/windows.ts';
import { scalarFunctions } from '../src/pinot/functions/scalar-functions.ts';

test('the guide names the functions that there are, and no others', async () => {
  const guide = await readFile(new URL('../PINOT.md', import.meta.url), 'utf8');
  const [, section = ''] = guide.split('## Functions');
  const [listed = ''] = section.split('Not supported:');
  const named = new Set([...listed.matchAll(/`([A-Z0-9]+)`/g)].map(([, name]) => name));
  const suffixes =
    /(?<=^ARRAY(?:REVERSE|SORT|DISTINCT|CONTAINS|INDEXOF|REMOVE|SLICE|CONCAT|UNION|ELEMENTAT))(?:INT|LONG|FLOAT|DOUBLE|STRING)$/;
  const known = [
    ...Object.keys(scalarFunctions),
    ...aggregateNames,
    ...Object.keys(windowFunctions),
  ].map((name) =>
    name.replace(suffixes, '').replace(/(?<=EPOCH)(?:MINUTES|HOURS|DAYS)/, 'SECONDS'),
  );
  const words =
    'COALESCE NULLIF ISNULL ISNOTNULL LIKE CASE CAST MV MINUTES HOURS DAYS INT LONG FLOAT DOUBLE STRING'.split(
      ' ',
    );
  expect(known.filter((name) => !named.has(name))).toEqual([]);
  expect(
    [...named].filter((name) => !known.includes(String(name)) && !words.includes(String(name))),
  ).toEqual([]);
});
