import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseSync } from 'vite';

const packages = join(import.meta.dirname, '../../../packages');

/** Sorted lines, one for each name that a module exports; types say so. Throws on `export *`, which hides the list. */
function exportedNames(text: string): string[] {
  const entries = parseSync('index.ts', text).module.staticExports.flatMap((statement) => statement.entries);
  return entries
    .map(({ exportName, isType }) => {
      if (exportName.name === null) throw new Error('An entry lists its names: `export *` hides them.');
      return isType ? `type ${exportName.name}` : exportName.name;
    })
    .toSorted();
}

/** Entry points of a package: where importers find it, and the source behind it. */
function entries(name: string): { specifier: string; source: string }[] {
  const manifest = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8')) as {
    exports: Record<string, { '@quire/source': string }>;
  };
  return Object.entries(manifest.exports).map(([path, target]) => ({
    specifier: join(name, path),
    source: join(packages, name, target['@quire/source']),
  }));
}

describe('what the packages export', () => {
  const all = readdirSync(packages, { withFileTypes: true }).flatMap((folder) =>
    folder.isDirectory() ? entries(folder.name) : [],
  );

  test.each(all)('$specifier', async ({ specifier, source }) => {
    const names = exportedNames(readFileSync(source, 'utf8'));
    await expect(`${names.join('\n')}\n`).toMatchFileSnapshot(`./exports/${specifier.replaceAll('/', '-')}.txt`);
  });
});

describe('exportedNames', () => {
  test('tells types from values', () => {
    const text = `export { b, type C } from './b.ts'; export type { D } from './d.ts'; export const a = 1; export interface E {}`;
    expect(exportedNames(text)).toEqual(['a', 'b', 'type C', 'type D', 'type E']);
  });

  test('refuses to guess', () => {
    expect(() => exportedNames(`export * from './b.ts';`)).toThrow('export *');
  });
});
