import type { StoreLocations } from '@quire/core';
import {
  boolean,
  choice,
  duration,
  integer,
  moduleOrClass,
  optionalSetting,
  path,
  requiredSetting,
  setting,
  type SettingRow,
  type SettingRows,
} from '@quire/core/settings';
import { location, locationIn, type StoreLocation } from '../location-kind.ts';
import { storeBackends } from '../store-backends.ts';

const schemes = quoted(storeBackends.flatMap(({ locations }) => locations?.schemes ?? []));
const signers = quoted(
  storeBackends.filter(({ signsLinks }) => signsLinks).map(({ name }) => name),
);

function quoted(words: readonly string[]): string {
  return words.map((word) => '`' + word + '`').join(', ');
}

/** The store for results. */
export const store = {
  protocol: setting({
    key: 'engine.broker.pagination.protocol',
    kind: choice(...storeBackends.map(({ name }) => name)),
    default: 'memory',
    meaning:
      'The store for results. `memory` loses all results when the process stops and is not for production; each of the others needs its ' +
      '`engine.broker.pagination.<protocol>.data.dir`.',
  }),
  tempDir: setting({
    key: 'engine.broker.pagination.temp.dir',
    kind: path,
    default: '/tmp/engine/query/broker',
    meaning:
      'The directory for temporary files of this server, such as spilled data of queries and uploads. Must be separate from the stored results.',
  }),
  attemptsMax: setting({
    key: 'engine.broker.pagination.store.attempts',
    kind: integer(1, 20),
    default: '4',
    meaning:
      'The maximum number of attempts for a store call while the store is unavailable, including the first.',
  }),
  timeoutMs: setting({
    key: 'engine.broker.pagination.store.timeout',
    kind: duration('100ms', '1h'),
    default: '30s',
    meaning: 'The time without progress after which a store call fails.',
  }),
  concurrencyMax: setting({
    key: 'engine.broker.pagination.store.concurrency',
    kind: integer(1, 1024),
    default: '32',
    meaning:
      'The number of concurrent store calls, and the number of concurrent reads of open objects; further ones wait.',
  }),
};

/** The settings of one backend, with the location of its stores. */
export type BackendSettings = Readonly<Record<string, unknown>> & {
  readonly location?: StoreLocation;
};

/** The settings of every backend, by its name: its own rows, and the location of its objects. */
export const backends: Readonly<Record<string, SettingRows>> = Object.fromEntries(
  storeBackends.map(({ name, locations, settings }) => [
    name,
    { ...(locations !== undefined && { location: dataDir(name, locations) }), ...settings },
  ]),
);

/** The directory store also accepts locations of other stores, as other brokers do. */
function dataDir(name: string, locations: StoreLocations): SettingRow<StoreLocation | undefined> {
  const isAny = locations.areDirectories;
  return optionalSetting({
    key: `engine.broker.pagination.${name}.data.dir`,
    kind: isAny ? location : locationIn(locations),
    meaning: isAny
      ? `The location of the objects of the store \`${name}\`. It is created if it does not exist. A URI of another store selects that store.`
      : `The location of the objects of the store \`${name}\`.`,
  });
}

/** Signed links for reading data files directly from the store. */
export const links = {
  enabled: setting({
    key: 'engine.broker.links.enabled',
    kind: boolean,
    default: 'false',
    meaning:
      'Enables `GET /query/{requestId}/link`, which returns signed links to a store of ' +
      `${signers}. Every client with a link can read the ` +
      'result until the link expires, even after the result was deleted from the broker.',
  }),
  lifetimeMs: setting({
    key: 'engine.broker.links.lifetime',
    kind: duration('1s', '7d'),
    default: '5m',
    meaning: 'The lifetime of a link; no longer than its result.',
  }),
};

/** The file system plug-ins, one for each scheme. */
export const storageClasses = {
  factory: requiredSetting({
    key: 'engine.broker.storage.factory.class.<scheme>',
    kind: moduleOrClass,
    meaning:
      'The path of a module, ending in `.js`, `.mjs` or `.ts`, whose `openObjectStore` opens data directories whose URIs start with the ' +
      'scheme; packages/server/README.md has an example. Names of Java classes, which other brokers expect there, are accepted for ' +
      `${schemes} and have no effect.`,
  }),
};
