import {
  abortError,
  type ErrorCode,
  type Query,
  type QueryEngine,
  type QueryExecution,
  type QueryLimits,
  type SqlDialect,
  QuireError,
  throwIfAborted,
} from '@quire/core';
import { unlessAborted } from '@quire/core/wait';
import {
  Field,
  Int32,
  Int64,
  RecordBatch,
  Schema,
  Struct,
  makeData,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';

const schema = new Schema([
  new Field('n', new Int32(), false),
  new Field('big', new Int64(), false),
  new Field('text', new Utf8(), true),
]);

/** Exceeds the range of a double. */
const bigOffset = 9_007_199_254_740_993n;
const batchRowCount = 1000;

/** Returns the JSON of the rows `[start, end)` of a scripted query. */
export function scriptedRowsJson(start: number, end: number): string {
  const rows = Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index);
  return `[${rows.map((n) => `[${n},${bigOffset + BigInt(n)},${n % 10 === 9 ? 'null' : `"row ${n}"`}]`).join(',')}]`;
}

/**
 * A query engine whose SQL is a script.
 *
 *     rows 2500               2500 rows
 *     rows 2500 then hang     … and then nothing, until it is cancelled
 *     fail QUERY_SYNTAX       fails at once, with this code
 *     rows 10 then fail QUERY_FAILED
 *     rows 2500 then wait then rows 10    … and continues on `resume`
 *     rows 10 then progress 42 then hang  … and reports the share of the rows that it has processed
 *     hang                    does nothing until it is cancelled
 *     crash                   throws an error other than a QuireError
 */
export class ScriptedEngine implements QueryEngine {
  /** Accepts results that a query references, and ignores them. */
  readonly readsResults: boolean;
  /** The version of the data that queries answer from now on; undefined if unknown. */
  version: string | undefined;
  readonly queries: {
    readonly sql: string;
    readonly limits: QueryLimits;
    readonly dialect?: SqlDialect | undefined;
  }[] = [];
  #openCount = 0;
  #hangingCount = 0;
  readonly #watchers: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];
  #resumedAhead = 0;

  constructor({ readsResults = true } = {}) {
    this.readsResults = readsResults;
  }

  /** Executions that are not disposed yet. */
  get openCount(): number {
    return this.#openCount;
  }

  /** Executions that wait for the test to resume them. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Resolves once the given number of queries hang. */
  async untilHanging(count = 1): Promise<void> {
    while (this.#hangingCount < count) {
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  /**
   * Resolves once no query is in progress, and forgets resumptions that no query has used: one that
   * was cancelled before it waited must not leave its resumption to a query of the next test.
   */
  async untilIdle(): Promise<void> {
    while (this.#openCount > 0) await new Promise<void>((resolve) => this.#watchers.push(resolve));
    this.#resumedAhead = 0;
  }

  async execute(
    { sql, dialect }: Query,
    options: {
      signal?: AbortSignal | undefined;
      limits: QueryLimits;
      onProgress?: ((share: number) => void) | undefined;
    },
  ): Promise<QueryExecution> {
    this.queries.push({
      sql,
      limits: options.limits,
      ...(dialect !== undefined && { dialect }),
    });
    throwIfAborted(options.signal);
    const rows = /^rows (\d+)/.exec(sql) ?? /^SELECT \* FROM "\w+" LIMIT (0)$/.exec(sql);
    if (rows === null) await this.#finish(sql, options.signal);
    this.#openCount += 1;
    const batches = this.#batches(Number(rows?.[1] ?? 0), sql, options);
    return {
      schema,
      batches,
      dataVersion: this.version,
      statistics: () => ({
        elapsedMs: 12.4,
        cpuTimeNs: 3_000_000,
        rowsScanned: 77,
        rowsTotal: 88,
        tables: ['scripted'],
      }),
      [Symbol.asyncDispose]: async () => {
        await batches.return(undefined);
        this.#openCount -= 1;
        this.#notify();
      },
    };
  }

  async dataVersion(): Promise<string | undefined> {
    return this.version;
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async *#batches(
    rowCount: number,
    sql: string,
    { signal, onProgress }: Parameters<QueryEngine['execute']>[1],
  ): AsyncGenerator<RecordBatch> {
    yield* rowsOf(0, rowCount, signal);
    let end = rowCount;
    for (const step of sql.split(' then ').slice(1)) {
      const [, percent] = /^progress (\d+)$/.exec(step) ?? [];
      if (percent !== undefined) {
        onProgress?.(Number(percent) / 100);
        continue;
      }
      const more = Number(/^rows (\d+)$/.exec(step)?.[1] ?? 0);
      yield* rowsOf(end, end + more, signal);
      end += more;
      if (more === 0) await this.#finish(step, signal);
    }
  }

  /** Resumes the query that waits, or the next one that will. */
  resume(): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#resumedAhead += 1;
    else waiting();
  }

  async #finish(script: string, signal: AbortSignal | undefined): Promise<void> {
    if (script === 'hang') await this.#hang(signal);
    if (script === 'wait') return this.#wait(signal);
    if (script === 'crash') {
      throw new TypeError('Cannot read properties of undefined: /var/lib/secret');
    }
    const [, code] = /^fail ([A-Z_]+)$/.exec(script) ?? [];
    if (code !== undefined) throw new QuireError(code as ErrorCode, `The script says ${code}.`);
    throw new QuireError('QUERY_SYNTAX', `'${script}' is not a script.`);
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    if (this.#resumedAhead > 0) {
      this.#resumedAhead -= 1;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    try {
      await unlessAborted(promise, signal);
    } catch (error) {
      this.#waiting.splice(this.#waiting.indexOf(resolve), 1);
      throw error;
    }
  }

  async #hang(signal: AbortSignal | undefined): Promise<never> {
    this.#hangingCount += 1;
    this.#notify();
    try {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
    } finally {
      this.#hangingCount -= 1;
    }
    throw signal === undefined
      ? new QuireError('INTERNAL', 'There was no signal.')
      : abortError(signal);
  }

  #notify(): void {
    for (const watcher of this.#watchers.splice(0)) watcher();
  }
}

function* rowsOf(
  start: number,
  end: number,
  signal: AbortSignal | undefined,
): Generator<RecordBatch> {
  for (let first = start; first < end; first += batchRowCount) {
    throwIfAborted(signal);
    yield batchOf(first, Math.min(first + batchRowCount, end));
  }
}

function batchOf(start: number, end: number): RecordBatch {
  const numbers = Array.from({ length: end - start }, (_, index) => start + index);
  const children = [
    vectorFromArray(numbers, new Int32()),
    vectorFromArray(
      numbers.map((n) => bigOffset + BigInt(n)),
      new Int64(),
    ),
    vectorFromArray(
      numbers.map((n) => (n % 10 === 9 ? null : `row ${n}`)),
      new Utf8(),
    ),
  ].map((vector) => vector.data[0]!);
  return new RecordBatch(
    schema,
    makeData({ type: new Struct(schema.fields), length: end - start, nullCount: 0, children }),
  );
}
