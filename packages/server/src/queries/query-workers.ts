import {
  type CallOptions,
  type ObjectStore,
  type Query,
  type QueryLimits,
  throwIfAborted,
} from '@quire/core';
import {
  type AnsweredData,
  decodeSchema,
  type ExtendRequest,
  type GrowthNews,
  type Result,
  resultPrefix,
  type ResultStore,
  type StoringEngine,
  type StoringOptions,
  type WriteOrder,
  type WriterAdmission,
  type WrittenResult,
} from '@quire/results';
import type { Schema } from 'apache-arrow';
import type { WorkerEnd } from '../workers/worker-process.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';
import { queryCalls, type QuerySetup, type QueryWork } from './query-work.ts';
import { StoreHost } from './store-host.ts';

/** The pool that queries run in, and where their results go. */
export interface QueryWorkersOptions {
  readonly pool: Pick<WorkerPool<QuerySetup, QueryWork, unknown>, 'run'>;
  readonly results: Pick<ResultStore, 'createBy'>;
  /** The store of the results, for processes that cannot open it. */
  readonly store: ObjectStore;
  /**
   * As `QueryEngine.dataVersion`, of the engine in the workers: asked here, so that it takes none
   * of them.
   */
  readonly dataVersion?: StoringEngine['dataVersion'];
  /** As `QueryEngine.readsResults`, of the engine in the workers; default: they do not. */
  readonly readsResults?: boolean;
  /** Removes what a writer that was killed may have left outside of the store's objects. */
  readonly removeLeftovers?: ((order: WriteOrder, worker: WorkerEnd) => Promise<void>) | undefined;
}

/**
 * Runs queries in workers, which also write the answers: rows never pass this process, but those of
 * the first page. A query that takes too much memory, or does not stop when it is told to, is ended
 * with its worker.
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
    { limits, signal, onPlanned, ...options }: StoringOptions,
  ): Promise<Result> {
    throwIfAborted(signal);
    const { growth, results: named = [] } = options;
    const results = named.map((result) => result.readOrder());
    return this.#options.results.createBy(
      (order, admission) =>
        this.#write({ kind: 'store', query, limits, order, results }, admission, {
          signal,
          growth,
          onPlanned,
        }),
      { ...options, signal },
    );
  }

  async describe(
    query: Query,
    { limits, signal }: CallOptions & { readonly limits: QueryLimits },
  ): Promise<Schema> {
    const work: QueryWork = { kind: 'describe', query, limits };
    return decodeSchema((await this.#options.pool.run(work, { signal })) as Uint8Array);
  }

  async #write(
    work: QueryWork & { readonly kind: 'store' },
    admission: WriterAdmission,
    { signal, growth, onPlanned }: Pick<StoringOptions, 'signal' | 'growth' | 'onPlanned'>,
  ): Promise<WrittenResult> {
    const { pool, store, removeLeftovers } = this.#options;
    const { order } = work;
    const host = new StoreHost(store, {
      writePrefix: resultPrefix(order.brokerId, order.requestId),
      readKeys: work.results?.map(({ dataKey }) => dataKey) ?? [],
    });
    /** Ends what the worker still waits for when it has ended. */
    const gone = new AbortController();
    let hasReleased = false;
    let end: WorkerEnd | undefined;
    const handlers = {
      ...host.handlers,
      [queryCalls.extend]: (request: unknown) =>
        admission.extend(request as ExtendRequest, { signal: gone.signal }),
      [queryCalls.release]: async (isFreed: unknown) => {
        hasReleased = true;
        admission.release(isFreed === true);
      },
      [queryCalls.grow]: async (news: unknown) => growth?.tell(news as GrowthNews),
      [queryCalls.planned]: async (data: unknown) => onPlanned?.(data as AnsweredData),
    };
    try {
      return (await pool.run(work, {
        signal,
        handlers,
        onGone: (workerEnd) => (end = workerEnd),
      })) as WrittenResult;
    } catch (error) {
      gone.abort(error);
      await host.abandonPut();
      if (end !== undefined) await removeLeftovers?.(order, end);
      // A process that is still there and released nothing has written nothing.
      else if (!hasReleased) admission.release(true);
      throw error;
    } finally {
      await host.closeGet();
    }
  }
}
