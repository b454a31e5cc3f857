import type { Connection } from '@duckdb/node-bindings';
import { quoteLiteral } from './conversion/column-plan.ts';
import { readRows } from './read-rows.ts';

/*
 * How the files of a table are written in SQL. DuckDB would look at CSV and JSON files again for every query, and only at their
 * first rows; so what it finds when it looks at all rows, once, is written into the relation.
 */

/**
 * Parquet files. Where their schemas differ, columns are found by name, and null in files that lack
 * them.
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
  // Then every query looks at the schema of every file.
  const byName = Number(row?.['schemas']) > 1 ? ', union_by_name = true' : '';
  return `read_parquet(${list(files)}${byName})`;
}

/** CSV files: dialect and types as found in all rows. */
export async function csvRelation(
  connection: Connection,
  files: readonly string[],
): Promise<string> {
  const [file] = files;
  if (file === undefined || files.length > 1) {
    // Files may differ in dialect and in their columns, so only the types are fixed; columns are
    // found by name.
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
    // A format that was not found is left to DuckDB; an empty quote or comment means that there is
    // none.
    .filter(([name, value]) => value !== null || !name.endsWith('format'))
    .map(([name, value]) => `${name} = ${quoteLiteral(value ?? '')}`);
  const types = (JSON.parse(String(columns)) as { name: string; type: string }[]).map(
    ({ name, type }) => [name, type] as const,
  );
  return `read_csv(${list(files)}, auto_detect = false, ${options.join(', ')}, columns = ${struct(types)})`;
}

/**
 * JSON files, the best way to read them first.
 *
 * DuckDB takes a column of integers of both signs for HUGEINT: BIGINT is tried before. Where no
 * types can be stated, because a column has a date format of its own, DuckDB looks at all rows for
 * each query.
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
