/* The functions that queries may call.
   
   Table functions can read files, settings and the catalog: only those listed here are allowed.
   Scalar functions cannot, except for the refused ones below. A test compares both lists with all
   functions of this DuckDB version, so that an upgrade that adds one fails until it has been
   reviewed. */

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

const refusedFunctions: ReadonlySet<string> = new Set([
  'current_setting', // returns directories of the server
  'getenv', // today it exists only in DuckDB's own shell
  'get_block_size', // reads the catalog of databases
  'json_serialize_plan', // a plan contains the paths of the files that it scans
  'pg_get_constraintdef',
  'pg_get_viewdef', // the definition of a table contains its path
  'pg_sleep', // blocks a thread that cannot be interrupted
  'sleep_ms',
  'write_log',
]);

/** Takes the name in lower case, like `isFunctionRefused`. */
export function isTableFunctionAllowed(name: string): boolean {
  return allowedTableFunctions.has(name);
}

export function isFunctionRefused(name: string): boolean {
  // DuckDB's internal functions rely on arguments that only its optimizer creates.
  return refusedFunctions.has(name) || name.startsWith('__internal');
}
