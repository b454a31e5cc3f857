import duckdb, { type Connection, type DataChunk, type Result } from '@duckdb/node-bindings';
import {
  type Clock,
  isQuireError,
  QuireError,
  type QueryExecution,
  type QueryStatistics,
} from '@quire/core';
import type { RecordBatch, Schema } from 'apache-arrow';
import { prepareWith } from './bind-parameters.ts';
import { recordBatchesOf } from './conversion/record-batches.ts';
import { parseFailure, queryError, type Redact } from './duckdb-error.ts';
import { rewordForPinot } from './pinot/reword-failure.ts';
import type { QueryConnection } from './query-connection.ts';
import type { SelectStatement } from './select-statement.ts';

export interface ExecutionParts {
  readonly connection: QueryConnection;
  readonly select: SelectStatement;
  readonly result: Result;
  readonly rowsTotal: number;
  readonly live: Pick<QueryStatistics, 'segments' | 'consumedUntilMs'>;
  readonly dataVersion: string | undefined;
  /**
   * Verifies the tables after the last row, because a file may have changed while it was read.
   * @throws TABLE_DAMAGED
   */
  readonly assertWhole: () => Promise<void>;
  readonly clock: Clock;
  readonly startedAtMs: number;
  readonly redact: Redact;
}

const explainPrefix = 'EXPLAIN ANALYZE ';

/**
 * A running query in DuckDB: each pull fetches one chunk of at most 2,048 rows and converts it to
 * Arrow batches.
 */
export class DuckDbExecution implements QueryExecution {
  readonly schema: Schema;
  readonly batches: AsyncIterable<RecordBatch>;
  readonly dataVersion: string | undefined;
  readonly parameterTypes: SelectStatement['parameterTypes'];
  readonly #parts: ExecutionParts;
  #finishedAtMs: number | undefined;

  constructor(parts: ExecutionParts) {
    this.#parts = parts;
    this.schema = parts.select.plan.schema;
    this.dataVersion = parts.dataVersion;
    this.parameterTypes = parts.select.parameterTypes;
    this.batches = this.#read();
  }

  /**
   * DuckDB reports the rows of a scan only as an estimate, and its CPU time only in a log of the
   * whole database, so both stay null.
   */
  statistics(): QueryStatistics {
    const { clock, startedAtMs, rowsTotal, live, select } = this.#parts;
    const elapsedMs = (this.#finishedAtMs ?? clock.monotonicMs()) - startedAtMs;
    const { tables, isTranslated } = select;
    const dialect = isTranslated === true ? 'pinot' : 'duckdb';
    return { elapsedMs, cpuTimeNs: null, rowsScanned: null, rowsTotal, tables, dialect, ...live };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end('The reader of the query stopped.');
  }

  async *#read(): AsyncGenerator<RecordBatch, void, void> {
    const { connection, select } = this.#parts;
    try {
      let upcoming = this.#fetch();
      for (let chunk = await upcoming; chunk !== undefined; chunk = await upcoming) {
        // DuckDB computes one chunk ahead while the reader processes this one.
        upcoming = this.#fetch();
        upcoming.catch(ignore);
        for (const batch of recordBatchesOf(chunk, select.plan)) {
          if (connection.stopReason !== undefined) throw connection.stopReason;
          yield batch;
        }
      }
      await this.#parts.assertWhole();
    } finally {
      await this.#end('The reader stopped before the last batch.');
    }
  }

  async #fetch(): Promise<DataChunk | undefined> {
    const { connection, result } = this.#parts;
    const chunk = await connection.call(() => duckdb.fetch_chunk(result));
    if (chunk !== null && duckdb.data_chunk_get_size(chunk) > 0) return chunk;
    // The bindings report a failure in mid-stream as the end of the stream. Only the type of the
    // result distinguishes them.
    if (duckdb.result_return_type(result) === duckdb.ResultType.INVALID) {
      throw await this.#findFailure();
    }
    return undefined;
  }

  /**
   * Finds the reason of a failure in mid-stream, which the bindings do not report, by running the
   * query again without its rows. Timeout and abort still apply.
   */
  async #findFailure(): Promise<QuireError> {
    const { connection, select, redact, assertWhole } = this.#parts;
    try {
      // A file that was damaged in the meantime is the reason, whatever error DuckDB reports for
      // its bytes.
      await assertWhole();
      await connection.call((handle) => explain(handle, select));
    } catch (error) {
      if (isQuireError(error)) return error;
      const failure = parseFailure(error);
      const { givenSql: sql, tables } = select;
      if (select.isTranslated === true) {
        return rewordForPinot(queryError(failure, 'running', redact, { tables }));
      }
      if (failure.position === undefined || select.plan.castTypes !== undefined) {
        return queryError(failure, 'running', redact, { tables });
      }
      return queryError(
        { ...failure, position: failure.position - explainPrefix.length },
        'running',
        redact,
        { sql, tables },
      );
    }
    return new QuireError(
      'QUERY_FAILED',
      'The query failed at run time, but succeeded when it was repeated to find the reason.',
    );
  }

  /** Releases everything in any state, and stops the query if it is not at its end. */
  async #end(stopMessage: string): Promise<void> {
    this.#finishedAtMs ??= this.#parts.clock.monotonicMs();
    this.#parts.connection.stop(new QuireError('ABORTED', stopMessage));
    await this.#parts.connection.closed;
  }
}

async function explain(handle: Connection, { sql, values }: SelectStatement): Promise<void> {
  const statement = await prepareWith(handle, `${explainPrefix}${sql}`, values);
  try {
    await duckdb.execute_prepared(statement);
  } finally {
    duckdb.destroy_prepare_sync(statement);
  }
}

function ignore(): void {
  // The reader receives the failure when it fetches the next chunk, if it does.
}
