import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  type Query,
  type QueryEngine,
  type QueryExecution,
  type QueryLimits,
  type QueryParameter,
  QuireError,
  systemClock,
  throwIfAborted,
} from '@quire/core';
import { Deadline, yieldToEventLoop } from '@quire/core/wait';
import {
  Binary,
  Bool,
  type DataType,
  Field,
  Float64,
  Int64,
  makeData,
  Null,
  RecordBatch,
  Schema,
  Struct,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';

const rowsPerBatch = 2048;

/** A value as SQLite returns it: integers are bigints, so that none is rounded. */
type Cell = null | bigint | number | string | Uint8Array;
type Rows = Iterator<readonly Cell[]>;

/**
 * A QueryEngine on a SQLite database, in this process. A column has one type for the whole answer:
 * the one that its table declares, or else that of its first value among the first rows. Rows are
 * produced as they are read; this process blocks while SQLite computes the next one.
 */
export class SqliteEngine implements QueryEngine {
  readonly #database: DatabaseSync;
  readonly #closing = new AbortController();
  readonly #running = new Set<SqliteExecution>();

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { readOnly: path !== ':memory:' });
  }

  async execute(
    query: Query,
    { signal, limits }: { readonly signal?: AbortSignal | undefined; readonly limits: QueryLimits },
  ): Promise<QueryExecution> {
    throwIfAborted(this.#closing.signal);
    throwIfAborted(signal);
    const statement = this.#prepare(query.sql);
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    const rows = this.#start(statement, query);
    const execution = new SqliteExecution(statement, rows, {
      limits,
      signal: AbortSignal.any([this.#closing.signal, ...(signal === undefined ? [] : [signal])]),
      onEnd: () => this.#running.delete(execution),
    });
    this.#running.add(execution);
    return execution;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new QuireError('SHUTTING_DOWN', 'The engine is closed.'));
    for (const execution of this.#running) await execution[Symbol.asyncDispose]();
    this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    // Only statements that read are accepted: ATTACH and PRAGMA would open other files.
    if (!/^[\s(]*(select|with|values|explain)\b/i.test(sql)) {
      const isSql = /^\s*[a-z]+\b/i.test(sql);
      throw new QuireError(
        isSql ? 'QUERY_INVALID' : 'QUERY_SYNTAX',
        'The query is not one that reads: SELECT, WITH, VALUES or EXPLAIN.',
      );
    }
    try {
      return this.#database.prepare(sql);
    } catch (error) {
      const message = (error as Error).message;
      throw new QuireError(codeOf(message), `SQLite: ${message}`, { cause: error });
    }
  }

  #start(statement: StatementSync, { sql, parameters = [] }: Query): Rows {
    const values = Object.entries(parameters).map(
      ([name, value]) => [name, sqlValueOf(value)] as const,
    );
    // SQLite would use NULL for a parameter without a value.
    const wanted =
      sql.replaceAll(/'[^']*'|"[^"]*"|--.*|\/\*[^]*?\*\//g, '').match(/\?|[$:@]\w+/g) ?? [];
    const isNamed = !Array.isArray(parameters);
    const wantedCount = isNamed ? new Set(wanted).size : wanted.length;
    if (wantedCount !== values.length) {
      throw new QuireError(
        'QUERY_INVALID',
        `The query has ${wantedCount} parameters, and ${values.length} values were given.`,
      );
    }
    const given = isNamed ? [Object.fromEntries(values)] : [];
    return statement.iterate(
      ...(given as []),
      ...(isNamed ? [] : values.map(([, value]) => value)),
    ) as unknown as Rows;
  }
}

interface ExecutionOptions {
  readonly limits: QueryLimits;
  readonly signal: AbortSignal;
  readonly onEnd: () => void;
}

class SqliteExecution implements QueryExecution {
  readonly schema: Schema;
  readonly batches: AsyncIterable<RecordBatch>;
  readonly #rows: Rows;
  readonly #first: readonly (readonly Cell[])[];
  readonly #deadline: Deadline;
  readonly #onEnd: () => void;
  readonly #startMs = systemClock.monotonicMs();
  #endMs: number | undefined;

  constructor(
    statement: StatementSync,
    rows: Rows,
    { limits: { timeoutMs }, signal, onEnd }: ExecutionOptions,
  ) {
    this.#rows = rows;
    this.#onEnd = onEnd;
    const error = (): QuireError =>
      new QuireError('QUERY_TIMED_OUT', `The query exceeded its timeout of ${timeoutMs} ms.`);
    this.#deadline = new Deadline({ clock: systemClock, timeoutMs, signal, error });
    this.#first = this.#take();
    const fields = statement.columns().map(({ name, type }, index) => {
      const sample = this.#first.find((row) => row[index] !== null)?.[index] ?? null;
      return new Field(name, declaredType(type) ?? typeOfValue(sample), true);
    });
    this.schema = new Schema(fields);
    this.batches = this.#batches();
  }

  statistics() {
    const elapsedMs = (this.#endMs ?? systemClock.monotonicMs()) - this.#startMs;
    return { elapsedMs, cpuTimeNs: null, rowsScanned: null, rowsTotal: null, tables: [] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#endMs !== undefined) return;
    this.#endMs = systemClock.monotonicMs();
    this.#rows.return?.();
    this.#deadline[Symbol.dispose]();
    this.#onEnd();
  }

  async *#batches(): AsyncGenerator<RecordBatch> {
    try {
      for (let rows = this.#first; rows.length > 0; rows = this.#take()) {
        // Yields, so that the deadline's timer and an abort by the caller can take effect.
        await yieldToEventLoop();
        throwIfAborted(this.#deadline.signal);
        if (this.#endMs !== undefined) return;
        yield this.#encode(rows);
        throwIfAborted(this.#deadline.signal);
        if (this.#endMs !== undefined) return;
      }
      throwIfAborted(this.#deadline.signal);
    } finally {
      await this[Symbol.asyncDispose]();
    }
  }

  #take(): readonly (readonly Cell[])[] {
    const rows: (readonly Cell[])[] = [];
    try {
      while (rows.length < rowsPerBatch) {
        const step = this.#rows.next();
        if (step.done === true) break;
        rows.push(step.value);
      }
    } catch (error) {
      this.#deadline[Symbol.dispose]();
      throw new QuireError('QUERY_FAILED', `SQLite: ${(error as Error).message}`, { cause: error });
    }
    return rows;
  }

  #encode(rows: readonly (readonly Cell[])[]): RecordBatch {
    const children = this.schema.fields.map(({ type, name }, index) => {
      const cells = rows.map((row) => cellAs(type, row[index] ?? null, name));
      return vectorFromArray(cells, type).data[0] ?? makeData({ type: new Null() });
    });
    const type = new Struct(this.schema.fields);
    const data = makeData({ type, length: rows.length, nullCount: 0, children });
    return new RecordBatch(this.schema, data);
  }
}

function codeOf(
  message: string,
): 'TABLE_NOT_FOUND' | 'COLUMN_NOT_FOUND' | 'QUERY_SYNTAX' | 'QUERY_INVALID' {
  if (message.includes('no such table')) return 'TABLE_NOT_FOUND';
  if (message.includes('no such column')) return 'COLUMN_NOT_FOUND';
  return /syntax error|unrecognized token|incomplete input/.test(message)
    ? 'QUERY_SYNTAX'
    : 'QUERY_INVALID';
}

/** The type of a declared column, by the rules of SQLite for affinities. */
function declaredType(declared: string | null): DataType | undefined {
  if (declared === null) return undefined;
  if (/bool/i.test(declared)) return new Bool();
  if (/int/i.test(declared)) return new Int64();
  if (/char|clob|text/i.test(declared)) return new Utf8();
  if (/blob/i.test(declared)) return new Binary();
  return /real|floa|doub/i.test(declared) ? new Float64() : undefined;
}

function typeOfValue(value: Cell): DataType {
  if (typeof value === 'bigint') return new Int64();
  if (typeof value === 'number') return new Float64();
  return value instanceof Uint8Array ? new Binary() : new Utf8();
}

/** @throws QUERY_FAILED when the value is not of the type: columns of SQLite may hold any */
function cellAs(type: DataType, value: Cell, column: string): unknown {
  if (value === null) return null;
  if (type instanceof Float64 && typeof value !== 'string' && !(value instanceof Uint8Array)) {
    return Number(value);
  }
  if (type instanceof Bool && typeof value === 'bigint') return value !== 0n;
  if (typeOfValue(value).typeId === type.typeId) return value;
  const found =
    typeof value === 'bigint'
      ? 'INTEGER'
      : typeof value === 'number'
        ? 'REAL'
        : typeof value === 'string'
          ? 'TEXT'
          : 'BLOB';
  throw new QuireError(
    'QUERY_FAILED',
    `Column ${column} has values of several types, here ${found}: use CAST to give it one.`,
  );
}

function sqlValueOf(parameter: QueryParameter): SQLInputValue {
  if (parameter.type === 'BOOLEAN') return parameter.value ? 1 : 0;
  if (parameter.type === 'LONG') return BigInt(parameter.value);
  if (parameter.type === 'INT') return BigInt(parameter.value);
  if (parameter.type === 'DOUBLE') return Number(parameter.value);
  return parameter.type === 'BYTES' ? Buffer.from(parameter.value, 'hex') : parameter.value;
}
