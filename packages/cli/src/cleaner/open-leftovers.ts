import type { Leftovers } from '@quire/cleaner';
import type { Clock, Random } from '@quire/core';
import type { Settings } from '@quire/settings';
import { FileObjectStore } from '@quire/store-file';

/** What crashed writes leave beside the objects of the store that the settings name; undefined where there is no such place. */
export async function openLeftovers(
  { protocol, fileLocation }: Settings['store'],
  surroundings: { readonly clock: Clock; readonly random: Random },
): Promise<Leftovers | undefined> {
  if (protocol !== 'file' || fileLocation?.scheme !== 'file') return undefined;
  const { clock, random } = surroundings;
  const store = await FileObjectStore.open({ root: fileLocation.path, clock, random });
  return store.leftovers;
}
