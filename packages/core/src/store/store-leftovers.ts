import type { CallOptions, ObjectEntry } from '../object-store.ts';
import type { OwnerState } from '../process/process-tag.ts';

/** What a write has left beside the objects of a store; `key` is whatever the store calls it. */
export interface Leftover extends ObjectEntry {
  /** The state of the process that writes it, as far as the store can tell. */
  readonly owner: OwnerState;
  /** The key of the object that it was to become, where the store knows it. */
  readonly objectKey?: string;
}

/** Which leftovers are listed. */
export interface LeftoverOptions extends CallOptions {
  /** Only those of objects whose key starts with this, in stores that know the keys. */
  readonly prefix?: string;
}

/**
 * What writes under way, and writers that died, keep where no listing of objects shows it: staged
 * files, parts of unfinished uploads.
 */
export interface StoreLeftovers {
  /**
   * Everything that is, or was, to become an object. Where the size or the time changes between two
   * looks, the writer lives.
   */
  list(options?: LeftoverOptions): AsyncIterable<Leftover>;
  /**
   * Removes one by its `key`; a writer that is alive after all then fails. Resolves just as well
   * when it is gone.
   */
  remove(key: string, options?: CallOptions): Promise<void>;
  /**
   * Removes at once what a process of this machine has left that has just died, and that only wrote
   * objects below `prefix`.
   */
  removeOfDeadWriter(
    writer: { readonly pid: number; readonly prefix: string },
    options?: CallOptions,
  ): Promise<void>;
}

/** A store that can list and remove what writers that died have left. */
export interface LeftoverKeeper {
  readonly leftovers: StoreLeftovers;
}

/** Tells whether a store can list what writers that died have left. */
export function isLeftoverKeeper<Store extends object>(
  store: Store,
): store is LeftoverKeeper & Store {
  return 'leftovers' in store && typeof store.leftovers === 'object';
}
