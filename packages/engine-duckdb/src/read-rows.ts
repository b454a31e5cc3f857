import duckdb, { type Connection, type Result } from '@duckdb/node-bindings';
import type { StructRowProxy } from 'apache-arrow';
import { type BoundValues, prepareWith } from './bind-parameters.ts';
import { columnsOfResult, planColumns } from './conversion/column-plan.ts';
import { recordBatchesOf } from './conversion/record-batches.ts';

/**
 * Runs a small internal query, with text values for its parameters, and returns all its rows as
 * plain objects.
 */
export async function readRows(
  connection: Connection,
  sql: string,
  ...values: readonly string[]
): Promise<readonly Record<string, unknown>[]> {
  const statement = await duckdb.prepare(connection, sql);
  try {
    for (const [index, value] of values.entries()) duckdb.bind_varchar(statement, index + 1, value);
    return await rowsOf(await duckdb.execute_prepared(statement));
  } finally {
    duckdb.destroy_prepare_sync(statement);
  }
}

/** Runs an internal query around the caller's, with the caller's values. */
export async function readBoundRows(
  connection: Connection,
  sql: string,
  values: BoundValues,
): Promise<readonly Record<string, unknown>[]> {
  const statement = await prepareWith(connection, sql, values);
  try {
    return await rowsOf(await duckdb.execute_prepared(statement));
  } finally {
    duckdb.destroy_prepare_sync(statement);
  }
}

/** Returns all rows of a result as plain objects. */
export async function rowsOf(result: Result): Promise<readonly Record<string, unknown>[]> {
  const plan = planColumns(columnsOfResult(result));
  const rows: Record<string, unknown>[] = [];
  for (;;) {
    const chunk = await duckdb.fetch_chunk(result);
    if (chunk === null || duckdb.data_chunk_get_size(chunk) === 0) return rows;
    for (const batch of recordBatchesOf(chunk, plan)) {
      for (const row of batch.toArray() as StructRowProxy[]) rows.push(row.toJSON());
    }
  }
}
