import type { ParameterType, Query, QueryLimits, RetryEvent } from '@quire/core';
import type { ReadOrder, WriteOrder } from '@quire/results';
import type { QuerySettings } from '../engines/engine-kind.ts';
import type { StoreSettings } from '../stores/open-store.ts';

/** What a process of queries is opened with. */
export interface QuerySetup {
  readonly settings: QuerySettings & StoreSettings;
  /** Whether it is the first one, whose engine finds out about the tables. */
  readonly isFirst: boolean;
  /** The findings of the first one, for the others. */
  readonly findings?: unknown;
}

/** A piece of work for a process of queries. */
export type QueryWork =
  /** Resolves to the result that it has written. */
  | {
      readonly kind: 'store';
      readonly query: Query;
      readonly limits: QueryLimits;
      readonly order: WriteOrder;
      /** The results that the query names. */
      readonly results?: readonly ReadOrder[];
    }
  /** Resolves to an `EncodedDescription`. */
  | { readonly kind: 'describe'; readonly query: Query; readonly limits: QueryLimits }
  /** Resolves to the findings of the process's engine. */
  | { readonly kind: 'findings' };

/** What a query is described by, as it passes between processes. */
export interface EncodedDescription {
  readonly schema: Uint8Array;
  readonly parameterTypes: readonly ParameterType[] | undefined;
}

/** What work calls in the process that it works for. */
export const queryCalls = {
  extend: 'extend',
  release: 'release',
  grow: 'grow',
  planned: 'planned',
  putBegin: 'put begin',
  putChunk: 'put chunk',
  putEnd: 'put end',
  putAbandon: 'put abandon',
  delete: 'delete',
  getBegin: 'get begin',
  getChunk: 'get chunk',
  getEnd: 'get end',
} as const;

/** What a process calls whether or not it has work. */
export const storeCalls = { call: 'store call', retry: 'store retry' } as const;

/** A retry as it passes between processes. */
export type StoreRetry = Omit<RetryEvent, 'error'> & { readonly reason: string };
