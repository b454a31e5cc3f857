import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TableConfigDocument, TableSchemaDocument } from '@quire/core/table-engine';
import type { DuckDbEngine } from '@quire/engine-duckdb';
import { Table, tableFromIPC, tableToIPC } from 'apache-arrow';
import { openEmbeddedTables, openTableQueries } from '../../../test/src/testkit/embedded-tables.ts';
import type { EmbeddedTableEngine, EmbeddedTableEngineOptions } from '../src/index.ts';

/**
 * A table server in a directory of its own, and an engine that answers queries about its tables.
 */
export class TestServer implements AsyncDisposable {
  readonly directory: string;
  readonly queries: DuckDbEngine;
  engine: EmbeddedTableEngine;
  readonly #options: Partial<EmbeddedTableEngineOptions>;

  private constructor(
    directory: string,
    engine: EmbeddedTableEngine,
    queries: DuckDbEngine,
    options: Partial<EmbeddedTableEngineOptions>,
  ) {
    this.directory = directory;
    this.engine = engine;
    this.queries = queries;
    this.#options = options;
  }

  static async open(options: Partial<EmbeddedTableEngineOptions> = {}): Promise<TestServer> {
    const directory = await mkdtemp(join(tmpdir(), 'quire-tables-'));
    const engine = await openEngine(directory, options);
    const queries = await openTableQueries(directory, join(directory, 'spill'));
    return new TestServer(directory, engine, queries, options);
  }

  async restart(): Promise<void> {
    await this.engine[Symbol.asyncDispose]();
    this.engine = await openEngine(this.directory, this.#options);
  }

  /** Returns the rows of an answer as plain objects. */
  async rows(sql: string): Promise<Record<string, unknown>[]> {
    await using execution = await this.queries.execute({ sql }, { limits: { timeoutMs: 240_000 } });
    const batches = await Array.fromAsync(execution.batches);
    const table = tableFromIPC(tableToIPC(new Table(execution.schema, batches)));
    return table.toArray().map((row: { toJSON(): Record<string, unknown> }) => row.toJSON());
  }

  async value(sql: string): Promise<unknown> {
    const [row] = await this.rows(sql);
    return Object.values(row ?? {})[0];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.queries[Symbol.asyncDispose]();
    await this.engine[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true });
  }
}

export function openEngine(
  dataDirectory: string,
  options: Partial<EmbeddedTableEngineOptions> = {},
): Promise<EmbeddedTableEngine> {
  return openEmbeddedTables({
    dataDirectory,
    streamDirectory: join(dataDirectory, 'streams'),
    ...options,
  });
}

export const flightsSchema: TableSchemaDocument = {
  schemaName: 'flights',
  dimensionFieldSpecs: [
    { name: 'carrier', dataType: 'STRING' },
    { name: 'tags', dataType: 'STRING', singleValueField: false },
    { name: 'payload', dataType: 'JSON' },
    { name: 'price', dataType: 'BIG_DECIMAL' },
    { name: 'digest', dataType: 'BYTES' },
    { name: 'late', dataType: 'BOOLEAN' },
  ],
  metricFieldSpecs: [
    { name: 'delay', dataType: 'INT' },
    { name: 'distance', dataType: 'LONG' },
    { name: 'speed', dataType: 'DOUBLE' },
  ],
  dateTimeFieldSpecs: [
    { name: 'ts', dataType: 'LONG', format: 'EPOCH|MILLISECONDS|1', granularity: 'MILLISECONDS|1' },
    { name: 'landed', dataType: 'TIMESTAMP', format: 'TIMESTAMP', granularity: 'MILLISECONDS|1' },
  ],
};

export const flightsConfig: TableConfigDocument = {
  tableName: 'flights_OFFLINE',
  tableType: 'OFFLINE',
  segmentsConfig: { timeColumnName: 'ts', replication: '3' },
};

/** Yields a body of JSON lines. */
export async function* jsonLines(rows: readonly object[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}
