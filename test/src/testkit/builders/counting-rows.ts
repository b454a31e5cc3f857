import type { QueryStatistics } from '@quire/core';
import type { ResultSource } from '@quire/results';
import { Field, Int32, makeData, RecordBatch, Schema, Struct } from 'apache-arrow';

const schema = new Schema([new Field('n', new Int32(), false)]);

const countingStatistics: QueryStatistics = {
  elapsedMs: 7,
  cpuTimeNs: 8,
  rowsScanned: 9,
  rowsTotal: 10,
  tables: ['t'],
};

/** A source of one column, `n`, that counts from 0, in batches of `batchRowCount` rows. */
export function countingRows(rowCount: number, batchRowCount = 2048): ResultSource {
  return {
    schema,
    batches: countingBatches(rowCount, batchRowCount),
    statistics: () => countingStatistics,
  };
}

/** A source that fails with `error` after `rowCount` rows. */
export function failingRows(rowCount: number, error: Error): ResultSource {
  return {
    schema,
    batches: (async function* () {
      yield* countingBatches(rowCount, 2048);
      throw error;
    })(),
  };
}

async function* countingBatches(
  rowCount: number,
  batchRowCount: number,
): AsyncGenerator<RecordBatch> {
  for (let start = 0; start < rowCount; start += batchRowCount) {
    const length = Math.min(batchRowCount, rowCount - start);
    const values = Int32Array.from({ length }, (_, index) => start + index);
    const column = makeData({ type: new Int32(), length, nullCount: 0, data: values });
    yield new RecordBatch(
      schema,
      makeData({ type: new Struct(schema.fields), length, nullCount: 0, children: [column] }),
    );
  }
}

/** Returns the JSON of rows `[start, end)` of such a source. */
export function countingJson(start: number, end: number): string {
  return `[${Array.from({ length: Math.max(0, end - start) }, (_, index) => `[${start + index}]`).join(',')}]`;
}
