import { QuireError } from '@quire/core';
import { yieldToEventLoop } from '@quire/core/wait';
import duckdb, {
  type LogicalType,
  type PreparedStatement,
  type Result,
} from '@duckdb/node-bindings';
import { Schema, Struct } from 'apache-arrow';
import { type ColumnType, columnTypeOf, fieldOf, quoteIdentifier } from './column-type.ts';
import type { VectorReader } from './fixed-width.ts';

/** The conversion of the columns of one result to Arrow record batches. */
export interface ColumnPlan {
  readonly schema: Schema;
  /** The type of a batch: all columns in one struct. */
  readonly rowType: Struct;
  readonly readers: readonly VectorReader[];
  /**
   * The SQL types to cast the columns to before they are read; undefined if all can be read
   * directly.
   */
  readonly castTypes: readonly string[] | undefined;
  readonly columns: readonly TypedColumn[];
}

export interface TypedColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/**
 * The number of columns after which the loop yields to the event loop: the time that DuckDB takes
 * for one grows with their number.
 */
const columnsAtOnce = 100;

export interface AnswerColumn {
  readonly name: string;
  readonly type: LogicalType;
}

/**
 * Returns the columns of a prepared statement. DuckDB does not know them while a parameter has no
 * value.
 */
export async function columnsOfStatement(
  statement: PreparedStatement,
): Promise<readonly AnswerColumn[]> {
  const columns: AnswerColumn[] = [];
  const count = duckdb.prepared_statement_column_count(statement);
  for (let column = 0; column < count; column += 1) {
    if (column % columnsAtOnce === columnsAtOnce - 1) await yieldToEventLoop();
    columns.push({
      name: duckdb.prepared_statement_column_name(statement, column),
      type: duckdb.prepared_statement_column_logical_type(statement, column),
    });
  }
  return columns;
}

export function columnsOfResult(result: Result): readonly AnswerColumn[] {
  return Array.from({ length: duckdb.column_count(result) }, (_, column) => ({
    name: duckdb.column_name(result, column),
    type: duckdb.column_logical_type(result, column),
  }));
}

/** Plans the conversion of columns. Names are unchanged, even if several columns share one. */
export function planColumns(columns: readonly AnswerColumn[]): ColumnPlan {
  return planTyped(columns.map(({ name, type }) => ({ name, type: columnTypeOf(type) })));
}

/** Plans the conversion of columns whose types are known. */
export function planTyped(typed: readonly TypedColumn[]): ColumnPlan {
  const fields = typed.map(({ name, type }) => fieldOf(name, type));
  const types = typed.map(({ type }) => type);
  return {
    schema: new Schema(fields),
    rowType: new Struct(fields),
    readers: types.map(({ read }) => read),
    castTypes: types.some(({ needsCast }) => needsCast) ? types.map(({ sql }) => sql) : undefined,
    columns: typed,
  };
}

/**
 * Checks that the columns of a result have the types by which they will be read: values of another
 * type would be misread, with memory beyond them.
 *
 * @throws INTERNAL when they have not
 */
export function assertPlanned(columns: readonly AnswerColumn[], plan: ColumnPlan): void {
  const given = columns.map(({ type }) => columnTypeOf(type).sql);
  const planned = plan.columns.map(({ type }) => type.sql);
  const longer = given.length > planned.length ? given : planned;
  const index = longer.findIndex((_, column) => planned[column] !== given[column]);
  if (index < 0) return;
  throw new QuireError(
    'INTERNAL',
    `Column ${index + 1} of the answer has the type ${given[index] ?? 'none'}, but ${planned[index] ?? 'none'} was planned.`,
  );
}

/**
 * Returns a query with its columns cast. The relation is the query as a call of `query`, which
 * takes its text as a literal with any comments and semicolons, but without parameters; or the
 * query in brackets.
 *
 * Columns are named by position, since their own names may repeat. A projection keeps the order of
 * rows.
 */
export function castColumns(relation: string, castTypes: readonly string[]): string {
  const names = castTypes.map((_, column) => `c${column}`);
  const casts = castTypes.map((type, column) => `CAST(c${column} AS ${type}) AS c${column}`);
  return `SELECT ${casts.join(', ')} FROM ${relation} AS answer(${names.map(quoteIdentifier).join(', ')})`;
}

/** Quotes a text for SQL. */
export function quoteLiteral(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
