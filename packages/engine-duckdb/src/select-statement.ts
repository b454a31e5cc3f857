import duckdb, { type Connection, type PreparedStatement } from '@duckdb/node-bindings';
import { QuireError } from '@quire/core';
import { castColumns, type ColumnPlan, columnsOfStatement, planColumns } from './conversion/column-plan.ts';
import { parseFailure, queryError, type Redact } from './duckdb-error.ts';
import type { QueryConnection } from './query-connection.ts';
import { readRows } from './read-rows.ts';
import { checkStatement, type SyntaxNode, type TableNames } from './statement-guard.ts';

/** A query that was found to be safe and to make sense, ready to run. */
export interface SelectStatement {
  readonly statement: PreparedStatement;
  /** What runs: the query as it came, or with its columns cast. */
  readonly sql: string;
  readonly plan: ColumnPlan;
  /** The configured tables that it reads. */
  readonly tables: readonly string[];
}

/** Longer queries are refused: the syntax tree that the check needs takes a hundred times as much. */
const sqlBytesMax = 1024 * 1024;
const syntaxTreeLengthMax = 64 * 1024 * 1024;

/**
 * Checks a query and prepares it.
 *
 * @throws QUERY_SYNTAX when it cannot be parsed
 * @throws QUERY_INVALID when it is not one SELECT-like statement without parameters, or reaches outside of the tables
 * @throws TABLE_NOT_FOUND, COLUMN_NOT_FOUND when it names a table or column that is not there
 * @throws UNSUPPORTED_COLUMN_TYPE when DuckDB itself cannot show the values of a column as text
 */
export async function prepareSelect(
  connection: QueryConnection,
  sql: string,
  tableNames: TableNames,
  redact: Redact,
): Promise<SelectStatement> {
  if (sql.includes('\0')) throw new QuireError('QUERY_SYNTAX', 'The query holds a NUL character.');
  if (Buffer.byteLength(sql) > sqlBytesMax) throw new QuireError('QUERY_INVALID', `The query is longer than ${sqlBytesMax} bytes.`);
  try {
    const tables = checkStatement(await parseSelect(connection, sql, redact), tableNames);
    const statement = await connection.call((handle) => duckdb.prepare(handle, sql));
    assertReady(statement);
    const plan = planColumns(columnsOfStatement(statement));
    if (plan.castTypes === undefined) return { statement, sql, plan, tables };
    duckdb.destroy_prepare_sync(statement);
    const castSql = castColumns(sql, plan.castTypes);
    return { statement: await prepareCasts(connection, castSql, redact), sql: castSql, plan, tables };
  } catch (error) {
    throw error instanceof QuireError ? error : queryError(parseFailure(error), 'planning', redact, sql);
  }
}

/** The syntax tree of the one SELECT-like statement in the text. */
async function parseSelect(connection: QueryConnection, sql: string, redact: Redact): Promise<SyntaxNode> {
  const count = await connection.call((handle) => countStatements(handle, sql, redact));
  if (count !== 1) throw new QuireError('QUERY_INVALID', `Expected one statement, but the query has ${count}.`);
  const [row] = await connection.call((handle) =>
    readRows(handle, 'SELECT json_serialize_sql(CAST(? AS VARCHAR), skip_null := true, skip_empty := true) AS tree', sql),
  );
  const text = String(row?.['tree']);
  if (text.length > syntaxTreeLengthMax) throw new QuireError('QUERY_INVALID', 'The query has too many parts.');
  const tree = JSON.parse(text) as { error: boolean; statements?: SyntaxNode[] };
  const statement = tree.statements?.[0];
  if (statement === undefined || tree.statements?.length !== 1) {
    throw new QuireError('QUERY_INVALID', 'Expected a SELECT, WITH, FROM, VALUES, DESCRIBE, SUMMARIZE or SHOW TABLES statement.');
  }
  return statement;
}

async function countStatements(handle: Connection, sql: string, redact: Redact): Promise<number> {
  const { extracted_statements: statements, statement_count: count } = await duckdb.extract_statements(handle, sql);
  if (count > 0) return count;
  const reason = parseErrorOf(statements);
  if (reason === undefined) throw new QuireError('QUERY_SYNTAX', 'The query holds no statement.');
  throw queryError(parseFailure(new Error(reason)), 'planning', redact, sql);
}

function parseErrorOf(statements: duckdb.ExtractedStatements): string | undefined {
  try {
    return duckdb.extract_statements_error(statements);
  } catch {
    // A text without any statement (empty, or only comments) has no error, and asking for none is one to the bindings.
    return undefined;
  }
}

function assertReady(statement: PreparedStatement): void {
  const isSelect = duckdb.prepared_statement_type(statement) === duckdb.StatementType.SELECT;
  if (!isSelect || duckdb.nparams(statement) > 0) {
    duckdb.destroy_prepare_sync(statement);
    const message = isSelect ? 'The query has parameters, for which there are no values.' : 'Expected a SELECT-like statement.';
    throw new QuireError('QUERY_INVALID', message);
  }
}

async function prepareCasts(connection: QueryConnection, sql: string, redact: Redact): Promise<PreparedStatement> {
  try {
    return await connection.call((handle) => duckdb.prepare(handle, sql));
  } catch (error) {
    if (error instanceof QuireError) throw error;
    const { message } = parseFailure(error);
    throw new QuireError('UNSUPPORTED_COLUMN_TYPE', redact(`A column has a type that cannot be shown: ${message}`));
  }
}
