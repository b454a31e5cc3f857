import {
  type CallOptions,
  type ObjectStore,
  type Query,
  type QueryDescription,
  type QueryLimits,
  throwIfAborted,
} from '@quire/core';
import {
  type AnsweredData,
  decodeSchema,
  type ExtendRequest,
  type ProgressEvent,
  type Result,
  resultPrefix,
  type ResultStore,
  type StoringEngine,
  type StoringOptions,
  type WriteOrder,
  type WrittenResult,
} from '@quire/results';
import type { WorkerEnd } from '../workers/worker-process.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import {
  type EncodedDescription,
  queryCalls,
  type QuerySetup,
  type QueryWork,
} from './query-work.ts';
import { StoreHost } from './store-host.ts';

/** The pool of query processes, and the destination of their results. */
export interface QueryWorkersOptions {
  readonly pool: Pick<WorkerPool<QuerySetup, QueryWork, unknown>, 'run'>;
  readonly results: Pick<ResultStore, 'startWrite'>;
  /** The store of the results, for processes that cannot open it themselves. */
  readonly store: ObjectStore;
  /**
   * The `QueryEngine.dataVersion` of the workers' engine. It is called in this process, so that it
   * occupies no worker.
   */
  readonly dataVersion?: StoringEngine['dataVersion'];
  /** The `QueryEngine.readsResults` of the workers' engine; default: false. */
  readonly readsResults?: boolean;
  /** Removes what a killed writer may have left behind outside of the store's objects. */
  readonly removeLeftovers?: ((order: WriteOrder, worker: WorkerEnd) => Promise<void>) | undefined;
}

/**
 * Runs queries in workers, which also write the answers: only the rows of the first page pass
 * through this process. A query that exceeds its memory, or does not stop when it is cancelled, is
 * ended with its worker.
 */
export class QueryWorkers implements StoringEngine {
  readonly dataVersion: StoringEngine['dataVersion'];
  readonly readsResults: boolean;
  readonly #options: QueryWorkersOptions;

  constructor(options: QueryWorkersOptions) {
    this.#options = options;
    this.dataVersion = options.dataVersion;
    this.readsResults = options.readsResults ?? false;
  }

  async store(
    query: Query,
    { limits, signal, onPlanned, onProgress, ...options }: StoringOptions,
  ): Promise<Result> {
    throwIfAborted(signal);
    const { pool, store, removeLeftovers } = this.#options;
    const { growth, results: named = [] } = options;
    const results = named.map((result) => result.readOrder());
    const write = this.#options.results.startWrite({ ...options, sql: query.sql });
    const { order } = write;
    const host = new StoreHost(store, {
      writePrefix: resultPrefix(order.brokerId, order.requestId),
      readKeys: results.map(({ dataKey }) => dataKey),
    });
    /** Aborted when the worker has ended, which ends the calls that still wait for it. */
    const gone = new AbortController();
    let end: WorkerEnd | undefined;
    const handlers = {
      ...host.handlers,
      [queryCalls.extend]: (request: unknown) =>
        write.extend(request as ExtendRequest, { signal: gone.signal }),
      [queryCalls.release]: async (isFreed: unknown) => write.release(isFreed === true),
      [queryCalls.grow]: async (event: unknown) => growth?.notify(event as ProgressEvent),
      [queryCalls.planned]: async (data: unknown) => onPlanned?.(data as AnsweredData),
      [queryCalls.progress]: async (share: unknown) => onProgress?.(Number(share)),
    };
    const reportsProgress = onProgress !== undefined;
    const work: QueryWork = { kind: 'store', query, limits, order, reportsProgress, results };
    const onGone = (workerEnd: WorkerEnd): void => void (end = workerEnd);
    let written: WrittenResult;
    try {
      written = (await pool.run(work, { signal, handlers, onGone })) as WrittenResult;
    } catch (error) {
      gone.abort(error);
      await host.close();
      if (end !== undefined) await removeLeftovers?.(order, end);
      // A worker that is still alive and did not release its reservation has written nothing.
      else write.release(true);
      await write.fail(error);
      throw error;
    } finally {
      await host.close();
    }
    return await write.commit(written);
  }

  async describe(
    query: Query,
    {
      limits,
      signal,
      results: named = [],
    }: CallOptions & { readonly limits: QueryLimits; readonly results?: readonly Result[] },
  ): Promise<QueryDescription> {
    const { pool, store } = this.#options;
    const results = named.map((result) => result.readOrder());
    const host = new StoreHost(store, { readKeys: results.map(({ dataKey }) => dataKey) });
    const work: QueryWork = { kind: 'describe', query, limits, results };
    try {
      const answer = await pool.run(work, { signal, handlers: host.handlers });
      const described = answer as EncodedDescription;
      return { ...described, schema: decodeSchema(described.schema) };
    } finally {
      await host.close();
    }
  }
}
