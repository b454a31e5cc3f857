import duckdb from '@duckdb/node-bindings';
import { isQuireError, type Query } from '@quire/core';
import { parseFailureAfter, queryError, type Redact } from './duckdb-error.ts';
import { planQuery } from './pinot/explain.ts';
import type { QueryConnection } from './query-connection.ts';
import { readBoundRows } from './read-rows.ts';
import { prepareSelect, type SelectStatement, type StatementRules } from './select-statement.ts';
import { blankEndOf, bodyOf } from './statement-text.ts';
import type { TableScope } from './table-scope.ts';

/** Matches the keyword, with ANALYZE or PLAN FOR. */
const keyword = /EXPLAIN\s+(?:(ANALYZE)\s+|PLAN\s+FOR\s+)?/iy;

/**
 * Prepares a query in DuckDB's own language, or one with a leading `EXPLAIN` (`EXPLAIN PLAN FOR`),
 * whose rows are the steps of the plan. `EXPLAIN ANALYZE` first runs the query, within the limits
 * of any query, and adds the rows and the time of each step. The explained query is checked like
 * any other.
 *
 * @throws as `prepareSelect`
 */
export async function prepareStatement(
  connection: QueryConnection,
  query: Query,
  scope: TableScope,
  rules: StatementRules,
  { isDescribed = false }: { readonly isDescribed?: boolean } = {},
): Promise<SelectStatement> {
  keyword.lastIndex = blankEndOf(query.sql);
  const [words, analyze] = keyword.exec(query.sql) ?? [];
  if (words === undefined) return prepareSelect(connection, query, scope, rules);
  // The length is unchanged, so that positions in messages are those of the caller's text.
  const length = blankEndOf(query.sql) + words.length;
  const sql = query.sql.slice(0, length).replaceAll(/[^\n]/g, ' ') + query.sql.slice(length);
  const explained = await prepareSelect(connection, { ...query, sql }, scope, rules);
  const isTimed = analyze !== undefined;
  if (isDescribed) duckdb.destroy_prepare_sync(explained.statement);
  const plan = isDescribed
    ? '[]'
    : await readPlan(connection, { ...explained, givenSql: query.sql }, rules.redact, { isTimed });
  const prepared = await prepareSelect(
    connection,
    { sql: planQuery(plan, { isTimed }) },
    scope,
    rules,
  );
  const { tables } = explained;
  return { ...prepared, tables, givenSql: query.sql, isRepeatable: false };
}

/**
 * Returns DuckDB's plan of a statement as JSON, and destroys the statement; with `isTimed`, after
 * running it.
 *
 * @throws as a query that is running
 */
export async function readPlan(
  connection: QueryConnection,
  { statement, sql, givenSql, values, plan, tables, isTranslated }: SelectStatement,
  redact: Redact,
  { isTimed = false } = {},
): Promise<string> {
  duckdb.destroy_prepare_sync(statement);
  const prefix = `EXPLAIN (${isTimed ? 'ANALYZE, ' : ''}FORMAT json) `;
  try {
    const rows = await connection.call((handle) =>
      readBoundRows(handle, prefix + bodyOf(sql), values),
    );
    return String(rows[0]?.['explain_value']);
  } catch (error) {
    if (isQuireError(error)) throw error;
    const isGiven = plan.castTypes === undefined && isTranslated !== true;
    throw queryError(parseFailureAfter(prefix, error), 'running', redact, {
      sql: isGiven ? givenSql : undefined,
      tables,
    });
  }
}
