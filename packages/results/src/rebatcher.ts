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
 * Batches that would be larger or smaller than the target by more than this factor have another
 * number of rows.
 */
const deviationMax = 8;

interface PendingSlice extends BatchSlice {
  readonly sizeBytes: number;
}

/**
 * Regroups a stream of record batches into batches of moderate size, with equal row counts if the
 * rows are of similar size.
 *
 * The row count is chosen once, from the first rows: a power of two. Where rows become much longer
 * or shorter, batches have fewer or more of them, so that none takes much memory, and no page reads
 * much more than its rows. Columns are not copied here: a new batch is a list of slices of the
 * incoming batches.
 */
export class Rebatcher {
  readonly #sizeBytesTarget: number;
  #pending: PendingSlice[] = [];
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

  /** The usual number of rows in a batch; at least 1, even for a stream without rows. */
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
      for (let rows = this.#nextRowCount(); rows > 0; rows = this.#nextRowCount()) {
        yield this.#take(rows);
      }
    }
    if (this.#rowsPerBatch === 0 && this.#pendingRows > 0) this.#chooseRowsPerBatch();
    while (this.#pendingRows > 0) yield this.#take(this.#nextRowCount() || this.#pendingRows);
  }

  #push(batch: ColumnBatch<ArrowColumn>): void {
    if (batch.rowCount === 0) return;
    this.#pending.push(sized({ batch, start: 0, end: batch.rowCount }));
    this.#pendingRows += batch.rowCount;
    this.#rowCount += batch.rowCount;
    this.#pendingBytes += this.#pending.at(-1)?.sizeBytes ?? 0;
  }

  #chooseRowsPerBatch(): void {
    const rowsThatFit =
      (this.#sizeBytesTarget * this.#pendingRows) / Math.max(1, this.#pendingBytes);
    const powerOfTwo = 2 ** Math.floor(Math.log2(Math.max(1, rowsThatFit)));
    this.#rowsPerBatch = Math.min(rowsPerBatchMax, powerOfTwo);
  }

  /** Returns the number of rows of the next batch; 0 if more rows are needed for it. */
  #nextRowCount(): number {
    const rowCount = this.#rowsPerBatch;
    const sizeBytesMax = this.#sizeBytesTarget * deviationMax;
    const sizeBytesMin = this.#sizeBytesTarget / deviationMax;
    if (rowCount === 0) return 0;
    if (this.#pendingRows < rowCount) {
      return this.#pendingBytes > sizeBytesMax ? this.#rowsThatFit(this.#pendingRows) : 0;
    }
    if (this.#pendingBytes < sizeBytesMin && this.#pendingRows < rowsPerBatchMax) return 0;
    const sizeBytes = this.#sizeOf(rowCount);
    if (sizeBytes > sizeBytesMax) return this.#rowsThatFit(rowCount);
    if (sizeBytes >= sizeBytesMin) return rowCount;
    return this.#rowsThatFit(Math.min(this.#pendingRows, rowsPerBatchMax));
  }

  /** Returns the size of the first pending rows. */
  #sizeOf(rowCount: number): number {
    let [sizeBytes, rowsLeft] = [0, rowCount];
    for (const slice of this.#pending) {
      const { batch, start, end } = slice;
      if (end - start > rowsLeft) {
        return sizeBytes + batchSliceSizeBytes({ batch, start, end: start + rowsLeft });
      }
      sizeBytes += slice.sizeBytes;
      rowsLeft -= end - start;
    }
    return sizeBytes;
  }

  /** Returns how many of the first pending rows have at most the target size; at least one. */
  #rowsThatFit(rowCountMax: number): number {
    let [fitting, tooMany] = [1, rowCountMax + 1];
    while (tooMany - fitting > 1) {
      const middle = Math.floor((fitting + tooMany) / 2);
      if (this.#sizeOf(middle) <= this.#sizeBytesTarget) fitting = middle;
      else tooMany = middle;
    }
    return fitting;
  }

  #take(rowCount: number): BatchSlice[] {
    const taken: BatchSlice[] = [];
    let wanted = rowCount;
    while (wanted > 0) {
      const first = this.#pending[0];
      if (first === undefined) break;
      const { batch, start } = first;
      const end = Math.min(first.end, start + wanted);
      const slice = end === first.end ? first : sized({ batch, start, end });
      taken.push(slice);
      wanted -= end - start;
      this.#pendingBytes -= slice.sizeBytes;
      if (slice === first) this.#pending.shift();
      else {
        const sizeBytes = first.sizeBytes - slice.sizeBytes;
        this.#pending[0] = { batch, start: end, end: first.end, sizeBytes };
      }
    }
    this.#pendingRows -= rowCount;
    return taken;
  }
}

function sized(slice: BatchSlice): PendingSlice {
  return { ...slice, sizeBytes: batchSliceSizeBytes(slice) };
}
