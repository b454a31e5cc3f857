import { FileObjectStore } from '@quire/store-file';
import type { Clock, ObjectStore, Random } from '@quire/core';

/** The example of packages/cli/README.md: opens `here:///some/directory`, for lack of a store that nobody else has. */
export async function openObjectStore(location: string, dependencies: { clock: Clock; random: Random }): Promise<ObjectStore> {
  return FileObjectStore.open({ root: new URL(location).pathname, ...dependencies });
}
