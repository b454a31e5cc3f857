import type { CallOptions, ObjectEntry, ObjectStore } from '@quire/core';
import type { OwnerState } from '@quire/core/process';
import { type RemovalReason, removeResult, type ResultEntry } from '@quire/results';
import type { StorageAdmission } from './admission.ts';

/**
 * Removes results that a listing shows. A `ResultStore` implements it, so that its readers receive
 * the reason for the removal.
 */
export interface ResultRemover {
  remove(
    entry: ResultEntry,
    reason: RemovalReason,
    options?: CallOptions,
  ): Promise<'removed' | 'kept'>;
}

/**
 * A leftover. `owner` is the state of the process that writes it, if the store knows it. Leftovers
 * of dead processes are deleted immediately and those of live ones stay, regardless of the grace
 * period; all others are observed for the grace period.
 */
export interface LeftoverEntry extends ObjectEntry {
  readonly owner?: OwnerState;
}

/**
 * Leftovers of crashed writes that no listing of objects shows: staged files, unfinished multipart
 * uploads.
 */
export interface Leftovers {
  /** Lists every unfinished object; `key` is the store's own name for it. */
  list(options?: CallOptions): AsyncIterable<LeftoverEntry>;
  /** Removes a leftover; resolves even if it does not exist. */
  remove(key: string, options?: CallOptions): Promise<void>;
}

/**
 * The target of a sweep. It separates the source and the removal of entries from the decisions
 * about them.
 */
export interface SweepTarget {
  readonly store: ObjectStore;
  /** The broker whose results these are; undefined for all brokers in the store. */
  readonly brokerId: string | undefined;
  readonly remover: ResultRemover;
  /** Counts the broker's writes in progress; absent if other processes write. */
  readonly admission?: StorageAdmission | undefined;
  readonly leftovers?: Leftovers | undefined;
}

/** Removes results directly from a store, for a cleaner that is not part of their broker. */
export function storeRemover(store: ObjectStore): ResultRemover {
  return { remove: (entry, _reason, options) => removeResult(store, entry, options) };
}
