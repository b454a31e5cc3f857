import type { JsonValue } from './lossless-json.ts';

export interface Column {
  readonly name: string;
  /** `INT`, `LONG`, `STRING`, `DOUBLE_ARRAY` …: the type names of the wire. */
  readonly dataType: string;
}

/**
 * One value of a row. By type: INT and FLOAT/DOUBLE number; LONG number, or bigint beyond ±(2^53 - 1); BIG_DECIMAL,
 * STRING, TIMESTAMP, JSON, BYTES string; BOOLEAN boolean; MAP object; arrays of these; null for NULL.
 */
export type Cell = JsonValue;

const namedNumbers: ReadonlyMap<JsonValue, number> = new Map<JsonValue, number>([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

/** Turns rows as JSON has them into cells, in place of what JSON cannot say: NaN, infinities and whole floats of many digits. */
export function decodeRows(columns: readonly Column[], rows: readonly (readonly JsonValue[])[]): readonly (readonly Cell[])[] {
  const floats = columns.map((column) => /^(?:FLOAT|DOUBLE)(?:_ARRAY)*$/.test(column.dataType));
  if (!floats.includes(true)) return rows;
  return rows.map((row) => row.map((cell, index) => (floats[index] === true ? decodeFloat(cell) : cell)));
}

function decodeFloat(cell: JsonValue): Cell {
  if (typeof cell === 'number' || cell === null) return cell;
  // 1e20 is written as 100000000000000000000, which parses to a bigint.
  if (typeof cell === 'bigint') return Number(cell);
  if (Array.isArray(cell)) return cell.map((element: JsonValue) => decodeFloat(element));
  return namedNumbers.get(cell) ?? cell;
}
