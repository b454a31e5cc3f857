import type { Data } from 'apache-arrow';
import type { ArrowColumn } from './arrow-input.ts';

/**
 * The columns of a batch, by position. Not a RecordBatch of apache-arrow: its constructor merges
 * columns with the same name, and takes time quadratic in their number.
 */
export interface ColumnBatch<Column extends ArrowColumn = Data> {
  readonly rowCount: number;
  readonly columns: readonly Column[];
  /**
   * Returns the memory of the columns to their source, if it reuses memory; called once, when they
   * are no longer read.
   */
  release?(): void;
}
