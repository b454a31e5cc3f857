import duckdb from '@duckdb/node-bindings';
import { isQuireError } from '@quire/core';
import { type BoundValues, prepareWith } from './bind-parameters.ts';
import { castColumns, planTyped } from './conversion/column-plan.ts';
import { bigint, hugeint } from './conversion/column-type.ts';
import { parseFailure, queryError, type Redact } from './duckdb-error.ts';
import type { QueryConnection } from './query-connection.ts';
import { readBoundRows } from './read-rows.ts';
import type { SelectStatement } from './select-statement.ts';

/*
 * DuckDB adds integers up in 128 bits. Most sums fit in 64, and clients have a number for those: such a column is Int64 when all of
 * its values fit, Decimal128 otherwise. That is decided before the first row is given: nothing may change afterwards.
 */

const heldAnswer = 'temp.main."answer with sums"';

/**
 * Runs a query with sums, keeps its rows in DuckDB, and gives the statement that reads them with
 * the types that they fit in. Other queries stay as they are.
 *
 * @throws as a query that is running
 */
export async function settleSums(
  connection: QueryConnection,
  select: SelectStatement,
  redact: Redact,
): Promise<SelectStatement> {
  const { columns } = select.plan;
  const sums = select.hasSums
    ? [...columns.keys()].filter((index) => columns[index]?.type === hugeint)
    : [];
  if (sums.length === 0) return select;
  duckdb.destroy_prepare_sync(select.statement);
  try {
    // An answer that DuckDB has no room for is computed twice: once to look at its sums, once to
    // give its rows.
    const relation = (await holdAnswer(connection, select, redact)) ? heldAnswer : select.relation;
    const fitting = new Set(await findFitting(connection, select, relation, sums));
    const plan = planTyped(
      columns.map((column, index) => (fitting.has(index) ? { ...column, type: bigint } : column)),
    );
    const castTypes = plan.columns.map(({ type }) => type.sql);
    const sql = castColumns(relation, castTypes);
    const statement = await connection.call((handle) => prepareWith(handle, sql, select.values));
    return { ...select, statement, sql, plan: { ...plan, castTypes } };
  } catch (error) {
    throw isQuireError(error)
      ? error
      : queryError(parseFailure(error), 'running', redact, { tables: select.tables });
  }
}

/**
 * Puts the answer into a table of the connection, in its order; false when there is no room for it.
 */
async function holdAnswer(
  connection: QueryConnection,
  { givenSql, values, plan, tables }: SelectStatement,
  redact: Redact,
): Promise<boolean> {
  const prefix = `CREATE TEMP TABLE ${heldAnswer}(${plan.columns.map((_, index) => `c${index}`).join(', ')}) AS `;
  try {
    await run(connection, prefix + givenSql, values);
    return true;
  } catch (error) {
    if (isQuireError(error)) throw error;
    const failure = parseFailure(error);
    if (failure.type === 'Out of Memory') return false;
    const position = failure.position === undefined ? undefined : failure.position - prefix.length;
    throw queryError({ ...failure, position }, 'running', redact, { sql: givenSql, tables });
  }
}

/** Those of the columns whose values all fit in 64 bits. */
async function findFitting(
  connection: QueryConnection,
  { values, plan }: SelectStatement,
  relation: string,
  sums: readonly number[],
): Promise<readonly number[]> {
  const names = plan.columns.map((_, index) => `c${index}`);
  const fits = sums.map(
    (index) =>
      `coalesce(min(c${index}) >= -9223372036854775808 AND max(c${index}) <= 9223372036854775807, true) AS c${index}`,
  );
  const sql = `SELECT ${fits.join(', ')} FROM ${relation} AS answer(${names.join(', ')})`;
  const [row] = await run(connection, sql, values);
  return sums.filter((index) => row?.[`c${index}`] === true);
}

function run(
  connection: QueryConnection,
  sql: string,
  values: BoundValues,
): Promise<readonly Record<string, unknown>[]> {
  return connection.call((handle) => readBoundRows(handle, sql, values));
}
