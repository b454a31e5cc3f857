import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, test } from 'vitest';
import { excludedFrom, suites } from '../../../vitest.config.ts';
import { repositoryFiles } from './repository-files.ts';

const root = join(import.meta.dirname, '../../..');

/**
 * Places that exist on one person's machine: home folders, and the folder in which this project was
 * first written.
 */
const machinePath = /(?<![\w.~-])\/(?:home\/\w|Users\/\w|work(?![\w-]))/;

/** Numbers of the lines that contain a path of a developer's machine. */
function linesWithMachinePaths(text: string): number[] {
  return text.split('\n').flatMap((line, index) => (machinePath.test(line) ? [index + 1] : []));
}

/** Names of the suites that run a test file. */
function suitesOf(path: string): string[] {
  const matches = (patterns: readonly string[]): boolean =>
    patterns.some((pattern) => matchesGlob(path, pattern));
  return Object.keys(suites).filter(
    (name) => matches(suites[name] ?? []) && !matches(excludedFrom(name)),
  );
}

describe('the repository', () => {
  test('the repository names no path of the machine on which it was written', () => {
    const files = repositoryFiles();
    expect(files).toContain('package.json');
    const found = files.flatMap((path) =>
      linesWithMachinePaths(readFileSync(join(root, path), 'utf8')).map(
        (line) => `${path}:${line}`,
      ),
    );
    expect(found).toEqual([]);
  });

  test('the repository runs every test in one suite', () => {
    const tests = repositoryFiles().filter((path) => path.endsWith('.test.ts'));
    expect(tests).toContain('test/src/repository/repository.rules.test.ts');
    expect(tests.filter((path) => suitesOf(path).length !== 1)).toEqual([]);
  });

  test('the repository builds every package', () => {
    const files = repositoryFiles();
    const packages = files.flatMap(
      (path) => /^(packages\/[^/]+)\/package\.json$/.exec(path)?.slice(1) ?? [],
    );
    expect(packages.length).toBeGreaterThan(20);
    expect(packages.filter((path) => !files.includes(`${path}/tsconfig.build.json`))).toEqual([]);
  });

  test('the repository installs from the public registry only', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { resolved?: string; link?: boolean }>;
    };
    const foreign = Object.entries(lock.packages)
      .filter(
        ([, { resolved, link }]) =>
          resolved !== undefined &&
          link !== true &&
          !resolved.startsWith('https://registry.npmjs.org/'),
      )
      .map(([name]) => name);
    expect(foreign).toEqual([]);
  });
});

describe('suitesOf', () => {
  test.each([
    ['packages/core/test/a.test.ts', ['unit']],
    ['packages/core/test/deep/a.test.ts', ['unit']],
    ['packages/core/test/a.integration.test.ts', ['integration']],
    ['test/src/broker/a.integration.test.ts', ['integration']],
    ['test/src/broker/a.e2e.test.ts', ['e2e']],
    ['test/src/repository/a.rules.test.ts', ['rules']],
    ['packages/core/src/a.test.ts', []],
    ['test/src/broker/a.test.ts', []],
  ])('suitesOf: %s: %j', (path, expected) => {
    expect(suitesOf(path)).toEqual(expected);
  });
});

describe('linesWithMachinePaths', () => {
  // Written in parts, because the search would find this file otherwise.
  const absolute = (...parts: string[]): string => ['', ...parts].join('/');

  test.each([
    `see ${absolute('home', 'jane')}`,
    `'${absolute('Users', 'joe', 'a.ts')}'`,
    `file:${absolute('work', 'x')}`,
    absolute('work'),
  ])('linesWithMachinePaths finds %s', (line) => {
    expect(linesWithMachinePaths(`first\n${line}`)).toEqual([2]);
  });

  test.each([
    'homework/home',
    '/workspaces',
    'packages/work/x',
    'a /worker',
    './work',
    '/var/home',
    'https://x.org/work',
  ])('linesWithMachinePaths lets %s pass', (line) => {
    expect(linesWithMachinePaths(line)).toEqual([]);
  });
});
