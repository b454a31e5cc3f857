import { rm } from 'node:fs/promises';
import duckdb, { type Connection, type Database } from '@duckdb/node-bindings';
import { QuireError } from '@quire/core';
import { createTemporaryDirectory } from '@quire/core/process';
import { quoteLiteral } from './conversion/column-plan.ts';
import { parseFailure } from './duckdb-error.ts';
import { readRows } from './read-rows.ts';
import { type OpenTable, openTable, type TableSource } from './table-source.ts';

/** The tables of a database, and its limits on memory and threads. */
export interface DatabaseOptions {
  /** Tables as they are configured, or as another engine has opened them. */
  readonly tables: readonly (TableSource | OpenTable)[];
  /**
   * The absolute path of the directory that contains the files of live tables; it should contain
   * nothing else that is secret, because DuckDB itself can read all of it.
   */
  readonly liveDirectory?: string | undefined;
  /**
   * The memory that all queries together may use for hashing, sorting and buffers; beyond it they
   * spill.
   */
  readonly memoryMaxBytes: number;
  /** The threads that all queries together use. */
  readonly threads: number;
  /**
   * The directory for data that exceeds the memory: a directory of this engine's own is created in
   * it, and deleted on close.
   */
  readonly spillDirectory: string;
  /** The disk space that all queries together may use there; 0 disables spilling. */
  readonly spillMaxBytes: number;
}

/**
 * A DuckDB in memory whose tables are views of files, and which can access those files and nothing
 * else.
 */
export interface LockedDatabase {
  readonly database: Database;
  readonly tables: readonly OpenTable[];
  readonly spillDirectory: string;
  close(): Promise<void>;
}

/**
 * Opens the tables, then locks the database permanently: it cannot access other files or the
 * network, load extensions or change settings.
 *
 * @throws INVALID_SETTING when a table cannot be read, or a limit or the spill directory cannot be
 *   used
 */
export async function openLockedDatabase(options: DatabaseOptions): Promise<LockedDatabase> {
  const spillDirectory = await createSpillDirectory(options.spillDirectory);
  let database: Database | undefined;
  const close = async (): Promise<void> => {
    if (database !== undefined) duckdb.close_sync(database);
    await rm(spillDirectory, { recursive: true, force: true });
  };
  try {
    database = await openDatabase(options, spillDirectory);
    const connection = await duckdb.connect(database);
    try {
      const tables: OpenTable[] = [];
      for (const source of options.tables) tables.push(await openTable(connection, source));
      await lock(connection, tables, options);
      return { database, tables, spillDirectory, close };
    } finally {
      duckdb.disconnect_sync(connection);
    }
  } catch (error) {
    await close();
    throw error;
  }
}

async function createSpillDirectory(parent: string): Promise<string> {
  try {
    return await createTemporaryDirectory(parent, 'duckdb');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new QuireError(
      'INVALID_SETTING',
      `engine.broker.pagination.temp.dir = ${parent}: no directory for queries that spill can be created there: ${reason}`,
      { cause },
    );
  }
}

async function openDatabase(options: DatabaseOptions, spillDirectory: string): Promise<Database> {
  const settings: Readonly<Record<string, string>> = {
    memory_limit: `${options.memoryMaxBytes}B`,
    threads: String(options.threads),
    temp_directory: options.spillMaxBytes > 0 ? spillDirectory : '',
    errors_as_json: 'true',
    // Planning time grows with the cube of the depth: about a second at this one, minutes at the
    // default of 1000.
    max_expression_depth: '250',
    // Otherwise some casts cannot be written to the syntax tree, by which queries are checked.
    storage_compatibility_version: 'latest',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  };
  try {
    const config = duckdb.create_config();
    for (const [name, value] of Object.entries(settings)) duckdb.set_config(config, name, value);
    return await duckdb.open(':memory:', config);
  } catch (cause) {
    const { message } = parseFailure(cause);
    throw new QuireError(
      'INVALID_SETTING',
      `DuckDB cannot be opened with these settings: ${message}`,
      { cause },
    );
  }
}

async function lock(
  connection: Connection,
  tables: readonly OpenTable[],
  { spillMaxBytes, liveDirectory }: DatabaseOptions,
): Promise<void> {
  const files = tables.flatMap((table) => table.files).map(quoteLiteral);
  const statements = [
    // If this limit were set when the database is opened, it would be reported but not enforced.
    `SET max_temp_directory_size = '${spillMaxBytes}B'`,
    // Timestamps with a time zone are shown in UTC, whatever the zone of the server: also on the
    // connections of queries, which have sessions of their own.
    `SET GLOBAL TimeZone = 'UTC'`,
    `SET allowed_paths = [${files.join(', ')}]`,
    `SET allowed_directories = [${liveDirectory === undefined ? '' : quoteLiteral(`${liveDirectory}/`)}]`,
    'SET enable_external_access = false',
    // `setStreamBuffer` sets it for a query; callers cannot, because SET is not a query.
    `SET allowed_configs = ['streaming_buffer_size']`,
    'SET lock_configuration = true',
  ];
  for (const statement of statements) await readRows(connection, statement);
}
