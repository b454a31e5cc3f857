import type { QueryStatistics } from '@quire/core';
import type { RecordBatch, Schema } from 'apache-arrow';

/** What a result is made of; a `QueryExecution` is one. */
export interface ResultSource {
  readonly schema: Schema;
  readonly batches: AsyncIterable<RecordBatch>;
  statistics?(): QueryStatistics;
}
