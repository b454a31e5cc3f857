import type { ParameterType, Query, QueryLimits, RetryEvent } from '@quire/core';
import type { ReadOrder, WriteOrder } from '@quire/results';
import type { QuerySettings } from '../engines/engine-kind.ts';
import type { StoreSettings } from '../stores/open-store.ts';

/** The options for opening a query process. */
export interface QuerySetup {
  readonly settings: QuerySettings & StoreSettings;
  /** True for the first process, whose engine examines the tables. */
  readonly isFirst: boolean;
  /** The findings of the first process about the tables, which the other processes reuse. */
  readonly findings?: unknown;
}

/** A piece of work for a query process. */
export type QueryWork =
  /** Resolves to the written result. */
  | {
      readonly kind: 'store';
      readonly query: Query;
      readonly limits: QueryLimits;
      readonly order: WriteOrder;
      /** True if the progress of the query is reported. */
      readonly reportsProgress?: boolean;
      /** The results that the query references. */
      readonly results?: readonly ReadOrder[];
    }
  /** Resolves to an `EncodedDescription`. */
  | {
      readonly kind: 'describe';
      readonly query: Query;
      readonly limits: QueryLimits;
      /** The results that the query references. */
      readonly results?: readonly ReadOrder[];
    }
  /** Resolves to the findings of the process's engine. */
  | { readonly kind: 'findings' };

/** The description of a query, encoded for another process. */
export interface EncodedDescription {
  readonly schema: Uint8Array;
  readonly parameterTypes: readonly ParameterType[] | undefined;
}

/** The calls of work to its parent process. */
export const queryCalls = {
  extend: 'extend',
  release: 'release',
  grow: 'grow',
  planned: 'planned',
  progress: 'progress',
  putBegin: 'put begin',
  putChunk: 'put chunk',
  putEnd: 'put end',
  putAbandon: 'put abandon',
  delete: 'delete',
  getBegin: 'get begin',
  getChunk: 'get chunk',
  getEnd: 'get end',
} as const;

/** The calls of a process to its parent, with or without work. */
export const storeCalls = { call: 'store call', retry: 'store retry' } as const;

/** A retry, encoded for another process. */
export type StoreRetry = Omit<RetryEvent, 'error'> & { readonly reason: string };
