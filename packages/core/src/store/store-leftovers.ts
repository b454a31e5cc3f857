import type { CallOptions, ObjectEntry } from '../object-store.ts';
import type { OwnerState } from '../process/process-tag.ts';

/** The leftover of a write in a store; `key` is the store's own name for it. */
export interface Leftover extends ObjectEntry {
  /** The state of the process that writes it, as far as the store knows. */
  readonly owner: OwnerState;
  /** The key of the object that was being written, if the store knows it. */
  readonly objectKey?: string;
}

/** The options of a listing of leftovers. */
export interface LeftoverOptions extends CallOptions {
  /** Lists only leftovers of objects whose keys start with this, in stores that know the keys. */
  readonly prefix?: string;
}

/**
 * Data of unfinished writes, of live and dead writers, that no listing of objects shows: staged
 * files, parts of unfinished uploads.
 */
export interface StoreLeftovers {
  /**
   * Lists every unfinished object. If the size or time changes between two listings, the writer is
   * alive.
   */
  list(options?: LeftoverOptions): AsyncIterable<Leftover>;
  /**
   * Removes a leftover by its `key`; if its writer is alive, the write fails. Resolves even if the
   * leftover does not exist.
   */
  remove(key: string, options?: CallOptions): Promise<void>;
  /**
   * Removes immediately the leftovers of a process of this machine that has just died, and that
   * wrote only objects below `prefix`.
   */
  removeOfDeadWriter(
    writer: { readonly pid: number; readonly prefix: string },
    options?: CallOptions,
  ): Promise<void>;
}

/** A store that can list and remove the leftovers of dead writers. */
export interface StoreWithLeftovers {
  readonly leftovers: StoreLeftovers;
}

/** Reports whether a store can list the leftovers of dead writers. */
export function hasLeftovers<Store extends object>(
  store: Store,
): store is StoreWithLeftovers & Store {
  return 'leftovers' in store && typeof store.leftovers === 'object';
}
