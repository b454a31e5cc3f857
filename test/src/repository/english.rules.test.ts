import { describe, expect, test } from 'vitest';
import { type EnglishFindings, englishOf } from './english.ts';
import { repositoryFiles, textOf } from './repository-files.ts';

type Counts = Readonly<Record<keyof EnglishFindings, number>>;

const none: Counts = { openings: 0, words: 0, longSentences: 0, wideLines: 0 };

/** The numbers of findings that stay in an area, with the reason. */
const exceptions: Readonly<Record<string, { readonly counts: Counts; readonly reason: string }>> = {
  'packages/controller/src': {
    counts: { ...none, words: 5 },
    reason: 'Records of restream jobs have a member `aftermath`, which other versions read.',
  },
};

const areas = ['bench/src', 'deploy', 'docs/src', 'examples', 'packages/console/app', 'scripts'];

const sources = repositoryFiles().filter(
  (path) =>
    /^(?:packages\/[^/]+\/src|bench\/src|deploy|docs\/src|examples|packages\/console\/app|scripts)\/.*\.tsx?$/.test(
      path,
    ) &&
    !path.includes('row-writer-module') &&
    !path.includes('string-module'),
);

const packages = [...new Set(sources.map((path) => /^packages\/[^/]+\/src/.exec(path)?.[0] ?? ''))];

const allAreas = [...areas, ...packages.filter((area) => area !== '')];

/** Returns the findings in an area, each with its place. */
function findingsOf(area: string): EnglishFindings {
  const all = sources
    .filter((path) => path.startsWith(`${area}/`))
    .map((path) => englishOf(path, textOf(path)));
  return {
    openings: all.flatMap(({ openings }) => openings),
    words: all.flatMap(({ words }) => words),
    longSentences: all.flatMap(({ longSentences }) => longSentences),
    wideLines: all.flatMap(({ wideLines }) => wideLines),
  };
}

describe('the English of an area', () => {
  test.each(allAreas)('the English of %s is that of the field', (area) => {
    const limits = exceptions[area]?.counts ?? none;
    const excess = Object.entries(findingsOf(area)).filter(
      ([kind, found]) => found.length > limits[kind as keyof EnglishFindings],
    );
    expect(Object.fromEntries(excess)).toEqual({});
  });

  test('the areas of the exceptions exist', () => {
    const listed = Object.keys(exceptions);
    expect(listed.filter((area) => !allAreas.includes(area))).toEqual([]);
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
