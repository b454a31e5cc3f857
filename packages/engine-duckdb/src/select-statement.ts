import duckdb, { type PreparedStatement } from '@duckdb/node-bindings';
import { MiB, QuireError } from '@quire/core';
import { castColumns, type ColumnPlan, columnsOfStatement, planColumns } from './conversion/column-plan.ts';
import { parseFailure, queryError, type Redact, unsupportedColumn } from './duckdb-error.ts';
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

const sqlBytesMax = MiB;
/** The syntax tree that the check reads can be a hundred times as long as the query: enough for 100,000 values in a list. */
const syntaxTreeLengthMax = 16 * MiB;

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
  if (Buffer.byteLength(sql) > sqlBytesMax) {
    throw new QuireError('QUERY_INVALID', `The query is longer than ${sqlBytesMax} bytes.`);
  }
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

/** What `json_serialize_sql` gives: a syntax tree for each statement, or why it cannot. */
interface ParsedSql {
  readonly statements?: readonly SyntaxNode[];
  readonly error_type?: string;
  readonly error_message?: string;
  readonly position?: string;
}

/** The syntax tree of the one SELECT-like statement in the text; nothing is looked up or run for it. */
async function parseSelect(connection: QueryConnection, sql: string, redact: Redact): Promise<SyntaxNode> {
  const options = 'skip_null := true, skip_empty := true, skip_default := true';
  const [row] = await connection.call((handle) =>
    readRows(handle, `SELECT json_serialize_sql(CAST(? AS VARCHAR), ${options}) AS tree`, sql),
  );
  const text = String(row?.['tree']);
  if (text.length > syntaxTreeLengthMax) throw new QuireError('QUERY_INVALID', 'The query has too many parts.');
  const { statements, error_type: type, error_message: message = '', position } = JSON.parse(text) as ParsedSql;
  if (type === 'parser' || type === 'syntax') {
    const place = position === undefined ? undefined : Number(position);
    throw queryError({ type: 'Parser', message, subtype: '', entryType: '', position: place }, 'planning', redact, sql);
  }
  if (statements === undefined) {
    const reason = type === 'not implemented' ? '' : ` ${redact(message)}`;
    throw new QuireError('QUERY_INVALID', `Expected a SELECT, WITH, FROM, VALUES, DESCRIBE, SUMMARIZE or SHOW TABLES.${reason}`);
  }
  const [statement] = statements;
  if (statement === undefined) throw new QuireError('QUERY_SYNTAX', 'The query holds no statement.');
  if (statements.length > 1) {
    throw new QuireError('QUERY_INVALID', `Expected one statement, but the query has ${statements.length}.`);
  }
  return statement;
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
    throw unsupportedColumn(parseFailure(error), redact);
  }
}
