import { isQuireError, type QueryEngine, type QueryExecution, QuireError } from '@quire/core';
import { RecordBatch, Schema } from 'apache-arrow';
import { as, failingAs, running, starting } from './changed-engine.ts';

/**
 * A mistake that authors of engines make, as a wrapper that makes it, and the case of the
 * conformance suite that must catch it.
 */
export interface PlantedEngineBug {
  /** The mistake, as a predicate of the engine. */
  readonly name: string;
  /** The title of the case, which states the broken guarantee. */
  readonly caughtBy: string;
  /** True if a call never ends with it. */
  readonly hangs?: boolean;
  readonly plant: (engine: QueryEngine) => QueryEngine;
}

const inOrder = 'arrives in order, in batches of the schema that was announced';
const sameForAll = 'is the same with options that the engine does not know, paginated or not';
const versions = 'has the version of its tables, if the engine has versions';
const possible = 'has plausible statistics';
const parameterCount = 'without a value, and a value without a parameter, are QUERY_INVALID';
const parsed =
  'with QUERY_SYNTAX when it cannot be parsed, with TABLE_NOT_FOUND when a table does not exist';
const runtime = 'with QUERY_FAILED when it fails while it runs, and other queries continue';
const timedOut = 'with QUERY_TIMED_OUT once it has exceeded its timeout';
const midStream = 'a signal ends a query mid-stream, with the QuireError that it was aborted with';
const unread = 'a signal ends a query that is not being read yet, and no other one';
const leaving = 'a reader may leave, dispose, and dispose again; the engine continues';
const disposedEngine = 'disposing the engine ends running queries and starts no new ones';

