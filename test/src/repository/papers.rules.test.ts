import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { citationsOf, linesWithUnnamedDocuments, linksOf, sectionsOf } from './papers.ts';
import { repositoryFiles, textOf } from './repository-files.ts';

const files = repositoryFiles();
const documents = files.filter((path) => path.endsWith('.md'));
const texts = files.filter(
  (path) => /\.(?:ts|md)$/.test(path) && !/(?:^|\/)papers(?:\.rules\.test)?\.ts$/.test(path),
);

/**
 * The documents that a citation may mean: by their paths from the root, or by names that only they
 * have.
 */
function documentsNamed(name: string): string[] {
  return documents.filter(
    (path) =>
      path === name ||
      path.endsWith(`/${name}`) ||
      (name.includes('/') && basename(path) === basename(name)),
  );
}

describe('the papers', () => {
  test('the papers are all read', () => {
    expect(documents).toEqual(
      expect.arrayContaining([
        'packages/api/CONTRACT.md',
        'packages/api/SPECIFICATION.md',
        'packages/api/TABLES.md',
        'packages/DESIGN.md',
      ]),
    );
    const cited = new Set(
      texts.flatMap((path) => citationsOf(textOf(path)).map(({ document }) => basename(document))),
    );
    expect([...cited]).toEqual(
      expect.arrayContaining([
        'CONTRACT.md',
        'SPECIFICATION.md',
        'TABLES.md',
        'DESIGN.md',
        'FORMAT.md',
      ]),
    );
  });

  test('the papers have every section that is cited', () => {
    const broken = texts.flatMap((path) =>
      citationsOf(textOf(path)).flatMap(({ line, document, sections }) => {
        const [cited] = documentsNamed(document);
        if (cited === undefined) return [`${path}:${line} cites ${document}, which does not exist`];
        const known = sectionsOf(textOf(cited));
        return sections
          .filter((each) => !known.has(each))
          .map((each) => `${path}:${line} cites section ${each} of ${document}`);
      }),
    );
    expect(broken).toEqual([]);
  });

  test('the papers are cited by name', () => {
    expect(
      texts.flatMap((path) =>
        linesWithUnnamedDocuments(textOf(path)).map((line) => `${path}:${line}`),
      ),
    ).toEqual([]);
  });

  test('the papers name tests that exist', () => {
    const named = documents.flatMap((path) =>
      [...textOf(path).matchAll(/\btest\/src\/[\w./-]*[\w-]/g)].map(([name]) => ({ path, name })),
    );
    expect(named.length).toBeGreaterThan(10);
    const missing = named.filter(
      ({ name }) =>
        !files.some(
          (file) => file === name || file.startsWith(`${name}/`) || file.startsWith(`${name}.`),
        ),
    );
    expect(missing).toEqual([]);
  });

  test('the papers explain ideas: names and first sentences of files list what there is', () => {
    const lists = documents.filter((path) => /^(?:#+ )?Files\b.*(?:order|:$)/m.test(textOf(path)));
    expect(lists).toEqual([]);
  });

  test('the papers lead through a query, a page, a sweep, a preview and a proxied call by files that one can open', () => {
    const walks = textOf('packages/README.md')
      .split(/^## /m)
      .filter((section) => /^.*with the files open\n/.test(section));
    const lengths = walks.map(
      (walk) =>
        linksOf('packages/README.md', walk).filter((target) => target.endsWith('.ts')).length,
    );
    expect(lengths).toHaveLength(5);
    expect(Math.min(...lengths)).toBeGreaterThan(7);
  });

  test('link to files that exist', () => {
    const known = new Set(
      files.flatMap((path) =>
        path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/')),
      ),
    );
    const broken = documents.flatMap((path) =>
      linksOf(path, textOf(path))
        .filter((target) => !known.has(target.replace(/\/$/, '')))
        .map((target) => `${path} links to ${target}`),
    );
    expect(broken).toEqual([]);
  });
});

describe('citationsOf', () => {
  test('citationsOf finds documents, sections and lists of sections, also across lines of a comment', () => {
    const text = [
      'a',
      '/** CONTRACT.md section 2, a table */',
      ' * see packages/DESIGN.md, sections 2.3 to 2.5 and TABLES.md',
      ' * section 4.',
    ].join('\n');
    expect(citationsOf(text)).toEqual([
      { line: 2, document: 'CONTRACT.md', sections: ['2'] },
      { line: 3, document: 'packages/DESIGN.md', sections: ['2.3', '2.5'] },
      { line: 3, document: 'TABLES.md', sections: ['4'] },
    ]);
  });
});

test.each([
  '(spec 2.8)',
  'contract section 2',
  'Spec section 2.7',
  'DESIGN section 7',
  'CONTRACT for tables',
  'the plan, section 3',
])('linesWithUnnamedDocuments finds %s', (text) => {
  expect(linesWithUnnamedDocuments(`a\n${text}`)).toEqual([2]);
});

test.each([
  'SPECIFICATION.md section 2.8',
  'RFC 9110 section 13',
  'a contract',
  'design: 2 columns',
])('linesWithUnnamedDocuments lets %s pass', (text) => {
  expect(linesWithUnnamedDocuments(text)).toEqual([]);
});

test('sectionsOf reads the numbers of headings, with and without a dot', () => {
  expect([...sectionsOf('# A\n## 1. B\n### 2.1 C\ntext 3. D\n')]).toEqual(['1', '2.1']);
});

test('linksOf gives paths from the root, and no code, addresses or anchors', () => {
  const text =
    'a [b](../c/D.md#e) [f](g.ts) [h](https://x.org) [i](#j)\n```\n[k](l)\n```\n`[m](n)`';
  expect(linksOf('packages/a/README.md', text)).toEqual(['packages/c/D.md', 'packages/a/g.ts']);
});
