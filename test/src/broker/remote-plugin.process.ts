import { FileObjectStore } from '@quire/store-file';
import type { Clock, ObjectStore, Random } from '@quire/core';

/**
 * The example of packages/cli/README.md: opens `here:///some/directory`, instead of a store of
 * another developer.
 */
export async function openObjectStore(
  location: string,
  dependencies: { clock: Clock; random: Random },
): Promise<ObjectStore> {
  const store = await FileObjectStore.open({ root: new URL(location).pathname, ...dependencies });
  // The directory is on this machine: brokers on other machines cannot access it.
  return Object.assign(store, { isShared: false });
}
