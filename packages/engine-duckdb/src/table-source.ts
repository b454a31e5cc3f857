import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Connection } from '@duckdb/node-bindings';
import { isQuireError, QuireError } from '@quire/core';
import { quoteIdentifier } from './conversion/column-type.ts';
import { parseFailure } from './duckdb-error.ts';
import { readRows } from './read-rows.ts';
import { isReservedName } from './statement-guard.ts';
import { csvRelation, jsonRelations, parquetRelation } from './table-relation.ts';

/** A configured table: files under a name for queries. */
export interface TableSource {
  readonly name: string;
  /**
   * The absolute path of a file, or a glob of several; it is expanded once, when the engine opens.
   */
  readonly path: string;
  /** `auto` uses the extensions of the files. */
  readonly format: 'auto' | TableFormat;
}

/** A format of files that queries read. */
export type TableFormat = 'parquet' | 'csv' | 'json';

/**
 * A table that queries can read, with the metadata of its files: another engine opens it without
 * reading them.
 */
export interface OpenTable {
  readonly name: string;
  readonly path: string;
  readonly files: readonly string[];
  /** The size of its files. */
  readonly sizeBytes: number;
  readonly rowCount: number;
  /** The relation that reads its files, in DuckDB's SQL. */
  readonly relation: string;
}

const formatsByExtension: Readonly<Record<string, TableFormat>> = {
  parquet: 'parquet',
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  jsonl: 'json',
  ndjson: 'json',
};

const nameLengthMax = 128;

/**
 * Opens a table under its name, and counts its rows, which also shows that the files can be read.
 *
 * Types of CSV and JSON columns are detected here, from all rows of all files, and fixed.
 *
 * @throws INVALID_SETTING when the name is invalid, no file exists at the path, or the files cannot
 *   be read
 */
export async function openTable(
  connection: Connection,
  source: TableSource | OpenTable,
): Promise<OpenTable> {
  if ('relation' in source) return reopen(connection, source);
  const { name, path } = source;
  assertName(source);
  if (!isAbsolute(path)) throw unusable(source, 'the path is not absolute');
  try {
    const files = await expandPath(connection, source);
    const format = source.format === 'auto' ? formatOf(source, files) : source.format;
    const stats = await Promise.all(files.map((file) => stat(file)));
    const sizeBytes = stats.reduce((sum, { size }) => sum + size, 0);
    const view = await createView(connection, source, format, files);
    return { name, path, files, sizeBytes, ...view };
  } catch (error) {
    if (isQuireError(error)) throw error;
    throw unusable(source, parseFailure(error).message, error);
  }
}

async function reopen(connection: Connection, table: OpenTable): Promise<OpenTable> {
  try {
    await nameRelation(connection, table.name, table.relation);
    return table;
  } catch (error) {
    throw unusable(table, parseFailure(error).message, error);
  }
}

function assertName(source: TableSource): void {
  const { name } = source;
  if (name === '' || name.length > nameLengthMax || name.includes('\0') || isReservedName(name)) {
    throw unusable(source, 'the name is empty, too long, or one of DuckDB’s own');
  }
}

async function expandPath(connection: Connection, source: TableSource): Promise<readonly string[]> {
  const rows = await readRows(connection, 'SELECT file FROM glob(?) ORDER BY file', source.path);
  if (rows.length === 0) throw unusable(source, 'no file exists there');
  return rows.map(({ file }) => String(file));
}

function formatOf(source: TableSource, files: readonly string[]): TableFormat {
  const formats = new Set(
    files.map(
      (file) =>
        formatsByExtension[/\.([a-z]+)(\.gz|\.zst)?$/i.exec(file)?.[1]?.toLowerCase() ?? ''],
    ),
  );
  const [format] = formats;
  if (formats.size !== 1 || format === undefined) {
    throw unusable(source, 'the extensions of the files do not determine one format');
  }
  return format;
}

/**
 * Tries the relations of the files, the most exact first, and keeps the first one that reads every
 * value of every row.
 */
async function createView(
  connection: Connection,
  source: TableSource,
  format: TableFormat,
  files: readonly string[],
): Promise<Pick<OpenTable, 'rowCount' | 'relation'>> {
  // Parquet declares its types; in text files, an invalid value is found only when it is read.
  const counts = format === 'parquet' ? 'count(*)' : 'count(*), count(COLUMNS(*))';
  const failures: unknown[] = [];
  for (const relation of await findRelations(connection, format, files)) {
    try {
      return { relation, rowCount: await viewRelation(connection, source, relation, counts) };
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures.at(-1);
}

async function findRelations(
  connection: Connection,
  format: TableFormat,
  files: readonly string[],
): Promise<readonly string[]> {
  switch (format) {
    case 'parquet':
      return [await parquetRelation(connection, files)];
    case 'csv':
      return [await csvRelation(connection, files)];
    case 'json':
      return jsonRelations(connection, files);
  }
}

async function viewRelation(
  connection: Connection,
  source: TableSource,
  relation: string,
  counts: string,
): Promise<number> {
  await nameRelation(connection, source.name, relation);
  const [row] = await readRows(connection, `SELECT ${counts} FROM ${quoteIdentifier(source.name)}`);
  return Number(Object.values(row ?? {})[0]);
}

async function nameRelation(connection: Connection, name: string, relation: string): Promise<void> {
  await readRows(
    connection,
    `CREATE OR REPLACE VIEW ${quoteIdentifier(name)} AS SELECT * FROM ${relation}`,
  );
}

function unusable(
  source: Pick<TableSource, 'name' | 'path'>,
  reason: string,
  cause?: unknown,
): QuireError {
  return new QuireError(
    'INVALID_SETTING',
    `Table '${source.name}' cannot be read from ${source.path}: ${reason}.`,
    { cause },
  );
}
