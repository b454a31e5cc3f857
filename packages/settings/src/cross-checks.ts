import { relative, sep } from 'node:path';
import type { StoreBackend } from '@quire/core';
import type { SettingRow } from '@quire/core/settings';
import type { StoreLocation } from './location-kind.ts';
import { fixedSettings } from './known-keys.ts';
import type { SettingView } from './read-values.ts';
import { badValue, faultAt, type SettingProblem } from './setting-problem.ts';
import { formatSettingSource, type SettingSource } from './setting-source.ts';
import { engines } from './engines.ts';
import { namedTable, type Settings, settingTable } from './setting-table.ts';
import { backends } from './table/stores.ts';
import { backendOfScheme, isDirectoryScheme, storeBackends } from './store-backends.ts';

interface Given {
  readonly settings: Settings;
  /** A setting's value as text. */
  readonly valueOf: (key: string) => string;
  readonly sourceOf: (key: string) => SettingSource;
  /** Reports whether a setting has no value: it is not given, or cleared by an empty one. */
  readonly isUnset: (key: string) => boolean;
}

/**
 * Finds settings that are valid individually but not together. A value that is itself a problem is
 * undefined in `settings`; it compares as neither more nor less than another, so that no problem is
 * reported twice.
 */
export function checkTogether(
  settings: Settings,
  view: readonly SettingView[],
  problems: readonly SettingProblem[],
): readonly SettingProblem[] {
  const refused = new Set(problems.map(({ key }) => key));
  const byKey = new Map(view.map((entry) => [entry.key, entry]));
  const given: Given = {
    settings,
    valueOf: (key) => byKey.get(key)?.value ?? '',
    sourceOf: (key) => byKey.get(key)?.source ?? { kind: 'default' },
    isUnset: (key) => !refused.has(key) && (byKey.get(key)?.value ?? '') === '',
  };
  return [
    checkThresholds,
    checkShares,
    checkGrace,
    checkExpiration,
    checkDataDir,
    checkPlugin,
    checkStorageClasses,
    checkRequired,
    checkTempDir,
    checkHostName,
    checkEngine,
  ].flatMap((check) => check(given) ?? []);
}

const { cleaner, engine, query, results, server, store } = settingTable;
const { principals, storageClasses } = namedTable;

function checkThresholds(given: Given): SettingProblem | undefined {
  const { targetPercent, criticalPercent } = given.settings.cleaner;
  return targetPercent > criticalPercent
    ? notAtMost(given, cleaner.targetPercent.key, cleaner.criticalPercent.key)
    : undefined;
}

/** Shares are parts of a quota: without a quota they have no effect. */
function checkShares({ settings, valueOf, sourceOf }: Given): SettingProblem | undefined {
  const hasCapacity = 'capacityBytes' in (backendInUse(settings) ?? {});
  if (settings.cleaner.enabled !== false || hasCapacity) return undefined;
  const named = settings.principals.find(({ shareBytesMax }) => shareBytesMax !== undefined);
  const hasPercent = settings.cleaner.principalMaxPercent < 100;
  if (!hasPercent && named === undefined) return undefined;
  const key = hasPercent
    ? cleaner.principalMaxPercent.key
    : principals.shareBytesMax.key.replace('<name>', named?.name ?? '');
  return faultAt(
    cleaner.enabled.key,
    sourceOf(key),
    `must be true, because ${key} is ${valueOf(key)}, which is a share of a quota`,
  );
}

/** Checks that a write in progress cannot be mistaken for the remains of a crashed one. */
function checkGrace({ settings, valueOf, sourceOf }: Given): SettingProblem | undefined {
  const { key } = cleaner.graceMs;
  if (!(settings.cleaner.graceMs <= settings.query.timeoutMs)) return undefined;
  const limit = `${query.timeoutMs.key} = ${valueOf(query.timeoutMs.key)} (${formatSettingSource(sourceOf(query.timeoutMs.key))})`;
  return badValue(key, valueOf(key), `more than ${limit}`, sourceOf(key));
}

function checkExpiration(given: Given): SettingProblem | undefined {
  const { expirationMs, expirationMaxMs } = given.settings.results;
  return expirationMs > expirationMaxMs
    ? notAtMost(given, results.expirationMs.key, results.expirationMaxMs.key)
    : undefined;
}

function notAtMost({ valueOf, sourceOf }: Given, key: string, limitKey: string): SettingProblem {
  const limit = `${limitKey} = ${valueOf(limitKey)} (${formatSettingSource(sourceOf(limitKey))})`;
  return badValue(key, valueOf(key), `at most ${limit}`, sourceOf(key));
}

