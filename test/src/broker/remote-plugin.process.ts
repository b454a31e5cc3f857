import { FileObjectStore } from '@quire/store-file';
import type { Clock, ObjectStore, Random } from '@quire/core';

/**
 * The example of packages/cli/README.md: opens `here:///some/directory`, in place of a
 * store of another developer.
 */
export async function openObjectStore(
  location: string,
  dependencies: { clock: Clock; random: Random },
): Promise<ObjectStore> {
  const store = await FileObjectStore.open({ root: new URL(location).pathname, ...dependencies });
  // It is a disk of this machine: brokers of others do not reach it.
  return Object.assign(store, { isShared: false });
}
