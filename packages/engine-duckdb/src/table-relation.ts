import type { Connection } from '@duckdb/node-bindings';
import { quoteLiteral } from './conversion/column-plan.ts';
import { readRows } from './read-rows.ts';

/* The files of a table in SQL. DuckDB would detect the types of CSV and JSON files for every query,
   and only from their first rows. So the types that it detects from all rows, once, are written
   into the relation. */

/**
 * Returns the relation of Parquet files. If their schemas differ, columns are matched by name, and
 * null in files that lack them.
 */
export async function parquetRelation(
  connection: Connection,
  files: readonly string[],
): Promise<string> {
  const [row] = await readRows(
    connection,
    `SELECT count(DISTINCT columns) AS schemas
     FROM (SELECT list((name, type, logical_type)) AS columns FROM parquet_schema(${list(files)}) GROUP BY file_name)`,
  );
  // With this option, every query reads the schema of every file.
  const byName = Number(row?.['schemas']) > 1 ? ', union_by_name = true' : '';
  return `read_parquet(${list(files)}${byName})`;
}

/** Returns the relation of CSV files, with the dialect and types detected in all rows. */
export async function csvRelation(
  connection: Connection,
  files: readonly string[],
): Promise<string> {
  const [file] = files;
  if (file === undefined || files.length > 1) {
    // Files may differ in dialect and in their columns, so only the types are fixed; columns are
    // matched by name.
    const sniffed = `read_csv(${list(files)}, sample_size = -1, union_by_name = true)`;
    return `read_csv(${list(files)}, types = ${struct(await columnTypes(connection, sniffed))}, union_by_name = true)`;
  }
  const [found] = await readRows(
    connection,
    `SELECT Delimiter AS delim, nullif(Quote, '(empty)') AS quote, nullif("Escape", '(empty)') AS escape,
       nullif(Comment, '(empty)') AS comment, CAST(SkipRows AS VARCHAR) AS skip, CAST(HasHeader AS VARCHAR) AS header,
       DateFormat AS dateformat, TimestampFormat AS timestampformat, to_json(Columns) AS columns
     FROM sniff_csv(?, sample_size = -1)`,
    file,
  );
  const { columns, ...dialect } = (found ?? {}) as Record<string, string | null>;
  const options = Object.entries(dialect)
    // A format that was not detected is left to DuckDB; an empty quote or comment means that there
    // is none.
    .filter(([name, value]) => value !== null || !name.endsWith('format'))
    .map(([name, value]) => `${name} = ${quoteLiteral(value ?? '')}`);
  const types = (JSON.parse(String(columns)) as { name: string; type: string }[]).map(
    ({ name, type }) => [name, type] as const,
  );
  return `read_csv(${list(files)}, auto_detect = false, ${options.join(', ')}, columns = ${struct(types)})`;
}

/**
 * Returns relations of JSON files, the best one first.
 *
 * DuckDB detects a column of integers of both signs as HUGEINT, so BIGINT is tried before. If the
 * types cannot be written down, because a column has a date format of its own, DuckDB infers them
 * from all rows for each query.
 */
export async function jsonRelations(
  connection: Connection,
  files: readonly string[],
): Promise<readonly string[]> {
  const sniffed = `read_json(${list(files)}, sample_size = -1)`;
  const types = await columnTypes(connection, sniffed);
  const narrowTypes = types.map(
    ([name, type]) => [name, type.replaceAll('HUGEINT', 'BIGINT')] as const,
  );
  const relationOf = (columns: ColumnTypes): string =>
    `read_json(${list(files)}, columns = ${struct(columns)}, format = 'auto')`;
  return [relationOf(narrowTypes), relationOf(types), sniffed];
}

type ColumnTypes = readonly (readonly [name: string, type: string])[];

async function columnTypes(connection: Connection, relation: string): Promise<ColumnTypes> {
  const rows = await readRows(
    connection,
    `SELECT column_name, column_type FROM (DESCRIBE FROM ${relation})`,
  );
  return rows.map((row) => [String(row['column_name']), String(row['column_type'])] as const);
}

function list(values: readonly string[]): string {
  return `[${values.map(quoteLiteral).join(', ')}]`;
}

function struct(types: ColumnTypes): string {
  return `{${types.map(([name, type]) => `${quoteLiteral(name)}: ${quoteLiteral(type)}`).join(', ')}}`;
}
