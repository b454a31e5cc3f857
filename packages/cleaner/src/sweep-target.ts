import type { CallOptions, ObjectEntry, ObjectStore } from '@quire/core';
import type { OwnerState } from '@quire/core/process';
import { type RemovalReason, removeResult, type ResultEntry } from '@quire/results';
import type { StorageAdmission } from './admission.ts';

/**
 * Removes results that a listing has shown. A `ResultStore` is one: its readers then hear why a
 * result is gone.
 */
export interface ResultRemover {
  remove(
    entry: ResultEntry,
    reason: RemovalReason,
    options?: CallOptions,
  ): Promise<'removed' | 'kept'>;
}

/**
 * `owner`: the state of the process that writes it, where the store can tell. What a dead one left
 * goes at once, and what one writes that is alive stays, whatever the grace period; all else is
 * watched for the grace period.
 */
export interface LeftoverEntry extends ObjectEntry {
  readonly owner?: OwnerState;
}

/**
 * What crashed writes leave where no listing of objects shows it: staged files, unfinished
 * multipart uploads.
 */
export interface Leftovers {
  /**
   * Everything that is, or was, on its way to becoming an object; `key` is whatever the store calls
   * it.
   */
  list(options?: CallOptions): AsyncIterable<LeftoverEntry>;
  /** Removes one; resolves just as well when it is gone. */
  remove(key: string, options?: CallOptions): Promise<void>;
}

/** What a sweep works on. Where entries come from and how they go is kept apart from what goes. */
export interface SweepTarget {
  readonly store: ObjectStore;
  /** The broker whose results these are; undefined for all brokers in the store. */
  readonly brokerId: string | undefined;
  readonly remover: ResultRemover;
  /** Counts the broker's writes in flight; absent where these are other processes'. */
  readonly admission?: StorageAdmission | undefined;
  readonly leftovers?: Leftovers | undefined;
}

/** Removes results straight from a store, for a cleaner that is not their broker. */
export function storeRemover(store: ObjectStore): ResultRemover {
  return { remove: (entry, _reason, options) => removeResult(store, entry, options) };
}