export const plantedEngineBugs: readonly PlantedEngineBug[] = [
  {
    name: 'names the columns of its batches otherwise',
    caughtBy: inOrder,
    plant: (engine) =>
      running(engine, ({ batches }) => ({
        batches: (async function* () {
          for await (const batch of batches) {
            const fields = batch.schema.fields.map((field) =>
              field.clone({ name: `${field.name}_1` }),
            );
            yield new RecordBatch(new Schema(fields), batch.data);
          }
        })(),
      })),
  },
  {
    name: 'loses the last row of each batch',
    caughtBy: inOrder,
    plant: (engine) =>
      running(engine, ({ batches }) => ({
        batches: (async function* () {
          for await (const batch of batches) yield batch.slice(0, Math.max(0, batch.numRows - 1));
        })(),
      })),
  },
  {
    name: 'gives batches in the order in which they are ready',
    caughtBy: inOrder,
    plant: (engine) =>
      running(engine, ({ batches }) => ({
        batches: (async function* () {
          let held: RecordBatch | undefined;
          for await (const batch of batches) {
            if (held === undefined) held = batch;
            else {
              yield batch;
              yield held;
              held = undefined;
            }
          }
          if (held !== undefined) yield held;
        })(),
      })),
  },
  {
    name: 'has no columns where it has no rows',
    caughtBy: 'without rows still has its columns',
    plant: (engine) =>
      running(engine, ({ schema }, { sql }) => ({
        schema: sql.includes('range(0)') ? new Schema([]) : schema,
      })),
  },
  {
    name: 'gives what it should read when there are no rows',
    caughtBy: 'without rows still has its columns',
    plant: (engine) =>
      starting(engine, (query, options) =>
        engine.execute({ ...query, sql: query.sql.replace('range(0)', 'range(1)') }, options),
      ),
  },
  {
    name: 'uses the memory of a batch for the next one',
    caughtBy: 'leaves a batch to its reader: later reads do not change it',
    plant: (engine) =>
      running(engine, ({ batches }) => ({
        batches: (async function* () {
          let before: RecordBatch | undefined;
          for await (const batch of batches) {
            (before?.data.children[0]?.values as BigInt64Array | undefined)?.fill(-1n);
            before = batch;
            yield batch;
          }
        })(),
      })),
  },
  {
    name: 'ends a query when the next one starts',
    caughtBy: 'of one query is not disturbed by another query',
    plant: (engine) => {
      let latest: Promise<QueryExecution> | undefined;
      return starting(engine, async (query, options) => {
        const before = latest;
        latest = engine.execute(query, options);
        await (await before)?.[Symbol.asyncDispose]();
        return latest;
      });
    },
  },
  {
    name: 'takes any option called limit for its own',
    caughtBy: sameForAll,
    plant: (engine) =>
      starting(engine, (query, options) => {
        const limit = query.options?.['limit'];
        return engine.execute(
          limit === undefined ? query : { sql: `SELECT * FROM (${query.sql}) LIMIT ${limit}` },
          options,
        );
      }),
  },
  {
    name: 'refuses options that it does not know',
    caughtBy: sameForAll,
    plant: (engine) =>
      starting(engine, async (query, options) => {
        if (query.options !== undefined) {
          throw new QuireError('QUERY_INVALID', 'There is no such option.');
        }
        return engine.execute(query, options);
      }),
  },
  {
    name: 'gives the first page of what is paginated',
    caughtBy: sameForAll,
    plant: (engine) =>
      starting(engine, (query, options) =>
        engine.execute(
          query.isPaginated === true ? { sql: `SELECT * FROM (${query.sql}) LIMIT 10000` } : query,
          options,
        ),
      ),
  },
  {
    name: 'has another version in each run of the same data',
    caughtBy: versions,
    plant: (engine) => {
      let count = 0;
      return running(engine, () => {
        count += 1;
        return { dataVersion: `version ${count}` };
      });
    },
  },
  {
    name: 'tells of tables another version than of answers',
    caughtBy: versions,
    plant: (engine) =>
      running(engine, () => ({ dataVersion: 'version 1' }), { dataVersion: async () => '1' }),
  },
  {
    name: 'counts time in microseconds',
    caughtBy: possible,
    plant: (engine) =>
      running(engine, (execution) => ({
        statistics: () => ({
          ...execution.statistics(),
          elapsedMs: execution.statistics().elapsedMs * 1000 + 1000,
        }),
      })),
  },
  {
    name: 'counts on after the answer has ended',
    caughtBy: possible,
    plant: (engine) => {
      let calls = 0;
      return running(engine, (execution) => ({
        statistics: () => {
          calls += 1;
          return { ...execution.statistics(), rowsScanned: calls };
        },
      }));
    },
  },
  {
    name: 'says -1 of what it does not know',
    caughtBy: possible,
    plant: (engine) =>
      running(engine, (execution) => ({
        statistics: () => ({ ...execution.statistics(), cpuTimeNs: -1, rowsTotal: -1 }),
      })),
  },
  {
    name: 'has no statistics before the answer has ended',
    caughtBy: possible,
    plant: (engine) =>
      running(engine, (execution) => {
        let isEnded = false;
        const batches = async function* (): AsyncGenerator<RecordBatch> {
          yield* execution.batches;
          isEnded = true;
        };
        const statistics = (): ReturnType<QueryExecution['statistics']> => {
          if (!isEnded) throw new QuireError('INTERNAL', 'The query runs.');
          return execution.statistics();
        };
        return { batches: batches(), statistics };
      }),
  },
  {
    name: 'writes parameters into the text',
    caughtBy: 'is a value, whatever text it contains',
    plant: (engine) =>
      starting(engine, ({ sql, parameters }, options) => {
        const [first] = Object.values(parameters ?? {});
        return engine.execute(
          { sql: first === undefined ? sql : sql.replace('?', `'${String(first.value)}'`) },
          options,
        );
      }),
  },
  {
    name: 'passes over parameters that are too many',
    caughtBy: parameterCount,
    plant: (engine) =>
      starting(engine, (query, options) => {
        const parameters = Object.values(query.parameters ?? {}).slice(
          0,
          query.sql.split('?').length - 1,
        );
        return engine.execute({ ...query, parameters }, options);
      }),
  },
  {
    name: 'binds NULL to a parameter without a value',
    caughtBy: parameterCount,
    plant: (engine) =>
      starting(engine, (query, options) => {
        const isBare = query.parameters === undefined && query.sql.includes('?');
        return engine.execute(isBare ? { sql: query.sql.replace('?', 'NULL') } : query, options);
      }),
  },
  {
    name: 'says of SQL that it cannot parse that it failed',
    caughtBy: parsed,
    plant: (engine) => failingAs(engine, as('QUERY_SYNTAX', 'QUERY_FAILED')),
  },
  {
    name: 'says of a missing table that the query is invalid',
    caughtBy: parsed,
    plant: (engine) => failingAs(engine, as('TABLE_NOT_FOUND', 'QUERY_INVALID')),
  },
  {
    name: 'breaks for good with the first query that cannot run',
    caughtBy: parsed,
    plant: (engine) => {
      let failure: unknown;
      return starting(engine, async (query, options) => {
        if (isQuireError(failure, 'TABLE_NOT_FOUND')) throw failure;
        return engine.execute(query, options).catch((error: unknown) => {
          failure = error;
          throw error;
        });
      });
    },
  },
  {
    name: 'says of a missing column that the table is missing',
    caughtBy: 'with COLUMN_NOT_FOUND when its table has no such column',
    plant: (engine) => failingAs(engine, as('COLUMN_NOT_FOUND', 'TABLE_NOT_FOUND')),
  },
  {
    name: 'ends an answer where it fails',
    caughtBy: runtime,
    plant: (engine) =>
      starting(engine, async (query, options) => {
        const inner = running(engine, ({ batches }) => ({
          batches: (async function* () {
            try {
              yield* batches;
            } catch (error) {
              if (!isQuireError(error, 'QUERY_FAILED')) throw error;
            }
          })(),
        }));
        return inner.execute(query, options).catch((error: unknown) => {
          if (!isQuireError(error, 'QUERY_FAILED')) throw error;
          return inner.execute({ sql: 'SELECT range AS n FROM range(0)' }, options);
        });
      }),
  },
  {
    name: 'fails every query that runs with one that fails',
    caughtBy: runtime,
    plant: (engine) => {
      const executions: QueryExecution[] = [];
      return starting(
        failingAs(engine, (error) => {
          for (const execution of executions) void execution[Symbol.asyncDispose]();
          return error;
        }),
        async (query, options) => {
          const execution = await engine.execute(query, options).catch(async (error: unknown) => {
            for (const each of executions) await each[Symbol.asyncDispose]();
            throw error;
          });
          executions.push(execution);
          if (!query.sql.includes('CAST')) return execution;
          for (const each of executions.slice(0, -1)) await each[Symbol.asyncDispose]();
          return execution;
        },
      );
    },
  },
  {
    name: 'has no time limit',
    caughtBy: timedOut,
    plant: (engine) =>
      starting(engine, (query, options) =>
        engine.execute(query, { ...options, limits: { timeoutMs: 600_000 } }),
      ),
  },
  {
    name: 'says ABORTED when a query has run for too long',
    caughtBy: timedOut,
    plant: (engine) => failingAs(engine, as('QUERY_TIMED_OUT', 'ABORTED')),
  },
  {
    name: 'runs what was aborted before it started',
    caughtBy: 'an already aborted signal starts nothing',
    plant: (engine) =>
      starting(engine, (query, options) =>
        engine.execute(query, { ...options, signal: undefined }),
      ),
  },
  {
    name: 'is ABORTED for whatever reason',
    caughtBy: 'an already aborted signal rejects with the QuireError that it was aborted with',
    plant: (engine) => failingAs(engine, as('QUERY_CANCELLED', 'ABORTED')),
  },
  {
    name: 'looks at the signal when a query starts, and never again',
    caughtBy: midStream,
    plant: (engine) =>
      starting(engine, async (query, options) => {
        options.signal?.throwIfAborted();
        return engine.execute(query, { ...options, signal: undefined });
      }),
  },
  {
    name: 'ends an aborted query as if that were all of its rows',
    caughtBy: midStream,
    plant: (engine) =>
      running(engine, ({ batches }) => ({
        batches: (async function* () {
          try {
            yield* batches;
          } catch (error) {
            if (!isQuireError(error, 'QUERY_CANCELLED')) throw error;
          }
        })(),
      })),
  },
  {
    name: 'aborts all queries with one',
    caughtBy: unread,
    plant: (engine) => {
      const aborting = new AbortController();
      return starting(engine, (query, options) => {
        options.signal?.addEventListener('abort', () => aborting.abort());
        return engine.execute(query, { ...options, signal: aborting.signal });
      });
    },
  },
  {
    name: 'does not notice an abort before it is read',
    caughtBy: unread,
    plant: (engine) =>
      starting(engine, async (query, options) => {
        const isEndless = query.sql.includes('1000000000000');
        return engine.execute(query, isEndless ? { ...options, signal: undefined } : options);
      }),
  },
  {
    name: 'closes itself when the signal of an earlier query is aborted',
    caughtBy: 'a signal that is aborted after the answer has no effect',
    plant: (engine) =>
      starting(engine, (query, options) => {
        options.signal?.addEventListener('abort', () => void engine[Symbol.asyncDispose]());
        return engine.execute(query, options);
      }),
  },
  {
    name: 'fails when a query is disposed a second time',
    caughtBy: leaving,
    plant: (engine) =>
      running(engine, (execution) => {
        let isDisposed = false;
        const dispose = async (): Promise<void> => {
          if (isDisposed) throw new Error('The connection is closed.');
          isDisposed = true;
          await execution[Symbol.asyncDispose]();
        };
        return { [Symbol.asyncDispose]: dispose };
      }),
  },
  {
    name: 'starts the next query when the last row of the one before is read',
    caughtBy: leaving,
    hangs: true,
    plant: (engine) => {
      let turn: Promise<unknown> = Promise.resolve();
      const inner = running(engine, ({ batches }) => {
        const { promise, resolve } = Promise.withResolvers<undefined>();
        turn = promise;
        return {
          batches: (async function* () {
            for await (const batch of batches) yield batch;
            resolve(undefined);
          })(),
        };
      });
      return starting(inner, async (query, options) => {
        await turn;
        return inner.execute(query, options);
      });
    },
  },
  {
    name: 'gives on what is disposed',
    caughtBy: 'a disposed query yields nothing more',
    plant: (engine) => running(engine, () => ({ [Symbol.asyncDispose]: async () => undefined })),
  },
  {
    name: 'lets queries run when it is disposed',
    caughtBy: disposedEngine,
    plant: (engine) =>
      starting(engine, (query, options) => engine.execute(query, options), {
        [Symbol.asyncDispose]: async () => undefined,
      }),
  },
  {
    name: 'fails when it is disposed a second time',
    caughtBy: disposedEngine,
    plant: (engine) => {
      let isDisposed = false;
      const dispose = async (): Promise<void> => {
        if (isDisposed) throw new Error('The database is closed.');
        isDisposed = true;
        await engine[Symbol.asyncDispose]();
      };
      return starting(engine, (query, options) => engine.execute(query, options), {
        [Symbol.asyncDispose]: dispose,
      });
    },
  },
  {
    name: 'says ABORTED of what its disposal ends',
    caughtBy: disposedEngine,
    plant: (engine) =>
      failingAs(engine, (error) =>
        isQuireError(error, 'SHUTTING_DOWN') ? new QuireError('ABORTED', error.message) : error,
      ),
  },
];
