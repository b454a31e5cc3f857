import { expect, test } from 'vitest';
import { diffSettings } from '../src/diff-settings.ts';
import { parseSettings, type Settings } from '../src/index.ts';

const sue = 'engine.auth.principal.sue';
const bob = 'engine.auth.principal.bob';
const token = (digit: string) => `token.sha256 = ${digit.repeat(64)}`;
const both = [
  `${sue}.role = query`,
  `${sue}.${token('a')}`,
  `${bob}.role = admin`,
  `${bob}.${token('b')}`,
];

function settingsOf(...lines: readonly string[]): Settings {
  const outcome = parseSettings({
    environment: {},
    overrides: [],
    workingDir: '/srv',
    file: { path: 'q.properties', text: lines.join('\n') },
  });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.problems));
  return outcome.settings;
}

const dialectsOf = ({ principals }: Settings) =>
  Object.fromEntries(principals.map(({ name, dialect }) => [name, dialect]));

test('the dialect of a principal is set, changed and removed in a running server', () => {
  const without = settingsOf(...both);
  const pinot = settingsOf(...both, `${sue}.dialect = pinot`);
  const duckdb = settingsOf(...both, `${sue}.dialect = duckdb`);
  for (const [running, read] of [
    [without, pinot],
    [pinot, duckdb],
    [duckdb, without],
  ] as const) {
    const { settings, ...diff } = diffSettings(running, read);
    expect(diff).toEqual({ changed: [`${sue}.dialect`], awaitingRestart: [] });
    expect(settings).toEqual(read);
    expect(settings.principals.every((each) => Object.isFrozen(each))).toBe(true);
    expect(diffSettings(settings, read)).toMatchObject({ changed: [], awaitingRestart: [] });
  }
});

test('other settings of principals, and new or removed ones, wait for a restart beside a dialect that changes', () => {
  const running = settingsOf(...both);
  const read = settingsOf(
    `${sue}.role = admin`,
    `${sue}.${token('c')}`,
    `${sue}.dialect = pinot`,
    `${sue}.quota.maxMB = 5`,
    'engine.auth.principal.eve.role = query',
    `engine.auth.principal.eve.${token('d')}`,
  );
  const { settings, ...diff } = diffSettings(running, read);
  expect(diff).toEqual({ changed: [`${sue}.dialect`], awaitingRestart: ['principals'] });
  expect(dialectsOf(settings)).toEqual({ sue: 'pinot', bob: undefined });
  const before = running.principals.map((each) => ({ ...each, dialect: undefined }));
  expect(settings.principals.map((each) => ({ ...each, dialect: undefined }))).toEqual(before);
});

test('the dialects of principals in another order are unchanged', () => {
  const running = settingsOf(...both, `${bob}.dialect = pinot`);
  const read = settingsOf(`${bob}.dialect = pinot`, ...both.toReversed());
  expect(diffSettings(running, read).changed).toEqual([]);
});
