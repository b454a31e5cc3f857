import duckdb, { type DataChunk } from '@duckdb/node-bindings';
import { Data, RecordBatch, Schema, Struct } from 'apache-arrow';
import type { ColumnPlan } from './column-plan.ts';
import { releaseMemory } from './release-memory.ts';
import { BatchTooLarge } from './strings.ts';
import { rowRange } from './vector-rows.ts';

/**
 * A record batch with exactly the given schema and columns.
 *
 * Arrow's own constructor matches fields by name. That takes quadratic time in the number of
 * columns, and gives columns that share a name each other's types.
 */
class AnswerBatch extends RecordBatch {
  declare readonly schema: Schema;
  declare readonly data: Data<Struct>;

  constructor(plan: ColumnPlan, rowCount: number, columns: Data[]) {
    super(new Schema([]), new Data(new Struct([]), 0, rowCount, 0, {}));
    this.schema = plan.schema;
    this.data = new Data(plan.rowType, 0, rowCount, 0, {}, columns);
  }

  /**
   * Releases the memory of texts at once instead of letting it accumulate until garbage collection.
   *
   * Copies of a vector's own memory are left to the garbage collector: the vector takes as much
   * until its chunk is collected, and the collector accounts only for these copies, so they make it
   * run often enough if a chunk takes much memory.
   */
  [Symbol.dispose](): void {
    const columns = this.data.children;
    let vectorBytes = 0;
    for (const column of columns) vectorBytes += vectorBytesOf(column);
    if (vectorBytes <= vectorBytesMax) for (const column of columns) releaseTexts(column);
  }
}

/**
 * The maximum size of a chunk's vectors for which its batches are released: a table of a hundred
 * columns has some two megabytes.
 */
const vectorBytesMax = 256 * 1024;
/** The bytes that a vector has for each text or list. */
const recordBytes = 16;

/** Returns the approximate number of bytes of a column's vectors. */
function vectorBytesOf({ length, values, valueOffsets, children }: Data): number {
  let sizeBytes =
    valueOffsets === undefined
      ? ((values as ArrayBufferView | undefined)?.byteLength ?? 0)
      : length * recordBytes;
  for (const child of children) sizeBytes += vectorBytesOf(child);
  return sizeBytes;
}

/**
 * Converts a chunk to one record batch, or to several if its values are very large, and empties it.
 *
 * The batches share no memory with the chunk. The garbage collector releases the chunk, but does
 * not account for its strings, so they are released here.
 */
export function* recordBatchesOf(chunk: DataChunk, plan: ColumnPlan): Generator<RecordBatch> {
  // The ranges still to convert; the next one is last.
  const ranges = [{ start: 0, end: duckdb.data_chunk_get_size(chunk) }];
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    const { start, end } = range;
    try {
      yield convertRows(chunk, plan, start, end);
    } catch (error) {
      if (!(error instanceof BatchTooLarge)) throw error;
      const middle = (start + end) >>> 1;
      ranges.push({ start: middle, end }, { start, end: middle });
    }
  }
  duckdb.data_chunk_reset(chunk);
}

function convertRows(chunk: DataChunk, plan: ColumnPlan, start: number, end: number): RecordBatch {
  const rows = rowRange(start, end);
  const columns = plan.readers.map((read, column) =>
    read(duckdb.data_chunk_get_vector(chunk, column), rows),
  );
  return new AnswerBatch(plan, rows.count, columns);
}

function releaseTexts({ values, valueOffsets, children }: Data): void {
  const buffers =
    valueOffsets === undefined
      ? []
      : ([values, valueOffsets] as readonly (ArrayBufferView | undefined)[]);
  for (const buffer of buffers) {
    if (buffer !== undefined && buffer.byteLength > 0) releaseMemory(buffer);
  }
  for (const child of children) releaseTexts(child);
}
