import type { StoreBackend } from '@quire/core';
import { memoryBackend } from '@quire/core/memory';
import { azureBackend } from '@quire/store-azure/backend';
import { fileBackend } from '@quire/store-file/backend';
import { gcsBackend } from '@quire/store-gcs/backend';
import { s3Backend } from '@quire/store-s3/backend';

/** The list of all store backends for results. */
export const storeBackends: readonly StoreBackend[] = [
  memoryBackend,
  fileBackend,
  s3Backend,
  gcsBackend,
  azureBackend,
];

/** Returns the backend of a URI scheme; undefined for a plug-in's. */
export function backendOfScheme(scheme: string): StoreBackend | undefined {
  return storeBackends.find(({ locations }) => locations?.schemes.includes(scheme));
}

/** Reports whether locations with a URI scheme are directories of this machine. */
export function isDirectoryScheme(scheme: string): boolean {
  return backendOfScheme(scheme)?.locations?.areDirectories === true;
}

/** The URI schemes of the backends whose locations are not directories of this machine. */
export const bucketSchemes: readonly string[] = storeBackends
  .flatMap(({ locations }) => locations?.schemes ?? [])
  .filter((scheme) => !isDirectoryScheme(scheme));
