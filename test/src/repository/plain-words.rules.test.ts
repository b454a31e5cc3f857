import { expect, test } from 'vitest';
import { turnsIn } from './plain-words.ts';
import { repositoryFiles, textOf } from './repository-files.ts';

/** Prose, comments and messages; not the files that list the turns. */
const files = repositoryFiles().filter(
  (path) =>
    /\.(?:ts|md|properties)$/.test(path) &&
    !path.startsWith('test/src/repository/plain-words') &&
    !path.includes('row-writer-module') &&
    !path.includes('string-module') &&
    !path.includes('row-module'),
);

test('messages, comments and papers are in plain English', () => {
  expect(files).toEqual(
    expect.arrayContaining([
      'README.md',
      'packages/core/src/errors.ts',
      'config/production.properties',
    ]),
  );
  const found = files.flatMap((path) =>
    turnsIn(textOf(path)).map(
      ({ line, words, instead }) => `${path}:${line} has "${words}": ${instead}`,
    ),
  );
  expect(found).toEqual([]);
});

test.each([
  ["`'1x' is no duration.`", 'is no duration'],
  ['@throws INVALID_PARAMETER when it is none', 'is none'],
  ['ids that are none of theirs', 'are none'],
  ['Whoever asks next tries again.', 'Whoever'],
  ['a module of yours', 'of yours'],
  ['refused for want of room', 'for want of'],
  ['the caller hears of it', 'hears of'],
  ['a column that shall not be indexed', 'shall'],
  ['over the very files of it', 'the very files'],
  ['a token in the place of a password', 'in the place of'],
  [' * a name that is\n   * no key', 'is no key'],
])('%j has a turn to avoid', (text, words) => {
  expect(turnsIn(`first\n${text}`)).toEqual([{ line: 2, words, instead: expect.any(String) }]);
});

test.each([
  'There is no table of that name.',
  'Where there are none, the default counts.',
  'It is no longer there.',
  'It is no more than a guess.',
  'It is not a duration: expected 30s.',
  'At the very first call.',
  'Whether it is nothing, or noise.',
])('%j is plain', (text) => {
  expect(turnsIn(text)).toEqual([]);
});
