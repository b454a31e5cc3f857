import type { Schema } from 'apache-arrow';
import type { ArrowColumn } from './arrow/arrow-input.ts';
import type { ColumnBatch } from './arrow/column-batch.ts';
import { type BatchSlice, batchSliceSizeBytes } from './arrow/column-slice.ts';

/** The default size of a batch: cheap to read for one row, with little overhead for many. */
const batchSizeBytesDefault = 256 * 1024;
const rowsPerBatchMax = 16_384;
/** The metadata of one column in one batch: a field node and up to three buffer regions. */
const metadataBytesPerColumn = 64;

/**
 * Regroups a stream of record batches into batches with equal row counts, except the last one.
 *
 * The row count is chosen once, from the first rows: a power of two that makes a batch of moderate
 * size. Columns are not copied here: a new batch is a list of slices of the incoming batches.
 */
export class Rebatcher {
  readonly #sizeBytesTarget: number;
  #pending: BatchSlice[] = [];
  #pendingRows = 0;
  #pendingBytes = 0;
  #rowsPerBatch = 0;
  #rowCount = 0;

  /**
   * Creates a rebatcher.
   *
   * @param sizeBytesTarget the target size of a batch; by default 256 KiB, more for very wide
   *   schemas
   */
  constructor(schema: Schema, sizeBytesTarget?: number) {
    const metadataBytes = metadataBytesPerColumn * schema.fields.length;
    this.#sizeBytesTarget = sizeBytesTarget ?? Math.max(batchSizeBytesDefault, 4 * metadataBytes);
  }

  /**
   * The number of rows in every batch except the last; at least 1, even for a stream without rows.
   */
  get rowsPerBatch(): number {
    return Math.max(1, this.#rowsPerBatch);
  }

  /** The number of rows so far. */
  get rowCount(): number {
    return this.#rowCount;
  }

  async *rebatch(
    batches: AsyncIterable<ColumnBatch<ArrowColumn>>,
  ): AsyncGenerator<readonly BatchSlice[]> {
    for await (const batch of batches) {
      this.#push(batch);
      if (
        this.#rowsPerBatch === 0 &&
        (this.#pendingBytes >= this.#sizeBytesTarget || this.#pendingRows >= rowsPerBatchMax)
      ) {
        this.#chooseRowsPerBatch();
      }
      while (this.#rowsPerBatch > 0 && this.#pendingRows >= this.#rowsPerBatch) {
        yield this.#take(this.#rowsPerBatch);
      }
    }
    if (this.#rowsPerBatch === 0 && this.#pendingRows > 0) this.#chooseRowsPerBatch();
    while (this.#pendingRows > 0) yield this.#take(Math.min(this.#rowsPerBatch, this.#pendingRows));
  }

  #push(batch: ColumnBatch<ArrowColumn>): void {
    const slice = { batch, start: 0, end: batch.rowCount };
    if (slice.end === 0) return;
    this.#pending.push(slice);
    this.#pendingRows += slice.end;
    this.#rowCount += slice.end;
    if (this.#rowsPerBatch === 0) this.#pendingBytes += batchSliceSizeBytes(slice);
  }

  #chooseRowsPerBatch(): void {
    const rowsThatFit =
      (this.#sizeBytesTarget * this.#pendingRows) / Math.max(1, this.#pendingBytes);
    const powerOfTwo = 2 ** Math.floor(Math.log2(Math.max(1, rowsThatFit)));
    this.#rowsPerBatch = Math.min(rowsPerBatchMax, powerOfTwo);
  }

  #take(rowCount: number): BatchSlice[] {
    const taken: BatchSlice[] = [];
    let wanted = rowCount;
    while (wanted > 0) {
      const first = this.#pending[0];
      if (first === undefined) break;
      const end = Math.min(first.end, first.start + wanted);
      taken.push({ batch: first.batch, start: first.start, end });
      wanted -= end - first.start;
      if (end === first.end) this.#pending.shift();
      else this.#pending[0] = { batch: first.batch, start: end, end: first.end };
    }
    this.#pendingRows -= rowCount;
    return taken;
  }
}
