import type { Clock, ObjectStore, Random } from '@quire/core';
import type { Settings } from '@quire/settings';
import { loadPlugin } from '../load-plugin.ts';

/**
 * What a module named in `engine.broker.storage.factory.class.<scheme>` must export as
 * `openObjectStore`.
 */
export type ObjectStoreFactory = (
  /** The URI in the setting, such as `ftp://host/results`. */
  location: string,
  dependencies: { readonly clock: Clock; readonly random: Random },
) => Promise<ObjectStore>;

/** What stores are opened with. */
export interface BucketDependencies {
  readonly clock: Clock;
  readonly random: Random;
}

const storageClassKey = 'engine.broker.storage.factory.class';

/**
 * Opens a bucket of S3. Its SDK is loaded now, so that a server without buckets never waits for it
 * or has it in memory.
 */
export async function openS3Store(
  uri: string,
  settings: Pick<Settings, 'store' | 's3' | 'gcs'>,
  dependencies: BucketDependencies,
): Promise<ObjectStore> {
  const { S3ObjectStore } = await import('@quire/store-s3');
  const { region, endpoint, pathStyle, accessKey, secretKey, encryption, kmsKey } = settings.s3;
  return S3ObjectStore.open({
    location: uri,
    forcePathStyle: pathStyle,
    partAttemptsMax: settings.store.attemptsMax,
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    ...(accessKey !== undefined &&
      secretKey !== undefined && {
        credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
      }),
    ...(encryption === 's3' && { encryption: { kind: 's3' } }),
    ...(encryption === 'kms' && {
      encryption: { kind: 'kms', ...(kmsKey !== undefined && { keyId: kmsKey }) },
    }),
    ...dependencies,
  });
}

/** Opens a bucket of Google Cloud Storage. Its SDK is loaded now. */
export async function openGcsStore(
  uri: string,
  settings: Pick<Settings, 'store' | 's3' | 'gcs'>,
  dependencies: BucketDependencies,
): Promise<ObjectStore> {
  const { GcsObjectStore } = await import('@quire/store-gcs');
  const { endpoint, keyFile, kmsKey } = settings.gcs;
  return GcsObjectStore.open({
    location: uri,
    partAttemptsMax: settings.store.attemptsMax,
    ...(endpoint !== undefined && { endpoint }),
    ...(keyFile !== undefined && { keyFile }),
    ...(kmsKey !== undefined && { kmsKeyName: kmsKey }),
    ...dependencies,
  });
}

/**
 * The factory that a module exports for a scheme, or undefined when the settings name none.
 *
 * @throws INVALID_SETTING when the module cannot be loaded or exports no such function
 */
export async function loadFactory(
  scheme: string,
  settings: Pick<Settings, 'storageClasses'>,
): Promise<ObjectStoreFactory | undefined> {
  const factory = settings.storageClasses.find(({ name }) => name === scheme)?.factory;
  if (factory?.kind !== 'module') return undefined;
  const plugin = {
    key: `${storageClassKey}.${scheme}`,
    path: factory.path,
    exportName: 'openObjectStore',
  };
  return (await loadPlugin(plugin)) as ObjectStoreFactory;
}
