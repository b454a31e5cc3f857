import {
  type Clock,
  isLinkSigner,
  isSharingAware,
  type LinkSigner,
  type ObjectStore,
  QuireError,
  type Random,
  type RetryEvent,
  type RetryOptions,
  type StoreBackend,
  type StoreCall,
  type StoreOpening,
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
 * The function `openObjectStore` that a module in `engine.broker.storage.factory.class.<scheme>`
 * must export.
 */
export type ObjectStoreFactory = (
  /** The URI in the setting, such as `ftp://host/results`. */
  location: string,
  dependencies: BackendDependencies,
) => Promise<ObjectStore>;

/** The dependencies of every store. */
export interface BackendDependencies {
  readonly clock: Clock;
  readonly random: Random;
}

/** The options for opening a location. */
export type LocationOpening = BackendDependencies & Pick<StoreOpening, 'mustExist' | 'isReadOnly'>;

/** The dependencies of a server's store. */
export interface StoreDependencies extends BackendDependencies {
  /** Called for every call that reached the store, and every one that will be retried. */
  readonly onCall: (call: StoreCall) => void;
  readonly onRetry: (event: RetryEvent) => void;
  /** True if a missing location is an error instead of being created. */
  readonly mustExist?: boolean;
}

/** A store, and the same store without wrappers. Closing either one closes both. */
export interface OpenedStore {
  readonly store: ObjectStore;
  /**
   * The store without the wrappers that protect its callers, for capabilities of some kinds of
   * stores.
   */
  readonly backend: ObjectStore;
}

/** Logs that a store call will be retried. */
export function logRetry(
  logger: Pick<Logger, 'warn'>,
  { call, attempt, delayMs, error }: RetryEvent,
): void {
  const event = { call, attempt, delayMs, reason: error.code };
  logger.warn(event, 'store call failed, will be retried');
}

/** The settings for opening locations. */
export type LocationSettings = Pick<Settings, 'store' | 'backends'>;
/** The settings for opening a server's store. */
export type StoreSettings = LocationSettings & Pick<Settings, 'storageClasses'>;

/** The store in the settings. */
export interface StoreInUse {
  /** The backend; undefined for a plug-in store. */
  readonly backend: StoreBackend | undefined;
  /** The location; undefined for the memory of this process. */
  readonly location: StoreLocation | undefined;
  /** The setting of the location. */
  readonly key: string;
}

/** Returns the store in the settings. */
export function storeInUse({ store: { protocol }, backends }: LocationSettings): StoreInUse {
  const location = backends[protocol]?.location;
  const backend =
    location === undefined
      ? storeBackends.find(({ name }) => name === protocol)
      : backendOfScheme(location.scheme);
  return { backend, location, key: `engine.broker.pagination.${protocol}.data.dir` };
}

/** Returns the type of the store in use in responses (SPECIFICATION.md section 2.8). */
export function storeTypeOf(settings: LocationSettings): string {
  const { backend, location } = storeInUse(settings);
  return backend?.storeType ?? location?.scheme ?? '';
}

/**
 * Opens the store in the settings, with the wrappers that protect its callers.
 *
 * @throws INVALID_SETTING when its directory cannot be used, or bucket, endpoint or credentials are
 *   wrong
 */
export async function openStore(
  settings: StoreSettings,
  dependencies: StoreDependencies,
): Promise<OpenedStore> {
  const { clock, onCall } = dependencies;
  const backend = await openBackend(settings, dependencies);
  const observed = withObserver(backend, onCall, clock);
  // Calls to the memory of this process neither wait nor fail.
  if (storeInUse(settings).location === undefined) return { store: observed, backend };
  return { store: guarded(observed, settings, dependencies), backend };
}

/** Returns a store with the wrappers that protect its callers. */
function guarded(
  store: ObjectStore,
  { store: { timeoutMs, concurrencyMax, attemptsMax } }: LocationSettings,
  { clock, random, onRetry }: BackendDependencies & Pick<RetryOptions, 'onRetry'>,
): ObjectStore {
  const times = { callTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs };
  const timed = withTimeLimit(store, { clock, ...times });
  // Limits are inside retries: a call that waits for its next attempt must not block others.
  const limited = withLimit(timed, { concurrentMax: concurrencyMax });
  const retrying = { clock, random, attemptsMax, ...storeRetryDelays };
  return withRetry(limited, onRetry === undefined ? retrying : { ...retrying, onRetry });
}

/** Returns the signer of links to a store's objects, if it has one. */
export function signerOf(backend: ObjectStore): LinkSigner | undefined {
  return isLinkSigner(backend) ? backend : undefined;
}

/**
 * Reports whether other brokers may have results in the same location. A store's own report takes
 * precedence; a plug-in store without one counts as shared.
 */
export function isSharedStore(settings: LocationSettings, store: ObjectStore): boolean {
  if (isSharingAware(store)) return store.isShared;
  const { backend } = storeInUse(settings);
  return backend?.isShared(settings.backends[backend.name] ?? {}) ?? true;
}

/** Reports whether store calls use a network, as plug-in stores are assumed to do. */
export function isRemoteStore(settings: LocationSettings): boolean {
  return storeInUse(settings).backend?.isRemote ?? true;
}

/**
 * Reports whether every process can open the store itself: false for a store in memory, and for
 * some plug-in stores.
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
 * Opens a store at a location with the settings of its backend, and loads its SDK only now: a
 * server that does not use it spends neither time nor memory on it.
 *
 * @throws INVALID_PARAMETER when no backend has such locations, or the location cannot be opened
 */
export async function openLocation(
  { scheme, text }: StoreLocation,
  settings: LocationSettings,
  { clock, random, ...rest }: LocationOpening,
): Promise<ObjectStore> {
  const backend = backendOfScheme(scheme);
  if (backend === undefined) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `${text} does not belong to any store of this server.`,
    );
  }
  return openWith(backend, text, settings, { clock, random, ...rest });
}

