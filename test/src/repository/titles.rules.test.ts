import { expect, test } from 'vitest';
import { repositoryFiles, textOf } from './repository-files.ts';
import { isSentence, titlesIn } from './titles.ts';

const files = repositoryFiles().filter(
  (path) =>
    /^(?:test\/src|packages\/[^/]+\/test|bench\/test)\/.*\.ts$/.test(path) &&
    !path.startsWith('test/src/repository/titles.'),
);

test('the title of each test is a sentence with its subject, whatever describe is around it', () => {
  const titles = files.flatMap((path) => titlesIn(textOf(path)).map((title) => ({ path, title })));
  expect(titles.length).toBeGreaterThan(2500);
  expect(titles.filter(({ title }) => !isSentence(title))).toEqual([]);
});

test('titlesIn finds titles of tests, of cases, and on lines of their own', () => {
  const text = `
    test('one', () => {});
    it.concurrent("it's two", async () => {});
    test.each([[1, 2]] as const)('%i is three', (a, b) => {});
    test.each(casesOf(some))(
      \`four of \${name}\`,
      async () => {},
    );
    test('five', { timeout: 240_000 }, () => {});
    describe('six', () => {});`;
  expect(titlesIn(text)).toEqual(['one', "it's two", '%i is three', 'four of ${name}', 'five']);
});

test.each([
  ['a query is cancelled by its button', true],
  ['LruCache evicts the oldest', true],
  ['is cancelled by its button', false],
  ['that fails is marked', false],
  ['evicts the oldest', false],
])('isSentence of “%s” is %s', (title, expected) => {
  expect(isSentence(title)).toBe(expected);
});