function backendInUse({ store: { protocol } }: Settings): StoreBackend | undefined {
  return storeBackends.find(({ name }) => name === protocol);
}

/** Returns the row for the location of the store in use, and its value. */
function dataDirOf(settings: Settings): {
  readonly row: SettingRow<unknown> | undefined;
  readonly location: StoreLocation | undefined;
} {
  const { protocol } = settings.store;
  return {
    row: backends[protocol]?.['location'],
    location: settings.backends[protocol]?.location,
  };
}

function checkDataDir({ settings, sourceOf, isUnset }: Given): SettingProblem | undefined {
  const { row } = dataDirOf(settings);
  if (row === undefined || !isUnset(row.key)) return undefined;
  return faultAt(
    row.key,
    sourceOf(store.protocol.key),
    `must be set, because ${store.protocol.key} is ${settings.store.protocol}`,
  );
}

function checkPlugin({ settings, valueOf, sourceOf }: Given): readonly SettingProblem[] {
  return storeBackends.flatMap(({ name: backend }) => {
    const row = backends[backend]?.['location'];
    const scheme = settings.backends[backend]?.location?.scheme;
    if (row === undefined || scheme === undefined || backendOfScheme(scheme) !== undefined) {
      return [];
    }
    const isKnown = settings.storageClasses.some(
      ({ name, factory }) => name === scheme && factory?.kind === 'module',
    );
    const { key, kind } = row;
    const factoryKey = storageClasses.factory.key.replace('<scheme>', scheme);
    const allowed = `${kind.allowed}; any other scheme needs a module in ${factoryKey}`;
    return isKnown ? [] : [badValue(key, valueOf(key), allowed, sourceOf(key))];
  });
}

/**
 * Java classes are not loaded. They have no effect for schemes with a built-in store, and are
 * refused for others, which would have no store.
 */
function checkStorageClasses({ settings, valueOf, sourceOf }: Given): readonly SettingProblem[] {
  const { key } = storageClasses.factory;
  const schemes = storeBackends.flatMap(({ locations }) => locations?.schemes ?? []);
  return settings.storageClasses
    .filter(({ name, factory }) => factory?.kind === 'class' && backendOfScheme(name) === undefined)
    .map(({ name }) => {
      const classKey = key.replace('<scheme>', name);
      const allowed = `a module, as a path that ends in .js, .mjs or .ts: Java classes are accepted only for ${schemes.join(', ')}`;
      return badValue(classKey, valueOf(classKey), allowed, sourceOf(classKey));
    });
}

/** Checks settings that require others, such as the two halves of a key. */
function checkRequired({ valueOf, sourceOf, isUnset }: Given): readonly SettingProblem[] {
  return fixedSettings.flatMap(({ row: { key, requires } }) =>
    sourceOf(key).kind === 'default' || valueOf(key) === ''
      ? []
      : requires
          .filter(isUnset)
          .map((required) => faultAt(required, sourceOf(key), `must be set, because ${key} is`)),
  );
}

/** Temporary files are removed without inspection: they must not share a directory with results. */
function checkTempDir({ settings, valueOf, sourceOf }: Given): SettingProblem | undefined {
  const { tempDir } = settings.store;
  const { row, location } = dataDirOf(settings);
  if (location === undefined || !isDirectoryScheme(location.scheme) || tempDir === undefined) {
    return undefined;
  }
  if (!isWithin(tempDir, location.text) && !isWithin(location.text, tempDir)) return undefined;
  const { key } = store.tempDir;
  const allowed = `a directory apart from ${row?.key} = ${location.text}`;
  return badValue(key, valueOf(key), allowed, sourceOf(key));
}

function isWithin(path: string, dir: string): boolean {
  const way = relative(dir, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

/**
 * Otherwise, all brokers that listen on every address would share one broker id, and with it each
 * other's results.
 */
function checkHostName({ settings, sourceOf }: Given): SettingProblem | undefined {
  const { key } = server.brokerHostName;
  const value = settings.server.brokerHostName;
  if (!/^(?:0\.0\.0\.0|[0:]+)$/.test(value)) return undefined;
  const allowed = `a name or an address at which others reach this machine; it is required when ${server.bindHost.key} is ${value}`;
  return badValue(key, value, allowed, sourceOf(key));
}

function checkEngine({ settings, sourceOf, isUnset }: Given): readonly SettingProblem[] {
  const { kind } = settings.engine;
  return engines
    .filter(({ name }) => name === kind)
    .flatMap(({ required }) => required)
    .filter(isUnset)
    .map((key) =>
      faultAt(key, sourceOf(engine.kind.key), `must be set, because ${engine.kind.key} is ${kind}`),
    );
}
