import type { Data } from 'apache-arrow';
import type { ArrowColumn } from './arrow-input.ts';

/**
 * The columns of a batch, by position. Not a RecordBatch of apache-arrow: making one of those
 * merges columns that share a name, and takes time that grows with the square of their number.
 */
export interface ColumnBatch<Column extends ArrowColumn = Data> {
  readonly rowCount: number;
  readonly columns: readonly Column[];
  /**
   * Gives the memory of the columns back to their source, if it wants it; called once, when nobody
   * looks at them any more.
   */
  release?(): void;
}
