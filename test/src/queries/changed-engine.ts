import { isQuireError, type QueryEngine, type QueryExecution, QuireError } from '@quire/core';
import type { RecordBatch } from 'apache-arrow';

type Execute = QueryEngine['execute'];
type Batches = QueryExecution['batches'];

/** The engine with another way to start queries. */
export function starting(
  engine: QueryEngine,
  execute: Execute,
  changes: Partial<QueryEngine> = {},
): QueryEngine {
  return { execute, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](), ...changes };
}

/** Wraps an engine to change its running queries. */
export function running(
  engine: QueryEngine,
  change: (execution: QueryExecution, query: Parameters<Execute>[0]) => Partial<QueryExecution>,
  changes: Partial<QueryEngine> = {},
): QueryEngine {
  const execute: Execute = async (query, options) => {
    const execution = await engine.execute(query, options);
    return {
      schema: execution.schema,
      batches: execution.batches,
      statistics: () => execution.statistics(),
      [Symbol.asyncDispose]: () => execution[Symbol.asyncDispose](),
      ...change(execution, query),
    };
  };
  return starting(engine, execute, changes);
}

/** Wraps an engine to change the codes of its failures, at the start and while rows are read. */
export function failingAs(
  engine: QueryEngine,
  translate: (error: unknown) => unknown,
): QueryEngine {
  const translated = async function* (batches: Batches): AsyncGenerator<RecordBatch> {
    try {
      yield* batches;
    } catch (error) {
      throw translate(error);
    }
  };
  const inner = running(engine, ({ batches }) => ({ batches: translated(batches) }));
  return starting(inner, (query, options) =>
    inner
      .execute(query, options)
      .catch((error: unknown) => Promise.reject(translate(error) as Error)),
  );
}

export const as =
  (from: string, to: 'QUERY_FAILED' | 'QUERY_INVALID' | 'TABLE_NOT_FOUND' | 'ABORTED') =>
  (error: unknown) =>
    isQuireError(error) && error.code === from ? new QuireError(to, error.message) : error;
