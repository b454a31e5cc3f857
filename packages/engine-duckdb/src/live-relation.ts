import type { RelationColumn, RelationPart, TableRelation } from '@quire/core/table-engine';
import { quoteLiteral } from './conversion/column-plan.ts';
import { quoteIdentifier } from './conversion/column-type.ts';

/** Returns a SELECT of all rows of a live table, from exactly the files of one moment. */
export function selectRelation({ columns, parts }: TableRelation): string {
  if (parts.length > 0) return parts.map((part) => selectPart(columns, part)).join(' UNION ALL ');
  const nulls = columns.map(
    (column) => `CAST(NULL AS ${sqlTypeOf(column)}) AS ${quoteIdentifier(column.name)}`,
  );
  return `SELECT ${nulls.join(', ')} WHERE false`;
}

function selectPart(
  columns: readonly RelationColumn[],
  { files, columnNames, boundary }: RelationPart,
): string {
  const held = new Set(columnNames);
  const values = columns.map((column) => {
    const value = held.has(column.name) ? storedValue(column) : absentValue(column);
    return `${value} AS ${quoteIdentifier(column.name)}`;
  });
  const from = `FROM read_parquet([${files.map(({ path }) => quoteLiteral(path)).join(', ')}])`;
  return `SELECT ${values.join(', ')} ${from}${boundary === undefined ? '' : ` WHERE ${conditionOf(boundary)}`}`;
}

/** Rows without a time belong to the earlier side. */
function conditionOf({
  columnName,
  side,
  value,
  isText,
}: NonNullable<RelationPart['boundary']>): string {
  const column = quoteIdentifier(columnName);
  const limit = isText ? quoteLiteral(value) : value;
  return side === 'upTo' ? `(${column} <= ${limit} OR ${column} IS NULL)` : `${column} > ${limit}`;
}

const sqlTypes = {
  INT: 'INTEGER',
  LONG: 'BIGINT',
  FLOAT: 'FLOAT',
  DOUBLE: 'DOUBLE',
  BIG_DECIMAL: 'VARCHAR',
  BOOLEAN: 'BOOLEAN',
  TIMESTAMP: 'TIMESTAMP',
  STRING: 'VARCHAR',
  JSON: 'JSON',
  BYTES: 'BLOB',
  MAP: 'MAP(VARCHAR, JSON)',
} as const;

/**
 * The maximum number of digits of DuckDB's decimals; columns with more remain text with all digits.
 */
const decimalDigitsMax = 38;

function sqlTypeOf({ type, isList, digits }: RelationColumn): string {
  const scale = digits?.scale ?? 0;
  const precision = (digits?.integer ?? decimalDigitsMax) + scale;
  const isDecimal = type === 'BIG_DECIMAL' && precision <= decimalDigitsMax;
  return `${isDecimal ? `DECIMAL(${precision}, ${scale})` : sqlTypes[type]}${isList ? '[]' : ''}`;
}

function storedValue(column: RelationColumn): string {
  const name = quoteIdentifier(column.name);
  // A text that is not an object is not a map.
  if (column.type === 'MAP') return `TRY_CAST(TRY_CAST(${name} AS JSON) AS ${sqlTypeOf(column)})`;
  // The values are JSON, or the server would have declared the column as text; an invalid value
  // becomes null and does not fail the query.
  if (column.type === 'JSON') return `TRY_CAST(${name} AS ${sqlTypeOf(column)})`;
  return column.type === 'BIG_DECIMAL' ? `CAST(${name} AS ${sqlTypeOf(column)})` : name;
}

function absentValue(column: RelationColumn): string {
  const { absentValue: value, type, isList } = column;
  if (value === null) return `CAST(NULL AS ${sqlTypeOf(column)})`;
  const text = quoteLiteral(value);
  const single =
    type === 'BYTES'
      ? `unhex(${text})`
      : type === 'TIMESTAMP'
        ? `make_timestamp(${value} * 1000)`
        : text;
  return `CAST(${isList ? `[${single}]` : single} AS ${sqlTypeOf(column)})`;
}
