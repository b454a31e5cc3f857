import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { MiB, type QueryExecution, systemClock } from '@quire/core';
import { DuckDbEngine } from '@quire/engine-duckdb';
import { columnDataTypes, type Result, type ResultSource, ResultStore } from '@quire/results';
import { MemoryObjectStore } from '@quire/core/memory';
import { pageText } from './page-text.ts';

/** A JSON cell whose numbers keep their original text, digit by digit. */
export type ExactCell = string | boolean | null | ExactCell[] | { [key: string]: ExactCell };

/**
 * Queries from the engine over the stored file to the JSON page, and the same ones in a separate
 * DuckDB.
 */
export interface ExactQueries extends AsyncDisposable {
  readonly store: MemoryObjectStore;
  /** The answer as the engine returns it. */
  source(sql: string): Promise<ResultSource>;
  create(sql: string): Promise<Result>;
  cells(sql: string): Promise<{
    readonly types: readonly string[];
    readonly rows: readonly (readonly ExactCell[])[];
  }>;
  /** Returns the rows of a query whose columns are all text, as DuckDB itself returns them. */
  reference(sql: string): Promise<readonly (readonly (string | null)[])[]>;
}

export async function openExactQueries(): Promise<ExactQueries> {
  const spillDirectory = await mkdtemp(join(tmpdir(), 'quire-exact-'));
  const engine = await DuckDbEngine.open({
    tables: [],
    memoryMaxBytes: 1024 * MiB,
    threads: 2,
    spillDirectory,
    spillMaxBytes: 0,
    clock: systemClock,
  });
  const store = new MemoryObjectStore({ sizeMaxBytes: 1024 * MiB });
  const results = new ResultStore({
    store,
    brokerId: 'b',
    expirationMs: 1e9,
    expirationMaxMs: 1e9,
    cacheBytesMax: 0,
  });
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");

  const source = (sql: string): Promise<QueryExecution> =>
    engine.execute({ sql }, { limits: { timeoutMs: 60_000 } });
  const create = async (sql: string): Promise<Result> => {
    await using execution = await source(sql);
    return await results.create(execution, { owner: 'o' });
  };
  return {
    store,
    source,
    create,
    async cells(sql) {
      const result = await create(sql);
      return {
        types: columnDataTypes(result.schema),
        rows: parseExactly(await pageText(result, 0, 1e9)),
      };
    },
    async reference(sql) {
      const reader = await connection.runAndReadAll(sql);
      return reader.getRows() as (string | null)[][];
    },
    async [Symbol.asyncDispose]() {
      connection.closeSync();
      instance.closeSync();
      await engine[Symbol.asyncDispose]();
      await results[Symbol.asyncDispose]();
      await rm(spillDirectory, { recursive: true, maxRetries: 10 });
    },
  };
}

function parseExactly(json: string): ExactCell[][] {
  type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;
  const keepSource: Reviver = (_key, value, { source }) =>
    typeof value === 'number' ? source : value;
  return JSON.parse(json, keepSource as (key: string, value: unknown) => unknown) as ExactCell[][];
}
