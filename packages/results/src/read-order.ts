import {
  type CallOptions,
  type ColumnarRows,
  isQuireError,
  type NamedRows,
  type ObjectStore,
} from '@quire/core';
import { BatchCache } from './batch-cache.ts';
import { BatchReader } from './batch-reader.ts';
import { BufferPool } from './buffer-pool.ts';
import { type CommitRecord, decodeCommitRecord } from './commit-record.ts';
import { decodedBatches } from './plain-batches.ts';
import { planPage } from './plan-page.ts';
import { removedError } from './removed-results.ts';

/** The data with which a process reads a result that another one has opened, as plain data. */
export interface ReadOrder {
  readonly dataKey: string;
  /** The commit record. */
  readonly record: Uint8Array;
}

/** Reads the rows of a result that another process has opened, from its store. */
export function openOrdered(
  { dataKey, record: bytes }: ReadOrder,
  store: Pick<ObjectStore, 'get'>,
): NamedRows {
  const record = decodeCommitRecord(dataKey, bytes);
  const { requestId, schema, rowCount, dataSizeBytes: sizeBytes } = record;
  return {
    requestId,
    schema,
    rowCount,
    sizeBytes,
    read: (options) => readAll(dataKey, record, store, options),
  };
}

async function* readAll(
  dataKey: string,
  { requestId, schema, spans, rowCount }: CommitRecord,
  store: Pick<ObjectStore, 'get'>,
  options: CallOptions,
): AsyncGenerator<ColumnarRows> {
  // Each batch is read once.
  const reader = new BatchReader({ store, cache: new BatchCache(0), pool: new BufferPool() });
  try {
    const stored = reader.read(dataKey, planPage(spans, { start: 0, end: rowCount }), options);
    for await (const { batch } of decodedBatches(schema, stored)) yield batch;
  } catch (error) {
    if (!isQuireError(error, 'OBJECT_NOT_FOUND')) throw error;
    throw removedError(requestId, 'deleted');
  }
}
