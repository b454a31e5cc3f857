import { DuckDBInstance } from '@duckdb/node-api';
import type { Rival } from './rival.ts';

export interface DuckDbRivalOptions {
  /** The expression after FROM. */
  readonly table: string;
  /**
   * True if DuckDB encodes each row as JSON; otherwise rows are read as values for JSON.stringify.
   */
  readonly isJsonMadeInSql: boolean;
}

/** DuckDB with LIMIT and OFFSET, through its own API for Node. */
export async function openDuckDbRival(
  path: string,
  { table, isJsonMadeInSql }: DuckDbRivalOptions,
): Promise<Rival> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  if (path.endsWith('.duckdb')) await connection.run(`ATTACH '${path}' AS stored (READ_ONLY)`);
  const names = (await connection.run(`FROM ${table} LIMIT 0`)).columnNames();
  const columns = isJsonMadeInSql ? `json_array(${names.join(', ')})` : '*';
  return {
    async page({ offset, rowCount }) {
      const reader = await connection.runAndReadAll(
        `SELECT ${columns} FROM ${table} LIMIT ${rowCount} OFFSET ${offset}`,
      );
      if (isJsonMadeInSql) return `[${reader.getColumns()[0]?.join(',') ?? ''}]`;
      return JSON.stringify(reader.getRowsJson());
    },
    close() {
      connection.closeSync();
      instance.closeSync();
      return Promise.resolve();
    },
  };
}
