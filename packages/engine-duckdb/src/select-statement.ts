import duckdb, {
  type Connection,
  type PreparedStatement,
  type Result,
} from '@duckdb/node-bindings';
import { type ParameterType, type Query, QuireError, isQuireError } from '@quire/core';
import {
  type BoundValues,
  matchParameters,
  parameterTypesOf,
  prepareWith,
} from './bind-parameters.ts';
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
import { parseSelect } from './parse-select.ts';
import { rowsOf } from './read-rows.ts';
import {
  checkColumnCount,
  checkColumns,
  checkText,
  type StatementLimits,
} from './statement-limits.ts';
import type { TableScope } from './table-scope.ts';
import { checkStatement } from './statement-guard.ts';
import { bodyOf } from './statement-text.ts';
import { withStreamedLimit } from './stream-limit.ts';

/** A checked query that is ready to run. */
export interface SelectStatement {
  readonly statement: PreparedStatement;
  /** The SQL that runs: the given query, or one with its columns cast or its LIMIT streamed. */
  readonly sql: string;
  readonly values: BoundValues;
  /** As `QueryExecution.parameterTypes`. */
  readonly parameterTypes?: readonly ParameterType[] | undefined;
  readonly plan: ColumnPlan;
  /** The query as given. */
  readonly givenSql: string;
  /** The query as a relation to select from, with column names from an alias. */
  readonly relation: string;
  /** True if its HUGEINT columns are sums of integers. */
  readonly hasSums: boolean;
  /** The configured tables that it reads. */
  readonly tables: readonly string[];
  /** True if it always has the same answer for the same data. */
  readonly isRepeatable: boolean;
  /**
   * True if it was translated from another dialect: positions in it are not those of the caller's
   * text.
   */
  readonly isTranslated?: boolean;
}

/** The limits of a query, and the redaction of its messages. */
export interface StatementRules {
  readonly limits: StatementLimits;
  readonly redact: Redact;
}

/**
 * Checks and prepares a query in DuckDB's own language.
 *
 * @throws QUERY_SYNTAX when it cannot be parsed
 * @throws QUERY_INVALID when it is not one SELECT-like statement, reads anything besides the
 *   tables, exceeds a limit, or its parameters have no values
 * @throws TABLE_NOT_FOUND, COLUMN_NOT_FOUND when it names a table or column that does not exist
 * @throws UNSUPPORTED_COLUMN_TYPE when DuckDB itself cannot cast the values of a column to text
 */
export async function prepareSelect(
  connection: QueryConnection,
  { sql: givenSql, parameters }: Query,
  scope: TableScope,
  { limits, redact }: StatementRules,
): Promise<SelectStatement> {
  if (givenSql.includes('\0')) {
    throw new QuireError('QUERY_SYNTAX', 'The query contains a NUL character.');
  }
  checkText(givenSql, limits);
  let tables: readonly string[] = [];
  try {
    const tree = await parseSelect(connection, givenSql, limits, redact);
    const readable = { tables: scope.names, results: scope.results.ids };
    const { results, traits, ...read } = await checkStatement(tree, readable, limits);
    tables = read.tables;
    await scope.define(connection, tables, traits);
    await scope.results.define(connection, results, redact);
    const values = matchParameters(tree, parameters);
    const sql = withStreamedLimit(givenSql, tree);
    const common = {
      givenSql,
      values,
      tables,
      hasSums: traits.hasSums,
      isRepeatable: traits.isRepeatable,
    };
    const statement = await connection.call((handle) => duckdb.prepare(handle, sql));
    assertSelect(statement);
    if (values.size > 0) {
      const parameterTypes = parameterTypesOf(statement);
      duckdb.destroy_prepare_sync(statement);
      const bound = await prepareBound(connection, sql, values, limits, redact);
      return { ...bound, ...common, parameterTypes };
    }
    const plan = await planStatement(connection, statement, limits);
    const relation = `query(${quoteLiteral(sql)})`;
    if (plan.castTypes === undefined) return { statement, sql, plan, relation, ...common };
    duckdb.destroy_prepare_sync(statement);
    const castSql = castColumns(relation, plan.castTypes);
    return {
      statement: await prepareCasts(connection, castSql, redact),
      sql: castSql,
      plan,
      relation,
      ...common,
    };
  } catch (error) {
    throw isQuireError(error)
      ? error
      : queryError(parseFailure(error), 'planning', redact, { sql: givenSql, tables });
  }
}

/**
 * Prepares a query with parameters. Its columns depend on their values, and DuckDB reports them
 * only for queries that run. So the query is run for no rows first, which the planner optimizes
 * away.
 */
async function prepareBound(
  connection: QueryConnection,
  sql: string,
  values: BoundValues,
  limits: StatementLimits,
  redact: Redact,
): Promise<Pick<SelectStatement, 'statement' | 'sql' | 'plan' | 'relation'>> {
  try {
    // The text of the caller: DuckDB's own form of it has literals of other types, 1000.0 for 1e3.
    const relation = `(${bodyOf(sql)}\n)`;
    const columns = await connection.call((handle) =>
      columnsOfBound(handle, relation, values, limits),
    );
    const plan = planColumns(columns);
    const bound = plan.castTypes === undefined ? sql : castColumns(relation, plan.castTypes);
    const statement = await connection.call((handle) => prepareWith(handle, bound, values));
    return { statement, sql: bound, plan, relation };
  } catch (error) {
    // Positions in a rewritten query are not those of the caller's text.
    throw isQuireError(error) ? error : queryError(parseFailure(error), 'planning', redact);
  }
}

/** Plans the columns of a statement, and destroys the statement if they are refused. */
async function planStatement(
  connection: QueryConnection,
  statement: PreparedStatement,
  limits: StatementLimits,
): Promise<ColumnPlan> {
  try {
    checkColumnCount(duckdb.prepared_statement_column_count(statement), limits);
    const columns = await columnsOfStatement(statement);
    if (connection.stopReason !== undefined) throw connection.stopReason;
    checkColumns(
      columns.map(({ type }) => type),
      limits,
    );
    return planColumns(columns);
  } catch (error) {
    duckdb.destroy_prepare_sync(statement);
    throw error;
  }
}

async function columnsOfBound(
  handle: Connection,
  relation: string,
  values: BoundValues,
  limits: StatementLimits,
): Promise<readonly AnswerColumn[]> {
  const result = await executeOnce(handle, `SELECT * FROM ${relation} LIMIT 0`, values);
  checkColumnCount(duckdb.column_count(result), limits);
  const typed = columnsOfResult(result);
  checkColumns(
    typed.map(({ type }) => type),
    limits,
  );
  // There, a column that shares its name with another one has a number appended.
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

function assertSelect(statement: PreparedStatement): void {
  if (duckdb.prepared_statement_type(statement) === duckdb.StatementType.SELECT) return;
  duckdb.destroy_prepare_sync(statement);
  throw new QuireError('QUERY_INVALID', 'Expected a SELECT-like statement.');
}

async function prepareCasts(
  connection: QueryConnection,
  sql: string,
  redact: Redact,
): Promise<PreparedStatement> {
  try {
    return await connection.call((handle) => duckdb.prepare(handle, sql));
  } catch (error) {
    if (isQuireError(error)) throw error;
    throw unsupportedColumn(parseFailure(error), redact);
  }
}
