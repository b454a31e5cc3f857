import type { Query, QueryLimits } from '@quire/core';
import type { ReadOrder, WriteOrder } from '@quire/results';

/** A piece of work for a query worker. */
export type QueryWork =
  | {
      readonly kind: 'store';
      readonly query: Query;
      readonly limits: QueryLimits;
      readonly order: WriteOrder;
      /** The results that the query names. */
      readonly results?: readonly ReadOrder[];
    }
  | { readonly kind: 'describe'; readonly query: Query; readonly limits: QueryLimits };

/** What a query worker calls in the process that it works for. */
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
