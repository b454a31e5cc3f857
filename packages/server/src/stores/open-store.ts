import {
  type Clock,
  isLinkSigner,
  isSharingAware,
  type LinkSigner,
  type ObjectStore,
  QuireError,
  type Random,
  type RetryEvent,
  type StoreBackend,
  type StoreCall,
  storeRetryDelays,
  withLimit,
  withObserver,
  withRetry,
  withTimeLimit,
} from '@quire/core';
import { Deadline } from '@quire/core/wait';
import type { Settings, StoreLocation } from '@quire/settings';
import { backendOfScheme, storeBackends } from '@quire/settings/store-backends';
import type { Logger } from 'pino';
import { loadPlugin } from '../load-plugin.ts';

/**
 * What a module named in `engine.broker.storage.factory.class.<scheme>` must export as
 * `openObjectStore`.
 */
export type ObjectStoreFactory = (
  /** The URI in the setting, such as `ftp://host/results`. */
  location: string,
  dependencies: BackendDependencies,
) => Promise<ObjectStore>;

/** What every store is opened with. */
export interface BackendDependencies {
  readonly clock: Clock;
  readonly random: Random;
}

/** What the store of a server is opened with. */
export interface StoreDependencies extends BackendDependencies {
  /** Receives every call that reached the store, and every one that will be repeated. */
  readonly onCall: (call: StoreCall) => void;
  readonly onRetry: (event: RetryEvent) => void;
  /** Whether a location that does not exist is an error instead of being created. */
  readonly mustExist?: boolean;
}

/** A store, closed with either. */
export interface OpenedStore {
  readonly store: ObjectStore;
  /** The same without what protects its callers: for what only some kinds of stores can do. */
  readonly backend: ObjectStore;
}

/** Logs that a call to the store will be repeated. */
export function logRetry(
  logger: Pick<Logger, 'warn'>,
  { call, attempt, delayMs, error }: RetryEvent,
): void {
  const event = { call, attempt, delayMs, reason: error.code };
  logger.warn(event, 'store call failed, will be tried again');
}

/** The settings that locations are opened by. */
export type LocationSettings = Pick<Settings, 'store' | 'backends'>;
/** The settings that the store of a server is opened by. */
export type StoreSettings = LocationSettings & Pick<Settings, 'storageClasses'>;

/** The store that the settings name. */
export interface StoreInUse {
  /** Undefined for a store of a plug-in. */
  readonly backend: StoreBackend | undefined;
  /** Undefined for the memory of this process. */
  readonly location: StoreLocation | undefined;
  /** The setting of the location. */
  readonly key: string;
}

/** Returns which store the settings name. */
export function storeInUse({ store: { protocol }, backends }: LocationSettings): StoreInUse {
  const location = backends[protocol]?.location;
  const backend =
    location === undefined
      ? storeBackends.find(({ name }) => name === protocol)
      : backendOfScheme(location.scheme);
  return { backend, location, key: `engine.broker.pagination.${protocol}.data.dir` };
}

/** Returns the type of the store in use, as SPECIFICATION.md section 2.8 names it. */
export function storeTypeOf(settings: LocationSettings): string {
  const { backend, location } = storeInUse(settings);
  return backend?.storeType ?? location?.scheme ?? '';
}

/**
 * Opens the store that the settings name, with what protects its callers around it.
 *
 * @throws INVALID_SETTING when its directory cannot be used, or bucket, endpoint or credentials are
 * wrong
 */
export async function openStore(
  settings: StoreSettings,
  dependencies: StoreDependencies,
): Promise<OpenedStore> {
  const { clock, random, onCall, onRetry } = dependencies;
  const { timeoutMs, concurrencyMax, attemptsMax } = settings.store;
  const backend = await openBackend(settings, dependencies);
  const observed = withObserver(backend, onCall, clock);
  // Calls to the memory of this process neither wait nor fail.
  if (storeInUse(settings).location === undefined) return { store: observed, backend };
  const timed = withTimeLimit(observed, {
    clock,
    callTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
  });
  // Limits are inside of retries: a call that waits for its next attempt must not keep others from
  // theirs.
  const limited = withLimit(timed, { concurrentMax: concurrencyMax });
  const store = withRetry(limited, { clock, random, attemptsMax, ...storeRetryDelays, onRetry });
  return { store, backend };
}

/** Returns what signs links to the objects of a store, if it can. */
export function signerOf(backend: ObjectStore): LinkSigner | undefined {
  return isLinkSigner(backend) ? backend : undefined;
}

/**
 * Tells whether other brokers can have their results in the same location; a store that says so
 * itself knows best, and the store of a plug-in that does not say is shared.
 */
