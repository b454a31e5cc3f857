import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  type Clock,
  isLinkSigner,
  isSharingAware,
  type LinkSigner,
  type ObjectStore,
  QuireError,
  type Random,
  type RetryEvent,
  type StoreCall,
  withLimit,
  withObserver,
  withRetry,
  withTimeLimit,
} from '@quire/core';
import { Deadline } from '@quire/core/wait';
import type { Settings, StoreLocation } from '@quire/settings';
import { FileObjectStore } from '@quire/store-file';
import { MemoryObjectStore } from '@quire/core/memory';
import { loadFactory, openGcsStore, openS3Store } from './open-remote-store.ts';

export interface StoreDependencies {
  readonly clock: Clock;
  readonly random: Random;
  /** Told of every call that reached the store, and of every one that will be tried again. */
  readonly onCall: (call: StoreCall) => void;
  readonly onRetry: (event: RetryEvent) => void;
}

/** A store, closed with either. */
export interface OpenedStore {
  readonly store: ObjectStore;
  /** The same without what protects its callers: for what only some kinds of stores can do. */
  readonly backend: ObjectStore;
}

/** Between two tries of a call, in milliseconds: the first time, and at most. */
const retryDelays = { delayMs: 50, delayMaxMs: 5000 };

/** The settings that a store is opened by. */
export type StoreSettings = Pick<Settings, 'store' | 's3' | 'gcs' | 'storageClasses'>;

/**
 * Opens the store that the settings name, with what protects its callers around it.
 *
 * @throws INVALID_SETTING when its directory cannot be used, or bucket, region, endpoint or
 * credentials are not right
 */
export async function openStore(
  settings: StoreSettings,
  dependencies: StoreDependencies,
): Promise<OpenedStore> {
  const { clock, random, onCall, onRetry } = dependencies;
  const { protocol, memoryBytesMax, timeoutMs, concurrencyMax, attemptsMax } = settings.store;
  if (protocol === 'memory') {
    const memory = new MemoryObjectStore({ sizeMaxBytes: memoryBytesMax, clock });
    return { store: withObserver(memory, onCall, clock), backend: memory };
  }
  const backend = await openBackend(settings, { clock, random });
  const observed = withObserver(backend, onCall, clock);
  const timed = withTimeLimit(observed, {
    clock,
    callTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
  });
  // Limits are inside of retries: a call that waits for its next try must not keep others from
  // theirs.
  const limited = withLimit(timed, { concurrentMax: concurrencyMax });
  const store = withRetry(limited, { clock, random, attemptsMax, ...retryDelays, onRetry });
  return { store, backend };
}

/** What signs links to the objects of a location, when it can. */
export function signerOf(backend: ObjectStore): LinkSigner | undefined {
  return isLinkSigner(backend) ? backend : undefined;
}

/**
 * Tells whether other brokers can have their results in the same location; a store that says so
 * itself knows best.
 */
export function isSharedStore(store: Settings['store'], backend: ObjectStore): boolean {
  return isSharingAware(backend)
    ? backend.isShared
    : (store.protocol === 'file' && store.isFileShared) || isRemoteStore(store);
}

/** Tells whether a call to the store goes over a network. */
export function isRemoteStore({ protocol, fileLocation }: Settings['store']): boolean {
  return (
    protocol === 's3' ||
    protocol === 'gcs' ||
    (protocol === 'file' && fileLocation?.scheme !== 'file')
  );
}

/**
 * Tells whether every process can open the store by itself: not one in memory, and perhaps not that
 * of a module.
 */
export function isOpenedAnywhere({ store, storageClasses }: StoreSettings): boolean {
  if (store.protocol === 'memory') return false;
  const { scheme } = locationOf(store).location;
  return (
    scheme !== 'plugin' &&
    storageClasses.find(({ name }) => name === scheme)?.factory.kind !== 'module'
  );
}

/**
 * Opens what the data directory of the protocol names: a directory here, a bucket, or whatever a
 * module can open.
 */
async function openBackend(
  settings: StoreSettings,
  dependencies: Pick<StoreDependencies, 'clock' | 'random'>,
): Promise<ObjectStore> {
  const { key, location } = locationOf(settings.store);
  const text = location.scheme === 'file' ? location.path : location.uri;
  const factory = await loadFactory(
    location.scheme === 'plugin' ? location.name : location.scheme,
    settings,
  );
  const open = (): Promise<ObjectStore> => {
    if (factory !== undefined) return factory(text, dependencies);
    if (location.scheme === 's3') return openS3Store(text, settings, dependencies);
    if (location.scheme === 'gs') return openGcsStore(text, settings, dependencies);
    return openDirectory(text, dependencies);
  };
  try {
    return await withinTime(open(), settings.store.timeoutMs, dependencies.clock);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new QuireError(
      'INVALID_SETTING',
      `${key} = ${text}: ${reason}${connectionHints[location.scheme]}`,
      { cause: error },
    );
  }
}

/** Which other settings decide whether a location can be reached. */
const connectionHints = {
  file: '',
  plugin: '',
  s3: ' See also engine.broker.storage.factory.s3.region and engine.broker.pagination.s3.endpoint, .access.key, .secret.key and .path.style.',
  gs: ' See also engine.broker.pagination.gcs.endpoint and .key.file.',
} as const;

function locationOf({ protocol, fileLocation, s3Location, gcsLocation }: Settings['store']): {
  readonly key: string;
  readonly location: StoreLocation;
} {
  const key = `engine.broker.pagination.${protocol}.data.dir`;
  if (protocol === 's3' && s3Location !== undefined) {
    return { key, location: { scheme: 's3', uri: s3Location } };
  }
  if (protocol === 'gcs' && gcsLocation !== undefined) {
    return { key, location: { scheme: 'gs', uri: gcsLocation } };
  }
  if (protocol === 'file' && fileLocation !== undefined) return { key, location: fileLocation };
  throw new QuireError('INTERNAL', `The settings name no location for the store ${protocol}.`);
}

async function openDirectory(
  root: string,
  { clock, random }: Pick<StoreDependencies, 'clock' | 'random'>,
): Promise<ObjectStore> {
  // The store makes its root only below a directory that is there; a server makes what it was told
  // to use.
  await mkdir(dirname(root), { recursive: true });
  return FileObjectStore.open({ root, clock, random });
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
