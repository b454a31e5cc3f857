import { describe, expect, test } from 'vitest';
import { type EnglishFindings, englishOf } from './english.ts';
import { repositoryFiles, textOf } from './repository-files.ts';

type Counts = Readonly<Record<keyof EnglishFindings, number>>;

const none: Counts = { openings: 0, words: 0, longSentences: 0, wideLines: 0 };

/**
 * Packages that have not been read sentence by sentence yet, and the number of findings in each. The
 * numbers may only fall: lower them with each package that is read. Other packages have none.
 */
const unread: Readonly<Record<string, Counts>> = {
  // Only src/flight.
  broker: { openings: 7, words: 1, longSentences: 0, wideLines: 0 },
  cli: { openings: 47, words: 25, longSentences: 0, wideLines: 0 },
  console: { openings: 2, words: 0, longSentences: 0, wideLines: 0 },
  controller: { openings: 88, words: 32, longSentences: 0, wideLines: 4 },
  'engine-pinot': { openings: 52, words: 12, longSentences: 0, wideLines: 7 },
  flight: { openings: 32, words: 2, longSentences: 0, wideLines: 5 },
};

const sources = repositoryFiles().filter(
  (path) =>
    /^packages\/[^/]+\/src\/.*\.ts$/.test(path) &&
    !path.includes('row-writer-module') &&
    !path.includes('string-module'),
);

const packages = [...new Set(sources.map((path) => path.split('/')[1] ?? ''))];

/** What breaks the rules in a package, with the place of each. */
function findingsOf(name: string): EnglishFindings {
  const all = sources
    .filter((path) => path.startsWith(`packages/${name}/`))
    .map((path) => englishOf(path, textOf(path)));
  return {
    openings: all.flatMap(({ openings }) => openings),
    words: all.flatMap(({ words }) => words),
    longSentences: all.flatMap(({ longSentences }) => longSentences),
    wideLines: all.flatMap(({ wideLines }) => wideLines),
  };
}

describe('the English of a package', () => {
  test.each(packages)('the English of %s is that of the field', (name) => {
    const limits = unread[name] ?? none;
    const excess = Object.entries(findingsOf(name)).filter(
      ([kind, found]) => found.length > limits[kind as keyof EnglishFindings],
    );
    expect(Object.fromEntries(excess)).toEqual({});
  });

  test('the packages that are not read yet exist', () => {
    expect(Object.keys(unread).filter((name) => !packages.includes(name))).toEqual([]);
  });
});

describe('englishOf', () => {
  test.each<[string, keyof EnglishFindings]>([
    ['/** What a call returns. */', 'openings'],
    ['/**\n * Whether it is open.\n */', 'openings'],
    ['// Nobody reads it.', 'words'],
    ["throw new Error('The caller is told at once.');", 'words'],
    ['throw new Error(`No room for ${key}.`);', 'words'],
    ['const isAtHand = true;', 'words'],
    [`// ${'word '.repeat(41)}`, 'longSentences'],
    [`/** ${'x'.repeat(100)} */`, 'wideLines'],
  ])('englishOf finds %j', (text, kind) => {
    const { [kind]: found } = englishOf('a.ts', `\n${text}`);
    expect(found).toEqual([expect.stringMatching(/^a\.ts:2/)]);
  });

  test.each([
    '/** Returns the rows of a page. */',
    '/** A page of a result. */',
    '// Which rows they are does not matter here.',
    `// ${'a '.repeat(40)}`,
    `const text = '${'x'.repeat(100)}';`,
    'const mushroom = `${room} stays`;',
    'const newsletter = 1;',
  ])('englishOf finds nothing in %j', (text) => {
    expect(Object.values(englishOf('a.ts', text)).flat()).toEqual([]);
  });
});
