import duckdb, { type Result } from '@duckdb/node-bindings';
import {
  abortError,
  type Clock,
  isQuireError,
  type NamedRows,
  type Query,
  type QueryDescription,
  type QueryEngine,
  type QueryExecution,
  type QueryLimits,
  QuireError,
  throwIfAborted,
} from '@quire/core';
import type { LiveTables } from '@quire/core/table-engine';
import { Deadline } from '@quire/core/wait';
import { assertPlanned, columnsOfResult } from './conversion/column-plan.ts';
import { dataVersionOf, versionOfScope } from './data-version.ts';
import { parseFailure, queryError, type Redact, unsupportedColumn } from './duckdb-error.ts';
import { DuckDbExecution } from './duckdb-execution.ts';
import { prepareStatement } from './explain-statement.ts';
import {
  type DatabaseOptions,
  type LockedDatabase,
  openLockedDatabase,
} from './locked-database.ts';
import { rewordForPinot } from './pinot/reword-failure.ts';
import { prepareTranslated } from './pinot/prepare-translated.ts';
import { QueryConnection } from './query-connection.ts';
import type { SelectStatement, StatementRules } from './select-statement.ts';
import { type StatementLimits, statementLimits } from './statement-limits.ts';
import { streamBufferBytesOf } from './stream-buffer.ts';
import { likelySchemaOf, narrowSums } from './sums-of-integers.ts';
import { TableScope } from './table-scope.ts';
import type { OpenTable } from './table-source.ts';

/** The options of a `DuckDbEngine`. */
export interface DuckDbEngineOptions extends DatabaseOptions {
  readonly clock: Clock;
  /**
   * Tables that are created, changed and deleted while the engine is open; their files are in
   * `liveDirectory`.
   */
  readonly liveTables?: LiveTables | undefined;
  /** The limits on the size of a query; missing ones have their default. */
  readonly statementLimits?: Partial<StatementLimits> | undefined;
}

/** The limits of one query, and the stored results that it may name. */
export interface ExecuteOptions {
  readonly signal?: AbortSignal | undefined;
  readonly limits: QueryLimits;
  /** The stored results that the query may name. */
  readonly results?: readonly NamedRows[] | undefined;
  /** As in `QueryEngine.execute`. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

/**
 * Answers SQL about configured files, read-only, with an embedded DuckDB that can access nothing
 * else (CONTRACT.md section 4).
 *
 * Queries run concurrently, each on a connection of its own, and share threads, memory and spill
 * space. A query that exceeds these fails alone. A query occupies one thread of libuv's pool while
 * DuckDB is working on it.
 */
export class DuckDbEngine implements QueryEngine {
  readonly readsResults = true;
  readonly #locked: LockedDatabase;
  readonly #clock: Clock;
  readonly #redact: Redact;
  readonly #tables: readonly OpenTable[];
  readonly #liveTables: LiveTables | undefined;
  readonly #rules: StatementRules;
  readonly #running = new Set<QueryConnection>();
  #isClosed = false;

  private constructor(
    locked: LockedDatabase,
    { clock, liveTables, liveDirectory, statementLimits: limits }: DuckDbEngineOptions,
  ) {
    this.#locked = locked;
    this.#clock = clock;
    this.#redact = redactPaths(locked.tables, locked.spillDirectory, liveDirectory);
    this.#tables = locked.tables;
    this.#liveTables = liveTables;
    this.#rules = { limits: { ...statementLimits, ...limits }, redact: this.#redact };
  }

  /**
   * Opens the engine. Expands globs, and infers the types of CSV and JSON columns from all rows.
   *
   * @throws INVALID_SETTING when a table cannot be read, or two have the same name, ignoring case
   */
  static async open(options: DuckDbEngineOptions): Promise<DuckDbEngine> {
    assertDistinctNames(options);
    return new DuckDbEngine(await openLockedDatabase(options), options);
  }

  /** The tables with their metadata, with which another engine opens them quickly. */
  get tables(): readonly OpenTable[] {
    return this.#locked.tables;
  }

  /** A directory of this engine's own, which is deleted when it is closed. */
  get spillDirectory(): string {
    return this.#locked.spillDirectory;
  }

