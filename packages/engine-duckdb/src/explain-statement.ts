import duckdb from '@duckdb/node-bindings';
import type { Query } from '@quire/core';
import { planQuery } from './pinot/explain.ts';
import type { QueryConnection } from './query-connection.ts';
import { readBoundRows } from './read-rows.ts';
import { prepareSelect, type SelectStatement, type StatementRules } from './select-statement.ts';
import { blankEndOf } from './statement-text.ts';
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
  duckdb.destroy_prepare_sync(explained.statement);
  const plan = isDescribed
    ? '[]'
    : await readPlan(connection, explained, analyze !== undefined ? 'ANALYZE, ' : '');
  const prepared = await prepareSelect(
    connection,
    { sql: planQuery(plan, { isTimed: analyze !== undefined }) },
    scope,
    rules,
  );
  const { tables } = explained;
  return { ...prepared, tables, givenSql: query.sql, isRepeatable: false };
}

/** Returns DuckDB's plan as JSON; with `ANALYZE, ` after running the query. */
async function readPlan(
  connection: QueryConnection,
  { sql, values }: SelectStatement,
  analyze: 'ANALYZE, ' | '',
): Promise<string> {
  const rows = await connection.call((handle) =>
    readBoundRows(handle, `EXPLAIN (${analyze}FORMAT json) ${sql}`, values),
  );
  return String(rows[0]?.['explain_value']);
}
