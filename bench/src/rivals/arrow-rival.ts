import { open } from 'node:fs/promises';
import { AsyncRecordBatchFileReader, DataType, RecordBatchReader, type Vector } from 'apache-arrow';
import type { Rival } from './rival.ts';

type CellOf = (value: unknown) => unknown;

/**
 * The same Arrow file, read with apache-arrow's own random-access reader, whose footer is cached:
 * the batches of the page are read one by one, their values read with `get`, and the rows encoded
 * by JSON.stringify.
 */
export async function openArrowRival(path: string): Promise<Rival> {
  const file = await open(path);
  const reader = await RecordBatchReader.from(file);
  if (!(reader instanceof AsyncRecordBatchFileReader)) {
    throw new TypeError(`${path} is not an Arrow file.`);
  }
  await reader.open();
  const rowsPerBatch = (await reader.readRecordBatch(0))?.numRows ?? 1;
  return {
    async page({ offset, rowCount }) {
      const rows: unknown[][] = [];
      const end = offset + rowCount;
      for (let index = Math.floor(offset / rowsPerBatch); index * rowsPerBatch < end; index += 1) {
        const batch = await reader.readRecordBatch(index);
        if (batch === null) break;
        const columns = batch.schema.fields.map((field, column) => {
          return {
            vector: batch.getChildAt(column) as Vector,
            cellOf: cellOfType(field.type as DataType),
          };
        });
        const firstRow = index * rowsPerBatch;
        const last = Math.min(batch.numRows, end - firstRow);
        for (let row = Math.max(0, offset - firstRow); row < last; row += 1) {
          rows.push(columns.map(({ vector, cellOf }) => cellOf(vector.get(row))));
        }
      }
      return JSON.stringify(rows);
    },
    close: () => file.close(),
  };
}

const asIs: CellOf = (value) => value;

/** Converts values that JSON lacks, in the simplest way that a user of the library would find. */
function cellOfType(type: DataType): CellOf {
  if (DataType.isInt(type) && type.bitWidth === 64) {
    return (value) => (value === null ? null : Number(value));
  }
  if (DataType.isTimestamp(type)) {
    return (value) => (value === null ? null : new Date(value as number).toISOString());
  }
  if (DataType.isDate(type)) {
    return (value) =>
      value === null ? null : new Date(value as number).toISOString().slice(0, 10);
  }
  if (DataType.isDecimal(type)) {
    return (value) => (value === null ? null : decimalText(value as Uint32Array, type.scale));
  }
  return asIs;
}

/** Correct for values of at most 64 bits, such as all decimals here. */
function decimalText(words: Uint32Array, scale: number): string {
  const digits = new BigInt64Array(words.slice(0, 2).buffer)[0]?.toString() ?? '0';
  const padded = digits.padStart(scale + 1, '0');
  return `${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}