export function isSharedStore(settings: LocationSettings, store: ObjectStore): boolean {
  if (isSharingAware(store)) return store.isShared;
  const { backend } = storeInUse(settings);
  return backend?.isShared(settings.backends[backend.name] ?? {}) ?? true;
}

/** Tells whether a call to the store goes over a network, as to those of plug-ins. */
export function isRemoteStore(settings: LocationSettings): boolean {
  return storeInUse(settings).backend?.isRemote ?? true;
}

/**
 * Tells whether every process can open the store by itself: not one in memory, and perhaps not that
 * of a module.
 */
export function isOpenedAnywhere(settings: StoreSettings): boolean {
  const { backend, location } = storeInUse(settings);
  return (
    location !== undefined &&
    backend !== undefined &&
    settings.storageClasses.find(({ name }) => name === location.scheme)?.factory.kind !== 'module'
  );
}

/**
 * Opens a store at a location by the settings of its backend, whose SDK is loaded now: a server that
 * does not use it neither waits for it nor has it in memory.
 *
 * @throws INVALID_PARAMETER when no backend has such locations, or the location cannot be opened
 */
export async function openLocation(
  { scheme, text }: StoreLocation,
  settings: LocationSettings,
  { clock, random, ...rest }: BackendDependencies & { readonly mustExist?: boolean },
): Promise<ObjectStore> {
  const backend = backendOfScheme(scheme);
  if (backend === undefined) {
    throw new QuireError('INVALID_PARAMETER', `${text} is in no store that this server knows.`);
  }
  return openWith(backend, text, settings, { clock, random, ...rest });
}

function openWith(
  backend: StoreBackend,
  location: string,
  { store, backends }: LocationSettings,
  { clock, random, mustExist = false }: BackendDependencies & { readonly mustExist?: boolean },
): Promise<ObjectStore> {
  const opening = { clock, random, mustExist, partAttemptsMax: store.attemptsMax };
  return backend.open(location, backends[backend.name] ?? {}, opening);
}

/** Opens the store in use: by its backend, or by a module that the settings name for its scheme. */
async function openBackend(
  settings: StoreSettings,
  dependencies: StoreDependencies,
): Promise<ObjectStore> {
  const { backend, location, key } = storeInUse(settings);
  if (location === undefined) {
    if (backend !== undefined) return openWith(backend, '', settings, dependencies);
    throw new QuireError('INTERNAL', `The settings name no store that exists.`);
  }
  const { clock, random } = dependencies;
  const factory = await loadFactory(location.scheme, settings);
  const open = (): Promise<ObjectStore> =>
    factory === undefined
      ? openLocation(location, settings, dependencies)
      : factory(location.text, { clock, random });
  try {
    return await withinTime(open(), settings.store.timeoutMs, clock);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new QuireError(
      'INVALID_SETTING',
      `${key} = ${location.text}: ${reason}${connectionHint(backend)}`,
      { cause: error },
    );
  }
}

/** Returns which other settings decide whether a location can be reached. */
function connectionHint(backend: StoreBackend | undefined): string {
  if (backend?.isRemote !== true) return '';
  return ` See also ${Object.values(backend.settings)
    .map(({ key }) => key)
    .join(', ')}.`;
}

/**
 * Returns the factory that a module exports for a scheme, or undefined when the settings name none.
 *
 * @throws INVALID_SETTING when the module cannot be loaded or exports no such function
 */
async function loadFactory(
  scheme: string,
  settings: Pick<Settings, 'storageClasses'>,
): Promise<ObjectStoreFactory | undefined> {
  const factory = settings.storageClasses.find(({ name }) => name === scheme)?.factory;
  if (factory?.kind !== 'module') return undefined;
  const plugin = {
    key: `engine.broker.storage.factory.class.${scheme}`,
    path: factory.path,
    exportName: 'openObjectStore',
  };
  return (await loadPlugin(plugin)) as ObjectStoreFactory;
}

/** Gives up on a server that does not answer: the command that starts a broker must report it. */
async function withinTime(
  opening: Promise<ObjectStore>,
  timeoutMs: number,
  clock: Clock,
): Promise<ObjectStore> {
  const error = (): QuireError =>
    new QuireError('STORE_TIMED_OUT', `There was no answer within ${timeoutMs} ms.`);
  using deadline = new Deadline({ clock, error });
  try {
    return await deadline.wait(timeoutMs, () => opening);
  } catch (failure) {
    opening.then((store) => store[Symbol.asyncDispose]()).catch(() => undefined);
    throw failure;
  }
}
