import type { JsonValue } from './lossless-json.ts';

/** The type of a cell that is not a list. */
export type ScalarDataType =
  | 'INT'
  | 'LONG'
  | 'FLOAT'
  | 'DOUBLE'
  | 'BIG_DECIMAL'
  | 'BOOLEAN'
  | 'TIMESTAMP'
  | 'STRING'
  | 'JSON'
  | 'BYTES'
  | 'MAP';

/** The type names of the wire; a server may be older or newer than this client. */
export type ColumnDataType =
  | ScalarDataType
  | `${ScalarDataType}_ARRAY`
  | (string & Record<never, never>);

/** A column of a result. */
export interface Column {
  readonly name: string;
  readonly dataType: ColumnDataType;
}

/**
 * One value of a row. By type: INT and FLOAT/DOUBLE number; LONG depends on the option `integers`;
 * TIMESTAMP depends on the option `dates`; BIG_DECIMAL, STRING, JSON, BYTES string; BOOLEAN
 * boolean; MAP object; arrays of these; null for NULL.
 */
export type Cell =
  | null
  | boolean
  | number
  | bigint
  | string
  | Date
  | readonly Cell[]
  | { readonly [name: string]: Cell };

/** The cells of a row, in the order of the columns. */
export type Row = readonly Cell[];

/** A row by the names of its columns. */
export type RowObject = Readonly<Record<string, Cell>>;

/**
 * The JavaScript type for cells of type LONG (64 bits):
 *
 * - `lossless` a number, or a bigint beyond ±(2^53 - 1), where a number would lose digits;
 * - `bigint` always a bigint;
 * - `number` always a number, the nearest one: digits beyond 2^53 are lost.
 */
export type IntegerMode = 'lossless' | 'bigint' | 'number';

/**
 * The JavaScript type for cells of type TIMESTAMP:
 *
 * - `string` its text in UTC, `2024-02-29 12:30:00.123456`, with all its digits;
 * - `date` a Date, truncated to milliseconds; only a time beyond a Date's range (the year 275760)
 *   stays a string.
 *
 * A DATE has no time of day and is a STRING.
 */
export type DateMode = 'string' | 'date';

/** The JavaScript types for values that have several. */
export interface CellModes {
  readonly integers: IntegerMode;
  readonly dates: DateMode;
}

const namedNumbers: ReadonlyMap<JsonValue, number> = new Map<JsonValue, number>([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

/**
 * Converts rows of JSON to cells in place: NaN, infinities, whole floats with many digits, bigints
 * and dates.
 */
export function decodeRows(
  columns: readonly Column[],
  rows: readonly (readonly JsonValue[])[],
  modes: CellModes,
): readonly Row[] {
  const decoders = columns.map(({ dataType }) => decoderOf(dataType, modes));
  if (decoders.every((decode) => decode === undefined)) return rows;
  return rows.map((row) => row.map((cell, index) => decoders[index]?.(cell) ?? cell));
}

/** Returns the decoder of a type; undefined if its cells are used as they are in JSON. */
function decoderOf(
  dataType: string,
  { integers, dates }: CellModes,
): ((cell: JsonValue) => Cell) | undefined {
  const scalarType = dataType.replace(/(?:_ARRAY)+$/, '');
  if (scalarType === 'FLOAT' || scalarType === 'DOUBLE') {
    return (cell) => decodeScalars(cell, toFloat);
  }
  if (scalarType === 'TIMESTAMP' && dates === 'date') return (cell) => decodeScalars(cell, toDate);
  if (scalarType !== 'LONG' || integers === 'lossless') return undefined;
  return (cell) => decodeScalars(cell, integers === 'bigint' ? toBigInt : Number);
}

function decodeScalars(cell: JsonValue, decode: (scalar: JsonValue) => Cell): Cell {
  if (cell === null) return null;
  return Array.isArray(cell)
    ? cell.map((element: JsonValue) => decodeScalars(element, decode))
    : decode(cell);
}

function toFloat(scalar: JsonValue): Cell {
  // 1e20 is written as 100000000000000000000, which parses to a bigint.
  if (typeof scalar === 'bigint') return Number(scalar);
  return namedNumbers.get(scalar) ?? scalar;
}

function toBigInt(scalar: JsonValue): Cell {
  return typeof scalar === 'number' ? BigInt(scalar) : scalar;
}

function toDate(scalar: JsonValue): Cell {
  const match = /^(\d{4,6})(-\d\d-\d\d)( \(BC\))? (\d\d:\d\d:\d\d\.\d{1,3})/.exec(
    typeof scalar === 'string' ? scalar : '',
  );
  if (match === null) return scalar;
  const [, digits = '', day, era, time = ''] = match;
  // The year before the year 1 is 1 BC, and 0 in ECMAScript.
  const year = era === undefined ? Number(digits) : 1 - Number(digits);
  // The ISO 8601 format of ECMAScript: a year of four digits, or of six with its sign; milliseconds
  // of three digits.
  const isoYear =
    year >= 0 && year <= 9999
      ? String(year).padStart(4, '0')
      : `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`;
  const date = new Date(`${isoYear}${day}T${time.padEnd(12, '0')}Z`);
  return Number.isNaN(date.getTime()) ? scalar : date;
}
