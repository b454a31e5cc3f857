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

/** Where results are kept. */
export const store = {
  protocol: setting({
    key: 'engine.broker.pagination.protocol',
    kind: choice(...storeBackends.map(({ name }) => name)),
    default: 'memory',
    meaning:
      'What results are kept in. `memory` deletes all of them at a stop and is not for production; each of the others needs its ' +
      '`engine.broker.pagination.<protocol>.data.dir`.',
  }),
  tempDir: setting({
    key: 'engine.broker.pagination.temp.dir',
    kind: path,
    default: '/tmp/engine/query/broker',
    meaning:
      'The directory for temporary files of this broker, such as what a query spills. Must lie apart from the stored results.',
  }),
  attemptsMax: setting({
    key: 'engine.broker.pagination.store.attempts',
    kind: integer(1, 20),
    default: '4',
    meaning:
      'How often a call to the store is tried while the store is unavailable, the first time included.',
  }),
  timeoutMs: setting({
    key: 'engine.broker.pagination.store.timeout',
    kind: duration('100ms', '1h'),
    default: '30s',
    meaning: 'How long one call to the store may make no progress before it counts as failed.',
  }),
  concurrencyMax: setting({
    key: 'engine.broker.pagination.store.concurrency',
    kind: integer(1, 1024),
    default: '32',
    meaning:
      'How many calls to the store run at once, and how many chunks of open objects are read at once; further ones wait.',
  }),
};

/** The settings of one backend, with the location that its stores are opened at. */
export type BackendSettings = Readonly<Record<string, unknown>> & {
  readonly location?: StoreLocation;
};

/** The settings of every backend, by its name: its own rows, and where its objects are. */
export const backends: Readonly<Record<string, SettingRows>> = Object.fromEntries(
  storeBackends.map(({ name, locations, settings }) => [
    name,
    { ...(locations !== undefined && { location: dataDir(name, locations) }), ...settings },
  ]),
);

/** The store of directories takes the locations of the others, too: as brokers of other makes have it. */
function dataDir(name: string, locations: StoreLocations): SettingRow<StoreLocation | undefined> {
  const isAny = locations.areDirectories;
  return optionalSetting({
    key: `engine.broker.pagination.${name}.data.dir`,
    kind: isAny ? location : locationIn(locations),
    meaning: isAny
      ? `Where the store \`${name}\` keeps its objects. It is created when it does not exist. A URI of another store is as the protocol of that store.`
      : `Where the store \`${name}\` keeps its objects.`,
  });
}

/** Signed links, by which data files come from the store without the broker. */
export const links = {
  enabled: setting({
    key: 'engine.broker.links.enabled',
    kind: boolean,
    default: 'false',
    meaning:
      'Whether `GET /query/{requestId}/link` gives links of the store, which ' +
      `${signers} can sign. Anyone who has a link can read the ` +
      'result until the link ends, also after the result was deleted from the broker.',
  }),
  lifetimeMs: setting({
    key: 'engine.broker.links.lifetime',
    kind: duration('1s', '7d'),
    default: '5m',
    meaning: 'How long a link lives; no longer than its result.',
  }),
};

/** The plug-ins of file systems, one per scheme. */
export const storageClasses = {
  factory: requiredSetting({
    key: 'engine.broker.storage.factory.class.<scheme>',
    kind: moduleOrClass,
    meaning:
      'A module, as a path that ends in `.js`, `.mjs` or `.ts`, whose `openObjectStore` opens data directories whose URI begins with the ' +
      'scheme; packages/server/README.md shows one. Names of Java classes, which other brokers take there, are accepted for ' +
      `${schemes} and change nothing.`,
  }),
};
