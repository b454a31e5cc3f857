import duckdb, { type Connection, type PreparedStatement, type Result } from '@duckdb/node-bindings';
import { MiB, type Query, QuireError } from '@quire/core';
import { type BoundValues, matchParameters, prepareWith } from './bind-parameters.ts';
import {
  type AnswerColumn,
  castColumns,
  type ColumnPlan,
  columnsOfResult,
  columnsOfStatement,
  planColumns,
  quoteLiteral,
} from './conversion/column-plan.ts';
import { parseFailure, queryError, type Redact, unsupportedColumn } from './duckdb-error.ts';
import type { QueryConnection } from './query-connection.ts';
import { readRows, rowsOf } from './read-rows.ts';
import type { TableScope } from './table-scope.ts';
import { checkStatement, type SyntaxNode } from './statement-guard.ts';

/** A query that was found to be safe and to make sense, ready to run. */
export interface SelectStatement {
  readonly statement: PreparedStatement;
  /** What runs: the query as it came, or with its columns cast. */
  readonly sql: string;
  readonly values: BoundValues;
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
 * @throws QUERY_INVALID when it is not one SELECT-like statement, reaches outside of the tables, or its parameters have no values
 * @throws TABLE_NOT_FOUND, COLUMN_NOT_FOUND when it names a table or column that is not there
 * @throws UNSUPPORTED_COLUMN_TYPE when DuckDB itself cannot show the values of a column as text
 */
export async function prepareSelect(
  connection: QueryConnection,
  { sql, parameters }: Query,
  scope: TableScope,
  redact: Redact,
): Promise<SelectStatement> {
  if (sql.includes('\0')) throw new QuireError('QUERY_SYNTAX', 'The query holds a NUL character.');
  if (Buffer.byteLength(sql) > sqlBytesMax) {
    throw new QuireError('QUERY_INVALID', `The query is longer than ${sqlBytesMax} bytes.`);
  }
  try {
    const tree = await parseSelect(connection, sql, redact);
    const tables = checkStatement(tree, scope.names);
    await scope.define(connection, tables, tree);
    const values = matchParameters(tree, parameters);
    const statement = await connection.call((handle) => duckdb.prepare(handle, sql));
    assertSelect(statement);
    if (values.size > 0) {
      duckdb.destroy_prepare_sync(statement);
      return { ...(await prepareBound(connection, sql, values, redact)), values, tables };
    }
    const plan = planColumns(columnsOfStatement(statement));
    if (plan.castTypes === undefined) return { statement, sql, values, plan, tables };
    duckdb.destroy_prepare_sync(statement);
    const castSql = castColumns(`query(${quoteLiteral(sql)})`, plan.castTypes);
    return { statement: await prepareCasts(connection, castSql, redact), sql: castSql, values, plan, tables };
  } catch (error) {
    throw error instanceof QuireError ? error : queryError(parseFailure(error), 'planning', redact, sql);
  }
}

/**
 * Prepares a query with parameters. Its columns depend on their values, and DuckDB tells them only of what runs: so the query is run
 * for no rows first, which the planner makes nothing of.
 */
async function prepareBound(
  connection: QueryConnection,
  sql: string,
  values: BoundValues,
  redact: Redact,
): Promise<Pick<SelectStatement, 'statement' | 'sql' | 'plan'>> {
  try {
    const relation = `(${await canonicalText(connection, sql)})`;
    const columns = await connection.call((handle) => columnsOfBound(handle, relation, values));
    const plan = planColumns(columns);
    const bound = plan.castTypes === undefined ? sql : castColumns(relation, plan.castTypes);
    const statement = await connection.call((handle) => prepareWith(handle, bound, values));
    return { statement, sql: bound, plan };
  } catch (error) {
    // Places in a query that was rewritten mean nothing to who wrote it.
    throw error instanceof QuireError ? error : queryError(parseFailure(error), 'planning', redact);
  }
}

/** DuckDB's own spelling of a query: one that can stand in brackets, without comments and semicolons. */
async function canonicalText(connection: QueryConnection, sql: string): Promise<string> {
  const [row] = await connection.call((handle) =>
    readRows(handle, 'SELECT json_deserialize_sql(json_serialize_sql(CAST(? AS VARCHAR))) AS text', sql),
  );
  return String(row?.['text']);
}

async function columnsOfBound(handle: Connection, relation: string, values: BoundValues): Promise<readonly AnswerColumn[]> {
  const typed = columnsOfResult(await executeOnce(handle, `SELECT * FROM ${relation} LIMIT 0`, values));
  // There, a column that shares its name with another one got a number behind it.
  const named = await rowsOf(await executeOnce(handle, `DESCRIBE ${relation}`, values));
  return typed.map(({ type }, index) => ({ name: String(named[index]?.['column_name']), type }));
}

async function executeOnce(handle: Connection, sql: string, values: BoundValues): Promise<Result> {
  const statement = await prepareWith(handle, sql, values);
  try {
    return await duckdb.execute_prepared(statement);
  } finally {
    duckdb.destroy_prepare_sync(statement);
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

function assertSelect(statement: PreparedStatement): void {
  if (duckdb.prepared_statement_type(statement) === duckdb.StatementType.SELECT) return;
  duckdb.destroy_prepare_sync(statement);
  throw new QuireError('QUERY_INVALID', 'Expected a SELECT-like statement.');
}

async function prepareCasts(connection: QueryConnection, sql: string, redact: Redact): Promise<PreparedStatement> {
  try {
    return await connection.call((handle) => duckdb.prepare(handle, sql));
  } catch (error) {
    if (error instanceof QuireError) throw error;
    throw unsupportedColumn(parseFailure(error), redact);
  }
}
