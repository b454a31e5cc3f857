import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryFiles } from './repository-files.ts';
import { problemsOfWaits, waitsForRealTime } from './waits.ts';

const root = join(import.meta.dirname, '../../..');
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const own = /^test\/src\/repository\/waits\./;

const files = repositoryFiles().filter(
  (path) =>
    /^(?:test\/src|packages\/[^/]+\/test|bench\/test)\/.*\.ts$|^vitest\.config\.ts$/.test(path) &&
    !own.test(path),
);

test('no test waits for real time, is retried, or has a limit that a loaded machine exceeds', () => {
  expect(files).toContain('test/src/testkit/until.ts');
  expect(files.flatMap((path) => problemsOfWaits(path, textOf(path)))).toEqual([]);
});

test('each exception waits for real time', () => {
  const idle = Object.keys(waitsForRealTime).filter(
    (path) => problemsOfWaits(`another/${path}`, textOf(path)).length === 0,
  );
  expect(idle).toEqual([]);
});

test.each([
  ['await new Promise((resolve) => setTimeout(resolve, 5));', 'waits for real time'],
  ['await systemClock.sleep(5);', 'waits for real time'],
  ['const signal = AbortSignal.timeout(50);', 'waits for real time'],
  ["import { setTimeout } from 'node:timers/promises';", 'imports a timer'],
  ['await vi.waitFor(() => expect(a).toBe(b));', 'gives up after a second'],
  ['await vi.waitUntil(() => isSo, patience);', 'gives up after a second'],
  ["test('x', { retry: 2 }, () => {});", 'runs a failed test again'],
  ["test('x', { timeout: 30_000 }, () => {});", 'has a limit of its own'],
  ["test('x', { timeout: 60_000 + killCount * 10_000 }, () => {});", 'has a limit of its own'],
  ["test('x', { timeout: isLong ? 900_000 : 120_000 }, () => {});", 'has a limit of its own'],
  ['const timeout = 60_000 + killCount * 20_000;', 'has a limit of its own'],
  ["await until(() => isSo, 'it is so', 30_000);", 'has a limit of its own'],
  ["await until(\n  () => isSo,\n  'it is so',\n  60_000,\n);", 'has a limit of its own'],
  ['}, 60000);', 'has a limit of its own'],
  ['vi.setConfig({ testTimeout: 60_000 });', 'shortens the limit'],
  ['vi.setConfig({ hookTimeout: 120_000 });', 'shortens the limit'],
])('%s: %s', (text, problem) => {
  expect(problemsOfWaits('a.test.ts', text)).toEqual([
    expect.stringContaining(`a.test.ts ${problem}`),
  ]);
});

test.each([
  'await until(() => isSo, what);',
  'await vi.waitFor(() => expect(a).toBe(b), patience);',
  "import { setImmediate } from 'node:timers/promises';",
  'await clock.sleep(5);',
  'new QuireClient({ retry: { attemptsMax: 1 } });',
  "test('x', { timeout: 240_000 }, () => {});",
  "test('x', { timeout: 240_000 + killCount * 10_000 }, () => {});",
  '}, 600_000);',
  'vi.setConfig({ testTimeout: 600_000 });',
])('%s: nothing', (text) => {
  expect(problemsOfWaits('a.test.ts', text)).toEqual([]);
});
