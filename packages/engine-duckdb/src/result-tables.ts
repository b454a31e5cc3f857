import duckdb, {
  type Appender,
  type Connection,
  type DataChunk,
  type LogicalType,
} from '@duckdb/node-bindings';
import type { DataType, Field } from 'apache-arrow';
import { type ColumnarRows, distinctNames, isQuireError, type NamedRows } from '@quire/core';
import { unlessAborted } from '@quire/core/wait';
import { quoteIdentifier } from './conversion/column-type.ts';
import { isDigits, sqlTypeOfStored } from './conversion/stored-type.ts';
import { writeVector } from './conversion/vector-writers.ts';
import { parseFailure, queryError, type Redact } from './duckdb-error.ts';
import type { QueryConnection } from './query-connection.ts';
import { readRows } from './read-rows.ts';
import { resultFunction } from './statement-guard.ts';

/**
 * The stored results that one query names, as tables of its connection alone, which are dropped
 * with it. All rows of a result are copied into DuckDB, which spills what exceeds its memory: no
 * file is opened for the query.
 */
export class ResultTables {
  readonly #rows: ReadonlyMap<string, NamedRows>;
  readonly #defined = new Set<string>();

  constructor(results: readonly NamedRows[]) {
    this.#rows = new Map(results.map((rows) => [rows.requestId.toLowerCase(), rows]));
  }

  /** The ids that the query may name, in lower case. */
  get ids(): ReadonlySet<string> {
    return new Set(this.#rows.keys());
  }

  /**
   * Defines results in the connection; further calls for the same result do nothing. @throws as
   * `NamedRows.read`, and as a query that runs
   */
  async define(connection: QueryConnection, ids: readonly string[], redact: Redact): Promise<void> {
    for (const id of ids) {
      const rows = this.#rows.get(id);
      if (rows === undefined || this.#defined.has(id)) continue;
      try {
        if (this.#defined.size === 0) {
          await connection.call((handle) => readRows(handle, defineFunction));
        }
        this.#defined.add(id);
        await load(connection, id, rows);
      } catch (error) {
        throw isQuireError(error) ? error : queryError(parseFailure(error), 'running', redact);
      }
    }
  }

  /** The defined results. */
  get defined(): readonly NamedRows[] {
    return [...this.#defined].flatMap((id) => this.#rows.get(id) ?? []);
  }
}

const defineFunction = `CREATE TEMP MACRO ${resultFunction}(id) AS TABLE SELECT * FROM query_table('result ' || lower(id))`;

async function load(connection: QueryConnection, id: string, rows: NamedRows): Promise<void> {
  const fields: readonly Field<DataType>[] = rows.schema.fields;
  const columns = distinctNames(fields.map(({ name }) => name)).map((name, index) => ({
    name: quoteIdentifier(name),
    type: sqlTypeOfStored(fields[index] ?? never()),
    isDigits: isDigits(fields[index] ?? never()),
  }));
  const [table, view] = [`rows ${id}`, `result ${id}`];
  const definition = columns.map(({ name, type }) => `${name} ${type}`).join(', ');
  const shown = columns
    .map(({ name, isDigits: digits }) => (digits ? `CAST(${name} AS BIGNUM) AS ${name}` : name))
    .join(', ');
  await connection.call((handle) =>
    readRows(handle, `CREATE TEMP TABLE ${quoteIdentifier(table)} (${definition})`),
  );
  await connection.call((handle) =>
    readRows(
      handle,
      `CREATE TEMP VIEW ${quoteIdentifier(view)} AS SELECT ${shown} FROM temp.main.${quoteIdentifier(table)}`,
    ),
  );
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, connection.signal]);
  const appending = await connection.call(async (handle) => new Appending(handle, table));
  try {
    let batchCount = 0;
    for await (const batch of readUntilStopped(rows, signal)) {
      batchCount += 1;
      for (let start = 0; start < batch.rowCount; start += rowsAtOnce) {
        // Each piece is a separate call, so that the query can be stopped between two of them.
        await connection.call(async () =>
          appending.add(batch, start, Math.min(rowsAtOnce, batch.rowCount - start)),
        );
      }
      if (batchCount % batchesPerFlush === 0) await connection.call(async () => appending.flush());
    }
    await connection.call(async () => appending.close());
  } catch (error) {
    stop.abort(error);
    throw error;
  }
}

/** Reads a result; if it does not react to the signal, the caller does not wait for it. */
async function* readUntilStopped(
  rows: NamedRows,
  signal: AbortSignal,
): AsyncGenerator<ColumnarRows> {
  const batches = rows.read({ signal })[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await unlessAborted(batches.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    const ended = Promise.resolve(batches.return?.());
    if (signal.aborted) ended.catch(() => undefined);
    else await ended;
  }
}

/**
 * The number of batches after which rows are moved to DuckDB's table, which may spill. An appender
 * would hold 204,800 rows of any size. A batch of several rows has at most about 2 MiB.
 */
const batchesPerFlush = 64;
/** The number of rows in a chunk of DuckDB. */
const rowsAtOnce = duckdb.vector_size();

/** Appends rows to a table of a connection. */
class Appending {
  readonly #appender: Appender;
  readonly #chunk: DataChunk;

  constructor(handle: Connection, table: string) {
    this.#appender = duckdb.appender_create_ext(handle, 'temp', 'main', table);
    const count = duckdb.appender_column_count(this.#appender);
    const types: LogicalType[] = Array.from({ length: count }, (_, index) =>
      duckdb.appender_column_type(this.#appender, index),
    );
    this.#chunk = duckdb.create_data_chunk(types);
  }

  add({ columns }: ColumnarRows, start: number, count: number): void {
    duckdb.data_chunk_reset(this.#chunk);
    for (const [index, column] of columns.entries()) {
      writeVector(duckdb.data_chunk_get_vector(this.#chunk, index), column, start, count);
    }
    duckdb.data_chunk_set_size(this.#chunk, count);
    duckdb.append_data_chunk(this.#appender, this.#chunk);
  }

  flush(): void {
    duckdb.appender_flush_sync(this.#appender);
  }

  close(): void {
    duckdb.appender_close_sync(this.#appender);
  }
}

function never(): never {
  throw new TypeError('A result has fewer types than columns.');
}
