import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageFormats } from '@quire/core/wire';
import { expect, test } from 'vitest';
import { readPackages } from './workspace-packages.ts';

const root = join(import.meta.dirname, '../../..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

test.each(['packages/api/CONTRACT.md', 'packages/client/README.md', 'packages/cli/README.md'])(
  '%s names every format of rows',
  (paper) => {
    const names = Object.keys(pageFormats);
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(textOf(paper)))).toEqual([]);
  },
);

test('the contract has the media type of every format of rows', () => {
  const types = Object.values(pageFormats).map(({ mediaType }) => mediaType);
  expect(types.filter((type) => !textOf('packages/api/CONTRACT.md').includes(type))).toEqual([]);
});

test('no code but the table of formats has the media types that only rows have', () => {
  const types = Object.values(pageFormats)
    .map(({ mediaType }) => mediaType)
    .filter((type) => type.startsWith('application/') && type !== 'application/json');
  const found = readPackages(root)
    .flatMap(({ files }) => files.map(({ path }) => path))
    .filter((path) => types.some((type) => textOf(path).includes(type)));
  expect(found).toEqual(['packages/core/src/wire/page-format.ts']);
});
