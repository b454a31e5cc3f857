import { readFile } from 'node:fs/promises';
import duckdb from '@duckdb/node-bindings';
import { describe, expect, test } from 'vitest';
import { isFunctionRefused, isTableFunctionAllowed } from '../src/function-policy.ts';
import { readRows } from '../src/read-rows.ts';

/** Returns the names of DuckDB's functions of all kinds except PRAGMAs, which no query can call. */
async function functionNames(kinds: string): Promise<string[]> {
  const database = await duckdb.open(':memory:', duckdb.create_config());
  const connection = await duckdb.connect(database);
  try {
    const sql = `SELECT DISTINCT function_name AS name FROM duckdb_functions() WHERE function_type IN (${kinds}) ORDER BY ALL`;
    return (await readRows(connection, sql)).map(({ name }) => String(name));
  } finally {
    duckdb.disconnect_sync(connection);
    duckdb.close_sync(database);
  }
}

describe('the functions that queries may call', () => {
  test('the functions that queries may call are all that read from nowhere but their arguments', async () => {
    const names = await functionNames(`'table', 'table_macro'`);

    expect(names.filter(isTableFunctionAllowed)).toEqual([
      'generate_series',
      'json_each',
      'json_tree',
      'pg_timezone_names',
      'range',
      'repeat',
      'repeat_row',
      'test_all_types',
      'test_vector_types',
      'unnest',
    ]);
  });

  test('the functions that queries may call were all looked at: those of a new DuckDB must be, and are then added to reviewed-functions.txt', async () => {
    const names = await functionNames(`'scalar', 'macro', 'aggregate'`);
    const reviewed = await readFile(new URL('reviewed-functions.txt', import.meta.url), 'utf8');

    expect(names.filter((name) => !isFunctionRefused(name))).toEqual(reviewed.trim().split('\n'));
  });
});
