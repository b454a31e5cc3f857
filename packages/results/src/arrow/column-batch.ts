import type { Data, RecordBatch } from 'apache-arrow';

/**
 * The columns of a batch, by position. Not a RecordBatch of apache-arrow: making one of those merges columns that share a name, and
 * takes time that grows with the square of their number.
 */
export interface ColumnBatch {
  readonly rowCount: number;
  readonly columns: readonly Data[];
}

export function columnBatchOf(batch: RecordBatch): ColumnBatch {
  return { rowCount: batch.data.length, columns: batch.data.children };
}