  /**
   * Resolves once DuckDB has stopped working for queries that have ended: a query that was stopped
   * may still be computing.
   */
  async settled(): Promise<void> {
    await Promise.all(
      [...this.#running]
        .filter(({ stopReason }) => stopReason !== undefined)
        .map(({ closed }) => closed),
    );
  }

  async execute(query: Query, options: ExecuteOptions): Promise<QueryExecution> {
    const startedAtMs = this.#clock.monotonicMs();
    const connection = await this.#connect(options);
    try {
      const { prepared, scope } = await this.#prepare(connection, query, options);
      return await this.#open(connection, prepared, scope, { startedAtMs, ...options });
    } catch (error) {
      connection.stop(new QuireError('ABORTED', 'The query did not start.'));
      throw error;
    }
  }

  /** Describes sums of integers as Int64, which they are unless one of them does not fit. */
  async describe(query: Query, options: ExecuteOptions): Promise<QueryDescription> {
    const connection = await this.#connect(options);
    try {
      // Stored results have their columns, and no rows that would be copied.
      const results = options.results?.map((rows) => ({ ...rows, rowCount: 0, read: readNone }));
      const described = { ...options, results, isDescribed: true };
      const { prepared } = await this.#prepare(connection, query, described);
      duckdb.destroy_prepare_sync(prepared.statement);
      return { schema: likelySchemaOf(prepared), parameterTypes: prepared.parameterTypes };
    } finally {
      connection.stop(new QuireError('ABORTED', 'The query was described.'));
    }
  }

  dataVersion(tables: readonly string[]): Promise<string | undefined> {
    return dataVersionOf({ tables: this.#tables, liveTables: this.#liveTables }, tables);
  }

  /**
   * Stops running queries with SHUTTING_DOWN, waits until they have ended, and deletes spilled
   * data.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const running = [...this.#running];
    for (const connection of running) connection.stop(shuttingDown());
    await Promise.all(running.map((connection) => connection.closed));
    await this.#locked.close();
  }

  async #prepare(
    connection: QueryConnection,
    query: Query,
    options: ExecuteOptions & { readonly isDescribed?: boolean },
  ): Promise<{ readonly prepared: SelectStatement; readonly scope: TableScope }> {
    const scope = await TableScope.open(this.#tables, this.#liveTables, options.results ?? []);
    const prepare: typeof prepareStatement =
      query.dialect === 'pinot' ? prepareTranslated : prepareStatement;
    try {
      return { prepared: await prepare(connection, query, scope, this.#rules, options), scope };
    } catch (error) {
      throw isQuireError(error, 'TABLE_NOT_FOUND') ? (scope.problem ?? error) : error;
    }
  }

  async #connect(options: ExecuteOptions): Promise<QueryConnection> {
    throwIfAborted(options.signal);
    if (this.#isClosed) throw shuttingDown();
    const connection = await QueryConnection.open(this.#locked.database).catch((cause: unknown) => {
      throw this.#isClosed
        ? shuttingDown()
        : new QuireError('INTERNAL', 'DuckDB opened no connection.', { cause });
    });
    this.#running.add(connection);
    if (this.#isClosed) connection.stop(shuttingDown());
    const { timeoutMs } = options.limits;
    const deadline = new Deadline({
      clock: this.#clock,
      timeoutMs,
      signal: options.signal,
      error: timedOut,
    });
    const stop = (): void => connection.stop(abortError(deadline.signal));
    if (deadline.signal.aborted) stop();
    else deadline.signal.addEventListener('abort', stop, { once: true });
    void connection.closed.then(() => {
      deadline[Symbol.dispose]();
      this.#running.delete(connection);
    });
    return connection;
  }

  async #open(
    connection: QueryConnection,
    prepared: SelectStatement,
    scope: TableScope,
    { startedAtMs, onProgress }: Pick<ExecuteOptions, 'onProgress'> & { startedAtMs: number },
  ): Promise<DuckDbExecution> {
    // Read before the query reads anything: data that changes afterwards gives the next query
    // another version.
    const { tables } = prepared;
    const dataVersion = prepared.isRepeatable
      ? await versionOfScope({ tables: this.#tables }, tables, scope.relationsOf(tables))
      : undefined;
    if (onProgress !== undefined) await connection.watchProgress(this.#clock, onProgress);
    const select = await narrowSums(connection, prepared, this.#redact);
    const bufferBytes = streamBufferBytesOf(select.plan.schema, scope.rowBytesOf(tables));
    if (bufferBytes !== undefined) await connection.setStreamBuffer(bufferBytes);
    const result = await this.#start(connection, select);
    return new DuckDbExecution({
      connection,
      select,
      result,
      rowsTotal: scope.countRows(tables),
      live: scope.liveStatistics(tables),
      dataVersion,
      assertWhole: () => scope.assertWhole(tables, connection.signal),
      clock: this.#clock,
      startedAtMs,
      redact: this.#redact,
    });
  }

  async #start(connection: QueryConnection, select: SelectStatement): Promise<Result> {
    try {
      return await connection.call(() => startStream(select));
    } catch (error) {
      if (isQuireError(error)) throw error;
      const failure = parseFailure(error);
      const { givenSql: sql, tables, plan } = select;
      if (select.isTranslated === true) {
        throw rewordForPinot(queryError(failure, 'running', this.#redact, { tables }));
      }
      if (plan.castTypes === undefined) {
        throw queryError(failure, 'running', this.#redact, { sql, tables });
      }
      if (failure.type === 'Mismatch Type') throw unsupportedColumn(failure, this.#redact);
      // Positions in a rewritten query are not those of the caller's text.
      throw queryError(failure, 'running', this.#redact, { tables });
    }
  }
}

async function* readNone(): AsyncGenerator<never> {}

function shuttingDown(): QuireError {
  return new QuireError('SHUTTING_DOWN', 'The query engine is shutting down.');
}

async function startStream({ statement, plan, values }: SelectStatement): Promise<Result> {
  try {
    const result = await duckdb.execute_prepared_streaming(statement);
    // The columns of a query with parameters were planned by another statement; casts set them.
    if (values.size > 0 && plan.castTypes === undefined) {
      assertPlanned(columnsOfResult(result), plan);
    }
    return result;
  } finally {
    // The statement is destroyed only after DuckDB has finished with it, even if no caller is
    // waiting any more.
    duckdb.destroy_prepare_sync(statement);
  }
}

function assertDistinctNames({ tables }: DatabaseOptions): void {
  const names = new Set<string>();
  for (const { name, path } of tables) {
    if (names.has(name.toLowerCase())) {
      throw new QuireError(
        'INVALID_SETTING',
        `Table '${name}' (${path}) has the name of another table.`,
      );
    }
    names.add(name.toLowerCase());
  }
}

function timedOut(timeoutMs: number): QuireError {
  return new QuireError('QUERY_TIMED_OUT', `The query exceeded its timeout of ${timeoutMs} ms.`);
}

/**
 * Returns a function that replaces directories in messages by the names of tables, and hides the
 * spill directory.
 */
function redactPaths(
  tables: readonly OpenTable[],
  spillDirectory: string,
  liveDirectory?: string,
): Redact {
  const replacements = new Map<string, string>([[spillDirectory, 'the spill directory']]);
  for (const { name, path, files } of tables) {
    replacements.set(path, `table ${name}`);
    const directory = commonDirectory(files);
    for (const file of files) {
      replacements.set(file, `${file.slice(directory.length)} of table ${name}`);
    }
  }
  if (liveDirectory !== undefined) replacements.set(liveDirectory, 'the directory of tables');
  // One path may be a prefix of another.
  const longestFirst = [...replacements].toSorted(([left], [right]) => right.length - left.length);
  return (message) =>
    longestFirst.reduce((text, [path, replacement]) => text.replaceAll(path, replacement), message);
}

/** Returns the common prefix of all paths, up to the last slash. */
function commonDirectory([first = '', ...others]: readonly string[]): string {
  let length = first.lastIndexOf('/') + 1;
  while (!others.every((other) => other.startsWith(first.slice(0, length)))) {
    length = first.lastIndexOf('/', length - 2) + 1;
  }
  return first.slice(0, length);
}
