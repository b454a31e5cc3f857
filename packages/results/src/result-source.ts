import type { QueryStatistics } from '@quire/core';
import type { ArrowBatch, ArrowSchema } from './arrow/arrow-input.ts';

/**
 * The source of a result's rows; a `QueryExecution` is one. Schema and batches may be from any copy
 * of apache-arrow, from version 14 on, whether it was imported or required.
 */
export interface ResultSource {
  readonly schema: ArrowSchema;
  readonly batches: AsyncIterable<ArrowBatch>;
  statistics?(): QueryStatistics;
}
