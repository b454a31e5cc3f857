import { describe, expect, test } from 'vitest';
import { type EnglishFindings, englishOf } from './english.ts';
import { repositoryFiles, textOf } from './repository-files.ts';

type Counts = Readonly<Record<keyof EnglishFindings, number>>;

const none: Counts = { openings: 0, words: 0, longSentences: 0, wideLines: 0 };

/** The numbers of findings that stay in an area, with the reason. */
const exceptions: Readonly<Record<string, { readonly counts: Counts; readonly reason: string }>> = {
  'packages/controller/src/': {
    counts: { ...none, words: 5 },
    reason: 'Records of restream jobs have a member `aftermath`, which other versions read.',
  },
  'packages/results/assembly/': {
    counts: { ...none, wideLines: 1 },
    reason: 'The address of a source in digits.ts is longer than a line.',
  },
};

const areaPattern =
  /^(?:packages\/[^/]+\/(?:src|test|app|assembly|scripts)|(?:bench|docs|test)\/src|deploy|examples|scripts)\//;

const sources = repositoryFiles().filter(
  (path) =>
    /\.tsx?$/.test(path) &&
    areaPattern.test(path) &&
    !path.includes('row-writer-module') &&
    !path.includes('string-module'),
);

const areas = [...new Set(sources.map((path) => areaPattern.exec(path)?.[0] ?? ''))];

/** Returns the findings in an area, each with its place. */
function findingsOf(area: string): EnglishFindings {
  const all = sources
    .filter((path) => path.startsWith(area))
    .map((path) => englishOf(path, textOf(path)));
  return {
    openings: all.flatMap(({ openings }) => openings),
    words: all.flatMap(({ words }) => words),
    longSentences: all.flatMap(({ longSentences }) => longSentences),
    wideLines: all.flatMap(({ wideLines }) => wideLines),
  };
}

describe('the English of an area', () => {
  test.each(areas)('the English of %s is that of the field', (area) => {
    const limits = exceptions[area]?.counts ?? none;
    const excess = Object.entries(findingsOf(area)).filter(
      ([kind, found]) => found.length > limits[kind as keyof EnglishFindings],
    );
    expect(Object.fromEntries(excess)).toEqual({});
  });

  test('the areas of the exceptions exist', () => {
    const listed = Object.keys(exceptions);
    expect(listed.filter((area) => !areas.includes(area))).toEqual([]);
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
    `/**\n * A script:\n *\n${' *     one two three\n'.repeat(15)} */`,
  ])('englishOf finds nothing in %j', (text) => {
    expect(Object.values(englishOf('a.ts', text)).flat()).toEqual([]);
  });

  test('englishOf reads comments and identifiers of tests, and leaves out their titles', () => {
    const text = "// Nobody.\ntest('the caller is told', () => hearsay(`${a} is told`));";
    expect(englishOf('test/src/a.ts', text).words).toEqual([
      'test/src/a.ts:1 Nobody',
      'test/src/a.ts:2 hearsay',
    ]);
  });
});
