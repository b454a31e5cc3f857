import duckdb from '@duckdb/node-bindings';
import { isQuireError } from '@quire/core';
import type { Schema } from 'apache-arrow';
import { type BoundValues, prepareWith } from './bind-parameters.ts';
import { castColumns, planTyped } from './conversion/column-plan.ts';
import { bigint, type ColumnType, digits, hugeint } from './conversion/column-type.ts';
import {
  type DuckDbFailure,
  parseFailure,
  parseFailureAfter,
  queryError,
  type Redact,
} from './duckdb-error.ts';
import type { QueryConnection } from './query-connection.ts';
import { readBoundRows } from './read-rows.ts';
import type { SelectStatement } from './select-statement.ts';
import { bodyOf } from './statement-text.ts';

/* DuckDB sums integers in 128 bits. Most sums fit in 64, for which clients have a number type: such
   a column is Int64 if all of its values fit. Other 128-bit columns are Decimal128 if all of their
   values have at most the 38 digits that Arrow allows, and text otherwise. That is decided before
   the first row is returned, because the schema cannot change afterwards. */

/** Returns the schema of a statement whose sums fit in 64 bits. */
export function likelySchemaOf({ plan, hasSums }: SelectStatement): Schema {
  if (!hasSums || plan.columns.every(({ type }) => type !== hugeint)) return plan.schema;
  return planTyped(
    plan.columns.map((column) => (column.type === hugeint ? { ...column, type: bigint } : column)),
  ).schema;
}

const materializedAnswer = 'temp.main."answer with sums"';

/**
 * Runs a query with HUGEINT columns, keeps its rows in DuckDB, and returns the statement that reads
 * them with the types that fit. Other queries are returned unchanged.
 *
 * @throws as a query that is running
 */
export async function narrowSums(
  connection: QueryConnection,
  select: SelectStatement,
  redact: Redact,
): Promise<SelectStatement> {
  const { columns } = select.plan;
  const wide = [...columns.keys()].filter((index) => columns[index]?.type === hugeint);
  if (wide.length === 0) return select;
  duckdb.destroy_prepare_sync(select.statement);
  try {
    // A result that DuckDB has no space for is computed twice: once to check its sums, once for its
    // rows.
    const relation = (await materializeAnswer(connection, select, redact))
      ? materializedAnswer
      : select.relation;
    const types = await findTypes(connection, select, relation, wide);
    const plan = planTyped(
      columns.map((column, index) => ({ ...column, type: types.get(index) ?? column.type })),
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
 * Stores the result in a table of the connection, in its order; returns false if there is no space
 * for it.
 */
async function materializeAnswer(
  connection: QueryConnection,
  { givenSql, relation, values, plan, tables, isTranslated }: SelectStatement,
  redact: Redact,
): Promise<boolean> {
  const prefix = `CREATE TEMP TABLE ${materializedAnswer}(${plan.columns.map((_, index) => `c${index}`).join(', ')}) AS `;
  let isGiven = isTranslated !== true;
  try {
    await run(connection, prefix + bodyOf(givenSql), values).catch((error: unknown) => {
      // A table needs names for the members of `row(1, 2)`; the cast gives them those of the
      // answer.
      if (isQuireError(error) || !isUnnamed(parseFailure(error))) throw error;
      isGiven = false;
      const castTypes = plan.columns.map(({ type }) => type.sql);
      return run(connection, prefix + castColumns(relation, castTypes), values);
    });
    return true;
  } catch (error) {
    if (isQuireError(error)) throw error;
    const failure = parseFailureAfter(prefix, error);
    if (failure.type === 'Out of Memory') return false;
    const sql = isGiven ? givenSql : undefined;
    throw queryError(failure, 'running', redact, { sql, tables });
  }
}

function isUnnamed({ message }: Pick<DuckDbFailure, 'message'>): boolean {
  return message.includes('cannot be created from an unnamed struct');
}

/** The largest integer of 38 digits, the most that Arrow's Decimal128 may have. */
const decimalMax = '9'.repeat(38);

/** Returns the narrowest type that fits all values of each of the columns. */
async function findTypes(
  connection: QueryConnection,
  { values, plan, hasSums }: SelectStatement,
  relation: string,
  wide: readonly number[],
): Promise<ReadonlyMap<number, ColumnType>> {
  const names = plan.columns.map((_, index) => `c${index}`);
  const isWithin = (index: number, min: string, max: string): string =>
    `coalesce(min(c${index}) >= ${min} AND max(c${index}) <= ${max}, true)`;
  const fits = wide.flatMap((index) => [
    `${isWithin(index, '-9223372036854775808', '9223372036854775807')} AS bigint${index}`,
    `${isWithin(index, `-${decimalMax}`, decimalMax)} AS decimal${index}`,
  ]);
  const sql = `SELECT ${fits.join(', ')} FROM ${relation} AS answer(${names.join(', ')})`;
  const [row] = await run(connection, sql, values);
  return new Map(
    wide.map((index) => {
      if (hasSums && row?.[`bigint${index}`] === true) return [index, bigint];
      return [index, row?.[`decimal${index}`] === true ? hugeint : digits];
    }),
  );
}

function run(
  connection: QueryConnection,
  sql: string,
  values: BoundValues,
): Promise<readonly Record<string, unknown>[]> {
  return connection.call((handle) => readBoundRows(handle, sql, values));
}
