import type { JsonValue } from './lossless-json.ts';

type ScalarDataType =
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

/** The type names of the wire; a list of lists has `_ARRAY` twice, and a server may be newer than this client. */
export type ColumnDataType = ScalarDataType | `${ScalarDataType}_ARRAY` | (string & Record<never, never>);

export interface Column {
  readonly name: string;
  readonly dataType: ColumnDataType;
}

/**
 * One value of a row. By type: INT and FLOAT/DOUBLE number; LONG as the client's option `integers` says; BIG_DECIMAL, STRING,
 * TIMESTAMP, JSON, BYTES string; BOOLEAN boolean; MAP object; arrays of these; null for NULL.
 */
export type Cell = JsonValue;

export type Row = readonly Cell[];

/** A row by the names of its columns. */
export type RowObject = Readonly<Record<string, Cell>>;

/**
 * What a cell of type LONG (64 bits) is:
 *
 * - `lossless` a number, or a bigint beyond ±(2^53 - 1), where a number would lose digits;
 * - `bigint` always a bigint;
 * - `number` always a number, the nearest one: digits beyond 2^53 are lost.
 */
export type IntegerMode = 'lossless' | 'bigint' | 'number';

const namedNumbers: ReadonlyMap<JsonValue, number> = new Map<JsonValue, number>([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

/**
 * Turns rows as JSON has them into cells, in place of what JSON cannot say: NaN, infinities, whole floats of many digits, and
 * whether an integer shall be a bigint.
 */
export function decodeRows(
  columns: readonly Column[],
  rows: readonly (readonly JsonValue[])[],
  integers: IntegerMode = 'lossless',
): readonly Row[] {
  const decoders = columns.map(({ dataType }) => decoderOf(dataType, integers));
  if (decoders.every((decode) => decode === undefined)) return rows;
  return rows.map((row) => row.map((cell, index) => decoders[index]?.(cell) ?? cell));
}

/** Undefined when the cells of a type are as JSON has them. */
function decoderOf(dataType: string, integers: IntegerMode): ((cell: JsonValue) => Cell) | undefined {
  const scalarType = dataType.replace(/(?:_ARRAY)+$/, '');
  if (scalarType === 'FLOAT' || scalarType === 'DOUBLE') return (cell) => decodeNumber(cell, toFloat);
  if (scalarType !== 'LONG' || integers === 'lossless') return undefined;
  return (cell) => decodeNumber(cell, integers === 'bigint' ? toBigInt : Number);
}

function decodeNumber(cell: JsonValue, decode: (scalar: JsonValue) => Cell): Cell {
  if (cell === null) return null;
  return Array.isArray(cell) ? cell.map((element: JsonValue) => decodeNumber(element, decode)) : decode(cell);
}

function toFloat(scalar: JsonValue): Cell {
  // 1e20 is written as 100000000000000000000, which parses to a bigint.
  if (typeof scalar === 'bigint') return Number(scalar);
  return namedNumbers.get(scalar) ?? scalar;
}

function toBigInt(scalar: JsonValue): Cell {
  return typeof scalar === 'number' ? BigInt(scalar) : scalar;
}