/**
 * Opens a location as `openLocation` does, for reading only, with the wrappers that protect its
 * callers.
 *
 * @throws STORE_TIMED_OUT when its server does not answer
 */
export async function openSource(
  location: StoreLocation,
  settings: LocationSettings,
  dependencies: BackendDependencies,
): Promise<ObjectStore> {
  const opening = openLocation(location, settings, { ...dependencies, isReadOnly: true });
  const { timeoutMs } = settings.store;
  const subject = `open of ${location.text}: `;
  const store = await withinTime(opening, { timeoutMs, clock: dependencies.clock, subject });
  return guarded(store, settings, dependencies);
}

function openWith(
  backend: StoreBackend,
  location: string,
  { store, backends }: LocationSettings,
  { clock, random, mustExist = false, isReadOnly = false }: LocationOpening,
): Promise<ObjectStore> {
  const { attemptsMax: partAttemptsMax } = store;
  const opening = { clock, random, mustExist, isReadOnly, partAttemptsMax };
  return backend.open(location, backends[backend.name] ?? {}, opening);
}

/** Opens the store in use: with its backend, or with a module for its scheme. */
async function openBackend(
  settings: StoreSettings,
  dependencies: StoreDependencies,
): Promise<ObjectStore> {
  const { backend, location, key } = storeInUse(settings);
  if (location === undefined) {
    if (backend !== undefined) return openWith(backend, '', settings, dependencies);
    throw new QuireError('INTERNAL', `The store in the settings does not exist.`);
  }
  const { clock, random } = dependencies;
  const factory = await loadFactory(location.scheme, settings);
  const open = (): Promise<ObjectStore> =>
    factory === undefined
      ? openLocation(location, settings, dependencies)
      : factory(location.text, { clock, random });
  try {
    return await withinTime(open(), { timeoutMs: settings.store.timeoutMs, clock });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new QuireError(
      'INVALID_SETTING',
      `${key} = ${location.text}: ${reason}${connectionHint(backend)}`,
      { cause: error },
    );
  }
}

/** Returns the other settings that affect the connection to a location. */
function connectionHint(backend: StoreBackend | undefined): string {
  if (backend?.isRemote !== true) return '';
  return ` See also ${Object.values(backend.settings)
    .map(({ key }) => key)
    .join(', ')}.`;
}

/**
 * Returns the factory that a module exports for a scheme, or undefined if the settings have none.
 *
 * @throws INVALID_SETTING when the module cannot be loaded or does not export the function
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

/**
 * Limits the wait for a server that does not answer: the command that starts a broker must report
 * it.
 */
async function withinTime(
  opening: Promise<ObjectStore>,
  {
    timeoutMs,
    clock,
    subject = '',
  }: { readonly timeoutMs: number; readonly clock: Clock; readonly subject?: string },
): Promise<ObjectStore> {
  const message = `${subject}There was no answer within ${timeoutMs} ms.`;
  const error = (): QuireError => new QuireError('STORE_TIMED_OUT', message);
  using deadline = new Deadline({ clock, error });
  try {
    return await deadline.wait(timeoutMs, () => opening);
  } catch (failure) {
    opening.then((store) => store[Symbol.asyncDispose]()).catch(() => undefined);
    throw failure;
  }
}
