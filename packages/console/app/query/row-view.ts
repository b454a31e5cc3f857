import { type GridColumn, isNumeric } from './grid-columns.ts';

export const filterKinds = [
  'contains',
  'equals',
  'differs',
  'starts',
  'below',
  'above',
  'null',
  'present',
] as const;
export type FilterKind = (typeof filterKinds)[number];

/** A condition on the values of a column. */
export interface ColumnFilter {
  readonly column: GridColumn;
  readonly kind: FilterKind;
  /** The value that kinds with an operand compare with. */
  readonly value: string;
}

export interface SortOrder {
  readonly column: GridColumn;
  readonly direction: 'ascending' | 'descending';
}

/** The rows of a result that are shown, and their order. */
export interface RowView {
  readonly filters: readonly ColumnFilter[];
  readonly sort: SortOrder | undefined;
}

export const wholeView: RowView = { filters: [], sort: undefined };

/** The names of the kinds in a list. */
export const filterTitles: Readonly<Record<FilterKind, string>> = {
  contains: 'contains',
  equals: 'is',
  differs: 'is not',
  starts: 'begins with',
  below: 'is less than',
  above: 'is greater than',
  null: 'is null',
  present: 'is not null',
};

export function takesValue(kind: FilterKind): boolean {
  return kind !== 'null' && kind !== 'present';
}

/** Returns a query of the rows of a stored result that a view shows; undefined for all of them. */
export function viewQuery(requestId: string, { filters, sort }: RowView): string | undefined {
  if (filters.length === 0 && sort === undefined) return undefined;
  const conditions = filters.map((filter) => conditionOf(filter)).join('\n  AND ');
  const lines = [
    'SELECT *',
    `FROM result('${requestId}')`,
    ...(filters.length === 0 ? [] : [`WHERE ${conditions}`]),
    ...(sort === undefined
      ? []
      : [
          `ORDER BY ${quoted(sort.column)}${sort.direction === 'descending' ? ' DESC' : ''} NULLS LAST`,
        ]),
  ];
  return lines.join('\n');
}

/** Returns a query of the first row after `row` whose cell contains a text, both counted from 0. */
export function findQuery(
  requestId: string,
  column: GridColumn,
  { text, row }: { readonly text: string; readonly row: number },
): string {
  const cells = `SELECT row_number() OVER () AS place, ${textOf(column)} AS text FROM result('${requestId}')`;
  const isFound = `contains(lower(text), lower(${literal(text)}))`;
  return `SELECT min(place) FILTER (WHERE place > ${row + 1}), min(place), count(*) FROM (${cells}) WHERE ${isFound}`;
}

/**
 * Returns a query of the statistics of a column in one row: rows, nulls, distinct values, least,
 * greatest and mean.
 */
export function statisticsQuery(requestId: string, column: GridColumn, rowCount: number): string {
  const name = quoted(column);
  // Lists and maps compare as texts; exact counts of very many values would take all memory.
  const value = /_ARRAY$|^MAP$|^JSON$|^BYTES$/.test(column.dataType) ? textOf(column) : name;
  const distinct =
    rowCount > exactRowsMax ? `approx_count_distinct(${value})` : `count(DISTINCT ${value})`;
  const mean = isNumeric(column.dataType) ? `avg(CAST(${name} AS DOUBLE))` : 'NULL';
  return `SELECT count(*), count(*) - count(${name}), ${distinct}, CAST(min(${value}) AS VARCHAR), CAST(max(${value}) AS VARCHAR), ${mean} FROM result('${requestId}')`;
}

/** The distinct values of results with more rows are estimated. */
export const exactRowsMax = 1_000_000;

function conditionOf({ column, kind, value }: ColumnFilter): string {
  const isBytes = column.dataType === 'BYTES';
  const name = isBytes ? textOf(column) : quoted(column);
  const compared = isBytes ? literal(value.toLowerCase()) : comparedLiteral(column, value);
  switch (kind) {
    case 'contains':
      return `contains(lower(${textOf(column)}), lower(${literal(value)}))`;
    case 'starts':
      return `starts_with(lower(${textOf(column)}), lower(${literal(value)}))`;
    case 'equals':
      return `${name} = ${compared}`;
    case 'differs':
      return `${name} IS DISTINCT FROM ${compared}`;
    case 'below':
      return `${name} < ${compared}`;
    case 'above':
      return `${name} > ${compared}`;
    case 'null':
      return `${name} IS NULL`;
    case 'present':
      return `${name} IS NOT NULL`;
  }
}

/** Numbers are written verbatim; the engine casts all else to the column's type. */
function comparedLiteral({ dataType }: GridColumn, value: string): string {
  const number = value.trim();
  return isNumeric(dataType) && /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(number)
    ? number
    : literal(value);
}

/** Returns the text of a column's cells; that of bytes is the one that the grid shows. */
function textOf(column: GridColumn): string {
  const name = quoted(column);
  return column.dataType === 'BYTES' ? `lower(hex(${name}))` : `CAST(${name} AS VARCHAR)`;
}

function quoted({ resultName }: GridColumn): string {
  return `"${resultName.replaceAll('"', '""')}"`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
