import { type Data, DataType, type Field, makeData, Utf8 } from 'apache-arrow';
import type { RowRange } from '@quire/core';
import { columnDataTypeOf } from '../column-data-types.ts';
import { offsetsOf, validityOf } from './column-reader.ts';

const apostrophe = 0x27;
/**
 * The first bytes of texts that spreadsheets interpret as formulas: `=`, `+`, `-`, `@`, tab,
 * carriage return (OWASP, "CSV Injection").
 */
const formulaStarts: ReadonlySet<number> = new Set(Buffer.from('=+-@\t\r'));

/** Returns the name of a column as a CSV cell that no spreadsheet interprets as a formula. */
export function escapedName(name: string): string {
  return formulaStarts.has(name.charCodeAt(0)) ? `'${name}` : name;
}

/**
 * Returns the columns of a batch with an apostrophe before each text that a spreadsheet would
 * interpret as a formula. Numbers, dates and times are unchanged, including numbers that the data
 * file stores as text. Texts outside the rows are omitted.
 */
export function escapeFormulas(
  fields: readonly Field[],
  columns: readonly Data[],
  rows: RowRange,
): readonly Data[] {
  return columns.map((data, index) => {
    const field = fields[index];
    return field === undefined || !isText(field) ? data : escapedColumn(data, rows);
  });
}

function isText(field: Field): boolean {
  const type = field.type as DataType;
  return (
    (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) &&
    columnDataTypeOf(field) !== 'BIG_DECIMAL'
  );
}

function escapedColumn(data: Data, { start, end }: RowRange): Data {
  const source = data.values as Uint8Array;
  const offsets = offsetsOf(data);
  const isValid = validityOf(data);
  const isFormula = (row: number): boolean => {
    const [from = 0, to = 0] = [offsets[row], offsets[row + 1]];
    return to > from && formulaStarts.has(source[from] ?? 0) && isValid?.(row) !== false;
  };
  let formulaCount = 0;
  for (let row = start; row < end; row += 1) if (isFormula(row)) formulaCount += 1;
  if (formulaCount === 0) return data;
  const bytes = new Uint8Array((offsets[end] ?? 0) - (offsets[start] ?? 0) + formulaCount);
  const valueOffsets = new Int32Array(data.length + 1);
  let length = 0;
  for (let row = start; row < end; row += 1) {
    if (isFormula(row)) bytes[length++] = apostrophe;
    const text = source.subarray(offsets[row], offsets[row + 1]);
    bytes.set(text, length);
    length += text.length;
    valueOffsets[row + 1] = length;
  }
  valueOffsets.fill(length, end + 1);
  const { offset, nullCount, nullBitmap } = data;
  return makeData({
    type: new Utf8(),
    offset,
    length: data.length,
    nullCount,
    nullBitmap,
    valueOffsets,
    data: bytes,
  });
}
