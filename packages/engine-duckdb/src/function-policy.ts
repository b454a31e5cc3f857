/**
 * What queries may call.
 *
 * Table functions can read files, settings and the catalog: only those listed here are open. Functions of values cannot, with
 * the exceptions listed here. A test compares both with all the functions of this DuckDB version, so that an upgrade that adds
 * one fails until somebody has looked at it.
 */

const allowedTableFunctions: ReadonlySet<string> = new Set([
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

export function isTableFunctionAllowed(name: string): boolean {
  return allowedTableFunctions.has(name);
}

/** Functions of values that show settings or definitions, write, or hold a thread that nothing can interrupt. */
export const refusedFunctions: ReadonlySet<string> = new Set([
  'current_setting', // directories of the server
  'getvariable',
  'getenv', // only in DuckDB's own shell, today
  'pg_get_viewdef', // the definition of a table holds its path
  'pg_get_constraintdef',
  'pg_get_expr',
  'get_block_size', // reads the catalog of databases
  'json_serialize_plan', // a plan holds the paths of what it scans
  'parse_duckdb_log_message',
  'write_log',
  'nextval',
  'currval',
  'setseed',
  'sleep_ms',
  'pg_sleep',
]);
