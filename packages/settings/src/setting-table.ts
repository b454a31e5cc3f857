import { type SettingRows, type SettingValues, text } from '@quire/core/settings';
import { engines } from './engines.ts';
import { storeBackends } from './store-backends.ts';
import { jwt, limits } from './table/auth.ts';
import { cleaner } from './table/cleaner.ts';
import { controller } from './table/controller.ts';
import { principals, tables } from './table/named.ts';
import { engine } from './table/engine.ts';
import { preview } from './table/preview.ts';
import { previewWorkers, streamWorkers, taskWorkers, workers } from './table/workers.ts';
import { proxy } from './table/proxy.ts';
import { flight } from './table/flight.ts';
import { query } from './table/query.ts';
import { results } from './table/results.ts';
import { restream, streams, tableServer } from './table/tables.ts';
import { http, observability, server } from './table/server.ts';
import { backends, type BackendSettings, links, storageClasses, store } from './table/stores.ts';
import { tls } from './table/tls.ts';

/** The table of all settings: groups of settings with fixed keys, by their names in code. */
export const settingTable = {
  server,
  http,
  tls,
  jwt,
  limits,
  store,
  links,
  results,
  flight,
  query,
  engine,
  workers,
  restream,
  cleaner,
  proxy,
  controller,
  preview,
  previewWorkers,
  tableServer,
  taskWorkers,
  streamWorkers,
  streams,
  observability,
};

/** The settings of one store backend or engine. */
export interface MemberGroup {
  /** The path of their values in `Settings`. */
  readonly path: readonly [family: 'backends' | 'engines', name: string];
  readonly title: string;
  readonly rows: SettingRows;
}

/** The settings of store backends and engines, by the group that selects one of them. */
export const memberGroups: Readonly<Record<string, readonly MemberGroup[]>> = {
  store: storeBackends.map(({ name, title }) => ({
    path: ['backends', name],
    title,
    rows: backends[name] ?? {},
  })),
  engine: engines.map(({ name, title, settings }) => ({
    path: ['engines', name],
    title,
    rows: settings,
  })),
};

/**
 * The settings whose keys contain a name that users choose; each group becomes a list with one
 * element for each name.
 */
export const namedTable = { tables, principals, storageClasses };

/** The values of a group of settings with names, such as tables. */
export type NamedValuesOf<Group extends SettingRows> = ReadonlyArray<
  { readonly name: string } & SettingValues<Group>
>;

/**
 * The value of every setting, by group and name: `settings.results.expirationMs`. Durations are in
 * milliseconds (`…Ms`), sizes in bytes (`…Bytes…`, Infinity if unlimited), paths are absolute.
 * Deeply frozen.
 */
export type Settings = {
  readonly [Group in keyof typeof settingTable]: SettingValues<(typeof settingTable)[Group]>;
} & {
  /** The settings of each store kind by the name of its backend, which interprets them. */
  readonly backends: Readonly<Record<string, BackendSettings>>;
  /** The settings of each engine kind, by its name. */
  readonly engines: {
    readonly [Engine in (typeof engines)[number] as Engine['name']]: SettingValues<
      Engine['settings']
    >;
  };
} & {
  readonly [Group in keyof typeof namedTable]: NamedValuesOf<(typeof namedTable)[Group]>;
};

/** The settings of one table. */
export type TableSettings = Settings['tables'][number];

/** The valid names in the keys of a group. */
export const nameKinds = {
  tables: text(/^[A-Za-z_]\w{0,62}$/, 'a name of letters, digits and _, not starting with a digit'),
  principals: text(/^\w[\w-]{0,62}$/, 'a name of letters, digits, _ and -'),
  storageClasses: text(/^[a-z][a-z0-9]{0,62}$/, 'a URI scheme in lower case'),
} as const;
