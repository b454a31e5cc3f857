import {
  type Query,
  type QueryEngine,
  type QueryExecution,
  type QueryLimits,
  QuireError,
  throwIfAborted,
} from '@quire/core';
import type { SeededRandom } from '@quire/core/testing';
import {
  Field,
  Int32,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import type { SimulatedProcess } from './machine.ts';

const schema = new Schema([
  new Field('n', new Int32(), false),
  new Field('text', new Utf8(), false),
]);
const batchRowCount = 20;

/**
 * SQL of a query whose answer is unique: `rowCount` rows that count from `first`. A slow one takes
 * seconds.
 */
export function sqlOf(rowCount: number, first: number, { isSlow = false } = {}): string {
  return `${isSlow ? 'slow ' : ''}rows ${rowCount} from ${first}`;
}

/** The rows `[start, end)` of the query's answer, as in JSON. */
export function rowsOf(first: number, start: number, end: number): [number, string][] {
  return Array.from({ length: Math.max(0, end - start) }, (_, index) => {
    const n = first + start + index;
    return [n, `row ${n}`];
  });
}

/** An engine that takes simulated time for each batch of its answers, and sometimes fails. */
export class SimulatedEngine implements QueryEngine {
  readonly readsResults = false;
  readonly #process: SimulatedProcess;
  readonly #random: SeededRandom;

  constructor(process: SimulatedProcess, random: SeededRandom) {
    this.#process = process;
    this.#random = random;
  }

  async execute(
    { sql }: Query,
    options: { signal?: AbortSignal | undefined; limits: QueryLimits },
  ): Promise<QueryExecution> {
    const script = /^(slow )?rows (\d+) from (\d+)$/.exec(sql);
    await this.#process.pause(this.#random.fraction() * 50);
    throwIfAborted(options.signal);
    if (script === null) throw new QuireError('QUERY_SYNTAX', `'${sql}' is not a script.`);
    const [rowCount = 0, first = 0] = script.slice(2).map(Number);
    const pauseMaxMs = script[1] === undefined ? 20 : 3000;
    const batches = this.#batches({ rowCount, first, pauseMaxMs }, options.signal);
    return {
      schema,
      batches,
      statistics: () => ({
        elapsedMs: 1,
        cpuTimeNs: 0,
        rowsScanned: rowCount,
        rowsTotal: rowCount,
        tables: [],
      }),
      [Symbol.asyncDispose]: async () => void (await batches.return(undefined)),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async *#batches(
    {
      rowCount,
      first,
      pauseMaxMs,
    }: { readonly rowCount: number; readonly first: number; readonly pauseMaxMs: number },
    signal: AbortSignal | undefined,
  ): AsyncGenerator<RecordBatch> {
    for (let start = 0; start < rowCount; start += batchRowCount) {
      await this.#process.pause(this.#random.fraction() * pauseMaxMs);
      throwIfAborted(signal);
      yield batchOf(rowsOf(first, start, Math.min(start + batchRowCount, rowCount)));
    }
  }
}

function batchOf(rows: readonly (readonly [number, string])[]): RecordBatch {
  const children = [
    vectorFromArray(
      rows.map(([n]) => n),
      new Int32(),
    ),
    vectorFromArray(
      rows.map(([, text]) => text),
      new Utf8(),
    ),
  ].map((vector) => vector.data[0]!);
  const { length } = rows;
  return new RecordBatch(
    schema,
    makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }),
  );
}
