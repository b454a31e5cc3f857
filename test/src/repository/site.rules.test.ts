import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { rows } from '../../../docs/src/architecture-parts.ts';
import { drawArchitecture, themes } from '../../../docs/src/make-architecture.ts';
import { sectionsOf } from '../../../docs/src/pages.ts';
import { readPapers } from '../../../docs/src/papers.ts';
import { renderPage } from '../../../docs/src/render-page.ts';
import { isAsPrinted, stepsOf } from '../testkit/paper-session.ts';
import { textOf } from './repository-files.ts';

test.each(Object.entries(themes))('the picture %s is what its script draws', (file, theme) => {
  expect(textOf(`docs/images/${file}`)).toBe(drawArchitecture(theme));
});

test('the picture of the architecture has each package in one part', () => {
  const drawn = rows.flat().flatMap(({ packages }) => packages);
  const folders = readdirSync('packages', { withFileTypes: true });
  const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(drawn.toSorted()).toEqual(names.toSorted());
});

test('the site has one page at each address, and each paper is a page', () => {
  const pages = sectionsOf(readPapers()).flatMap((section) => section.pages);
  expect(pages.map(({ paper }) => paper).toSorted()).toEqual([...readPapers()].toSorted());
  const paths = pages.map(({ path }) => path);
  expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([]);
});

test('the README is short enough to be read whole', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(125);
});

describe('renderPage', () => {
  const pages: Readonly<Record<string, string>> = {
    'README.md': 'index',
    'packages/core/README.md': 'other/core',
    'docs/a.md': 'guides/a',
  };
  const render = (markdown: string): { readonly text: string; readonly files: string[] } => {
    const files: string[] = [];
    const text = renderPage('packages/api/A.md', markdown, {
      pageOf: (paper) => pages[paper],
      textOf: (path) => `text of ${path}\n`,
      onFile: (path) => void files.push(path),
    });
    return { text, files };
  };

  test.each([
    ['[a](../../docs/a.md#b)', '[a](/guides/a#b)'],
    ['[core](../core/README.md)', '[core](/other/core)'],
    ['[core](../core/)', '[core](/other/core)'],
    ['[`core`](../core/README.md) [top](../../README.md#x)', '[`core`](/other/core) [top](/#x)'],
    ['[x](https://x.org) [y](#y)', '[x](https://x.org) [y](#y)'],
    ['`[a](b.md)`', '`[a](b.md)`'],
    ['```md\n[a](b.md)\n```\n', '```md\n[a](b.md)\n```\n'],
    ['a <name> of {{ x }}<br>', 'a &lt;name> of &#123;{ x }}<br>'],
    ['<!-- include: ../x.ts -->', '```ts\ntext of packages/x.ts\n```'],
  ])('renderPage makes of %j %j', (markdown, text) => {
    expect(render(markdown)).toEqual({ text, files: [] });
  });

  test('renderPage links to copies of files that are not pages', () => {
    expect(render('[a](src/a.ts) ![b](../b.svg) [c](../../config)')).toEqual({
      text: '[a](/files/packages/api/src/a.ts.txt) ![b](/files/packages/b.svg) [c](/files/config.txt)',
      files: ['packages/api/src/a.ts', 'packages/b.svg', 'config'],
    });
  });

  test('renderPage gives a picture for each theme an image of its own', () => {
    const picture =
      '<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="d.svg">\n  <img alt="a" src="l.svg">\n</picture>';
    expect(render(picture).text).toBe(
      '<img class="on-light" alt="a" src="/files/packages/api/l.svg"><img class="on-dark" alt="a" src="/files/packages/api/d.svg">',
    );
  });
});

describe('the commands of a paper', () => {
  test('the commands of a paper are the lines behind "$ ", with their here-documents, and their outputs', () => {
    const paper =
      "text\n```console\n$ a b\nout\n$ cat > f <<'END'\n$ not\nEND\n$ c \\\n  d\n1\n2\n```\n```sh\n$ e\n```";
    expect(stepsOf(paper)).toEqual([
      { command: 'a b', output: 'out' },
      { command: "cat > f <<'END'\n$ not\nEND", output: '' },
      { command: 'c \\\n  d', output: '1\n2' },
    ]);
  });

  test.each([
    ['1\n2', '1\n2', 0, true],
    ['a…d', 'abcd', 0, true],
    ['…', '', 0, true],
    ['a', 'b', 0, false],
    ['a', 'a', 1, false],
    ['a', 'a\nb', 0, false],
  ])('printed %j, written %j with exit code %d: %s', (output, actual, exitCode, expected) => {
    expect(isAsPrinted({ command: 'x', output, actual, exitCode })).toBe(expected);
  });
});
