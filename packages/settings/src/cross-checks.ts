import { relative, sep } from 'node:path';
import type { SettingView } from './read-values.ts';
import { badValue, faultAt, type SettingProblem } from './setting-problem.ts';
import { formatSettingSource, type SettingSource } from './setting-source.ts';
import { namedTable, type Settings, settingTable } from './setting-table.ts';

interface Given {
  readonly settings: Settings;
  /** A setting's value as text. */
  readonly valueOf: (key: string) => string;
  readonly sourceOf: (key: string) => SettingSource;
}

/**
 * Finds settings that are right by themselves but not together. A value that is a problem by itself
 * is undefined in `settings`; it compares as neither more nor less than another, so that no problem
 * is reported twice.
 */
export function checkTogether(
  settings: Settings,
  view: readonly SettingView[],
): readonly SettingProblem[] {
  const byKey = new Map(view.map((entry) => [entry.key, entry]));
  const given: Given = {
    settings,
    valueOf: (key) => byKey.get(key)?.value ?? '',
    sourceOf: (key) => byKey.get(key)?.source ?? { kind: 'default' },
  };
  return [
    checkThresholds,
    checkShares,
    checkGrace,
    checkExpiration,
    checkDataDir,
    checkBuckets,
    checkPlugin,
    checkStorageClasses,
    checkS3Keys,
    checkTempDir,
    checkHostName,
    checkJwt,
    checkPinot,
    checkTls,
  ].flatMap((check) => check(given) ?? []);
}

const { cleaner, engine, jwt, pinot, query, results, s3, server, store, tls } = settingTable;
const { principals, storageClasses } = namedTable;

function checkThresholds(given: Given): SettingProblem | undefined {
  const { targetPercent, criticalPercent } = given.settings.cleaner;
  return targetPercent > criticalPercent
    ? notAtMost(given, cleaner.targetPercent.key, cleaner.criticalPercent.key)
    : undefined;
}

/** Shares are parts of a quota: where none is enforced, they would change nothing. */
function checkShares({ settings, valueOf, sourceOf }: Given): SettingProblem | undefined {
  if (settings.cleaner.enabled !== false || settings.store.protocol === 'memory') return undefined;
  const named = settings.principals.find(({ shareBytesMax }) => shareBytesMax !== undefined);
  const hasPercent = settings.cleaner.principalMaxPercent < 100;
  if (!hasPercent && named === undefined) return undefined;
  const key = hasPercent
    ? cleaner.principalMaxPercent.key
    : principals.shareBytesMax.key.replace('<name>', named?.name ?? '');
  return faultAt(
    cleaner.enabled.key,
    sourceOf(key),
    `must be true, because ${key} is ${valueOf(key)}, a share of a quota`,
  );
}

/** A write that is still under way must not look like the debris of one. */
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

function checkDataDir({ settings, sourceOf }: Given): SettingProblem | undefined {
  const { key } = store.fileLocation;
  const isMissing =
    settings.store.protocol === 'file' &&
    settings.store.fileLocation === undefined &&
    sourceOf(key).kind === 'default';
  return isMissing
    ? faultAt(
        key,
        sourceOf(store.protocol.key),
        `must be set, because ${store.protocol.key} is file`,
      )
    : undefined;
}

function checkBuckets({ settings, sourceOf }: Given): SettingProblem | undefined {
  const { protocol, s3Location, gcsLocation } = settings.store;
  const row =
    protocol === 's3' ? store.s3Location : protocol === 'gcs' ? store.gcsLocation : undefined;
  const value = protocol === 's3' ? s3Location : gcsLocation;
  if (row === undefined || value !== undefined || sourceOf(row.key).kind !== 'default') {
    return undefined;
  }
  return faultAt(
    row.key,
    sourceOf(store.protocol.key),
    `must be set, because ${store.protocol.key} is ${protocol}`,
  );
}

function checkPlugin({ settings, valueOf, sourceOf }: Given): SettingProblem | undefined {
  const { key, kind } = store.fileLocation;
  const location = settings.store.fileLocation;
  if (location?.scheme !== 'plugin') return undefined;
  const isKnown = settings.storageClasses.some(
    ({ name, factory }) => name === location.name && factory?.kind === 'module',
  );
  if (isKnown) return undefined;
  const factoryKey = storageClasses.factory.key.replace('<scheme>', location.name);
  return badValue(
    key,
    valueOf(key),
    `${kind.allowed}; any other scheme needs a module in ${factoryKey}`,
    sourceOf(key),
  );
}

