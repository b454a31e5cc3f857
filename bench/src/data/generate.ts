import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { selectOf, type TableName, tables } from './tables.ts';

/**
 * A DuckDB that generates the benchmark's tables, and the files that rivals read; each once, for
 * all parts.
 */
export class TableGenerator implements Disposable {
  readonly #made = new Map<string, Promise<string>>();
  #last: Promise<unknown> = Promise.resolve();
  readonly #connection: DuckDBConnection;
  readonly #instance: DuckDBInstance;
  readonly #directory: string;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection, directory: string) {
    this.#instance = instance;
    this.#connection = connection;
    this.#directory = directory;
  }

  static async open(directory: string): Promise<TableGenerator> {
    const instance = await DuckDBInstance.create(':memory:');
    return new TableGenerator(instance, await instance.connect(), directory);
  }

  /** Generates a table as a Parquet file with DuckDB's own defaults, and returns its path. */
  parquet(name: TableName, rowCount: number): Promise<string> {
    return this.#once(join(this.#directory, `${name}-${rowCount}.parquet`), async (path) => {
      await this.#connection.run(
        `COPY (${selectOf(tables[name], rowCount)}) TO '${path}' (FORMAT parquet)`,
      );
    });
  }

  /** Copies a Parquet file into a database file of DuckDB's own, as the table `t`. */
  database(parquet: string): Promise<string> {
    return this.#once(parquet.replace(/parquet$/, 'duckdb'), async (path) => {
      await this.#connection.run(`ATTACH '${path}' AS copy`);
      await this.#connection.run(`CREATE TABLE copy.t AS FROM '${parquet}'`);
      await this.#connection.run('DETACH copy');
    });
  }

  /** Copies a Parquet file into a file with one JSON array per line: `[1,"a",null]`. */
  jsonLines(parquet: string): Promise<string> {
    return this.#once(parquet.replace(/parquet$/, 'jsonl'), async (path) => {
      const columns = await this.#columnNames(parquet);
      const asIs = `FORMAT csv, HEADER false, DELIMITER '', QUOTE '', ESCAPE ''`;
      await this.#connection.run(
        `COPY (SELECT json_array(${columns.join(', ')}) FROM '${parquet}') TO '${path}' (${asIs})`,
      );
    });
  }

  /** Copies a Parquet file into CSV without a header. */
  csv(parquet: string): Promise<string> {
    return this.#once(parquet.replace(/parquet$/, 'csv'), async (path) => {
      await this.#connection.run(
        `COPY (FROM '${parquet}') TO '${path}' (FORMAT csv, HEADER false)`,
      );
    });
  }

  [Symbol.dispose](): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }

  async #columnNames(parquet: string): Promise<string[]> {
    const result = await this.#connection.runAndReadAll(
      `SELECT column_name FROM (DESCRIBE FROM '${parquet}')`,
    );
    return result.getRows().map(([name]) => name as string);
  }

  /** Makes one file at a time: parts that run at the same time share the connection. */
  #once(path: string, make: (path: string) => Promise<void>): Promise<string> {
    const known = this.#made.get(path);
    if (known !== undefined) return known;
    const made = this.#last.then(() => make(path)).then(() => path);
    this.#made.set(path, made);
    this.#last = made;
    return made;
  }
}
