import {
  type Data,
  DataType,
  Field,
  Int64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  vectorFromArray,
} from 'apache-arrow';
import fc from 'fast-check';
import { type ColumnKind, columnKinds, rawTimestampKinds } from './column-kinds.ts';

/** A table as rows of plain values, with the kinds of its columns: the reference for pages. */
export interface ModelTable {
  readonly kinds: readonly ColumnKind[];
  readonly rows: readonly (readonly unknown[])[];
  /** Row counts of the record batches of the rows. */
  readonly batchRowCounts: readonly number[];
}

export const allKinds = [...columnKinds, ...rawTimestampKinds];

/**
 * Tables of 1 to 4 columns of any kinds with nulls, in batches of any sizes, empty ones included.
 */
export const modelTables: fc.Arbitrary<ModelTable> = fc
  .uniqueArray(fc.nat(allKinds.length - 1), { minLength: 1, maxLength: 4 })
  .chain((indexes) => {
    const kinds = indexes.map((index) => allKinds[index] as ColumnKind);
    const row = fc.tuple(...kinds.map(({ values }) => fc.option(values, { freq: 4 })));
    return fc.array(fc.array(row, { maxLength: 30 }), { maxLength: 5 }).map((batches) => ({
      kinds,
      rows: batches.flat(),
      batchRowCounts: batches.map((batch) => batch.length),
      // The part shown in a counterexample; the arbitraries within the kinds would fill the screen.
      [fc.toStringMethod]: () =>
        `${kinds.map(({ columnDataType }) => columnDataType).join(', ')}: ${fc.stringify(batches)}`,
    }));
  });

/**
 * One table of a single kind, long enough for the encoders' blocks, with a null now and then; the
 * same for the same seed.
 */
export function longTable(kind: ColumnKind, rowCount: number, seed: number): ModelTable {
  const rows = fc.sample(fc.tuple(fc.option(kind.values, { freq: 9 })), {
    numRuns: rowCount,
    seed,
  });
  return { kinds: [kind], rows, batchRowCounts: [rowCount] };
}

export function schemaOf({ kinds }: ModelTable): Schema {
  return new Schema(kinds.map(({ type }, index) => new Field(`c${index}`, type, true)));
}

/**
 * The table's record batches; each is a slice of a larger one, so that offsets within buffers are
 * not always zero.
 */
export async function* batchesOf(table: ModelTable): AsyncGenerator<RecordBatch> {
  const schema = schemaOf(table);
  let start = 0;
  for (const rowCount of table.batchRowCounts) {
    const before = Math.min(3, start);
    const rows = table.rows.slice(start - before, start + rowCount);
    const children = table.kinds.map(({ type }, column) =>
      columnOf(
        type,
        rows.map((row) => row[column]),
      ),
    );
    const data = makeData({
      type: new Struct(schema.fields),
      length: rows.length,
      nullCount: 0,
      children,
    });
    yield new RecordBatch(schema, data).slice(before, before + rowCount);
    start += rowCount;
  }
}

function columnOf(type: DataType, values: readonly unknown[]): Data {
  if (values.length === 0) return makeData({ type, length: 0 } as Parameters<typeof makeData>[0]);
  if (DataType.isTimestamp(type)) {
    const data = vectorFromArray(values as (bigint | null)[], new Int64()).data[0] as Data;
    return makeData({
      type,
      length: data.length,
      nullCount: data.nullCount,
      nullBitmap: data.nullBitmap,
      data: data.values as BigInt64Array,
    });
  }
  const prepared = DataType.isMap(type)
    ? values.map((value) => (value === null ? null : new Map(Object.entries(value as object))))
    : values;
  return vectorFromArray(prepared as unknown[], type).data[0] as Data;
}

/** The JSON cells of a row, in the slow, obvious way. */
export function jsonCells(table: ModelTable, row: readonly unknown[]): string[] {
  return table.kinds.map(({ json }, column) =>
    row[column] === null ? 'null' : json(row[column] as never),
  );
}