/**
 * Java runs nowhere here: classes of schemes that have a store of our own change nothing, those of
 * others would never be used.
 */
function checkStorageClasses({ settings, valueOf, sourceOf }: Given): readonly SettingProblem[] {
  const { key } = storageClasses.factory;
  return settings.storageClasses
    .filter(
      ({ name, factory }) => factory?.kind === 'class' && !['file', 's3', 'gs'].includes(name),
    )
    .map(({ name }) => {
      const classKey = key.replace('<scheme>', name);
      const allowed = `a module, as a path that ends in .js, .mjs or .ts: classes of Java are accepted for file, s3 and gs only`;
      return badValue(classKey, valueOf(classKey), allowed, sourceOf(classKey));
    });
}

function checkS3Keys({ settings, sourceOf }: Given): SettingProblem | undefined {
  const { accessKey, secretKey } = settings.s3;
  const isGiven = (key: string): boolean => sourceOf(key).kind !== 'default';
  const [given, missing] = [s3.accessKey.key, s3.secretKey.key].toSorted(
    (left, right) => Number(isGiven(right)) - Number(isGiven(left)),
  );
  if (
    given === undefined ||
    missing === undefined ||
    (accessKey === undefined) === (secretKey === undefined)
  ) {
    return undefined;
  }
  if (isGiven(missing)) return undefined;
  return faultAt(missing, sourceOf(given), `must be set, because ${given} is`);
}

/**
 * Temporary files are removed without a look at what they are: no result may lie among them, nor
 * they among results.
 */
function checkTempDir({ settings, valueOf, sourceOf }: Given): SettingProblem | undefined {
  const { tempDir, fileLocation, protocol } = settings.store;
  if (protocol !== 'file' || fileLocation?.scheme !== 'file' || tempDir === undefined) {
    return undefined;
  }
  if (!isWithin(tempDir, fileLocation.path) && !isWithin(fileLocation.path, tempDir)) {
    return undefined;
  }
  const { key } = store.tempDir;
  return badValue(
    key,
    valueOf(key),
    `a directory apart from ${store.fileLocation.key} = ${fileLocation.path}`,
    sourceOf(key),
  );
}

function isWithin(path: string, dir: string): boolean {
  const way = relative(dir, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

/**
 * All brokers that listen on every address would otherwise share one broker id, and with it each
 * other's results.
 */
function checkHostName({ settings, sourceOf }: Given): SettingProblem | undefined {
  const { key } = server.brokerHostName;
  const value = settings.server.brokerHostName;
  if (!/^(?:0\.0\.0\.0|[0:]+)$/.test(value)) return undefined;
  const allowed = `a name or an address by which others reach this machine; it must be set when ${server.bindHost.key} is ${value}`;
  return badValue(key, value, allowed, sourceOf(key));
}

/** Keys alone would take the tokens that the same issuer made for anybody else. */
function checkJwt({ settings, sourceOf }: Given): readonly SettingProblem[] {
  if (settings.jwt.keys === undefined) return [];
  return [jwt.issuer, jwt.audience].flatMap(({ key }) =>
    sourceOf(key).kind === 'default'
      ? [faultAt(key, sourceOf(jwt.keys.key), `must be set, because ${jwt.keys.key} is`)]
      : [],
  );
}

function checkPinot({ settings, sourceOf }: Given): SettingProblem | undefined {
  const { key } = pinot.controllerUrls;
  const isMissing =
    settings.engine.kind === 'pinot' &&
    settings.pinot.controllerUrls === undefined &&
    sourceOf(key).kind === 'default';
  return isMissing
    ? faultAt(key, sourceOf(engine.kind.key), `must be set, because ${engine.kind.key} is pinot`)
    : undefined;
}

function checkTls({ sourceOf }: Given): SettingProblem | undefined {
  const isGiven = (key: string): boolean => sourceOf(key).kind !== 'default';
  const [certificate, key] = [tls.certificateFile.key, tls.keyFile.key];
  if (isGiven(certificate) === isGiven(key)) return undefined;
  const [given, missing] = isGiven(certificate) ? [certificate, key] : [key, certificate];
  return faultAt(missing, sourceOf(given), `must be set, because ${given} is`);
}
