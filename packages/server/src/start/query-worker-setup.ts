import type { RetryEvent } from '@quire/core';
import type { OpenTable } from '@quire/engine-duckdb';
import type { Settings } from '@quire/settings';

/*
 * What passes between the broker and the processes that run its queries. It stands by itself, so that the broker does not load the engine.
 */

/** What a process for queries is set up with. */
export interface QueryWorkerSetup {
  readonly settings: QueryWorkerSettings;
  /** The tables as the first process has opened them; undefined for that one. */
  readonly tables: readonly OpenTable[] | undefined;
}

/** No secrets but those of the store, and of a cluster that answers queries. */
export type QueryWorkerSettings = Pick<
  Settings,
  | 'engine'
  | 'pinot'
  | 'tls'
  | 'store'
  | 'backends'
  | 'storageClasses'
  | 'tables'
  | 'tableServer'
  | 'duckdb'
  | 'query'
  | 'statement'
>;

/** Asks a process for the tables as it has opened them. */
export const askForTables = 'tables';

/** What a process for queries calls beside what its queries do. */
export const storeCallName = 'store call';
export const storeRetryName = 'store retry';
/**
 * What it asks and tells the process that it works for about files of tables that were found whole.
 */
export const findVerifiedName = 'find verified files';
export const addVerifiedName = 'add verified files';

/** A retry as it passes between processes. */
export type StoreRetry = Omit<RetryEvent, 'error'> & { readonly reason: string };
