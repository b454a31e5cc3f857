import { type Clock, type ObjectStore, type QueryEngine, systemClock } from '@quire/core';
import {
  answeredData,
  encodeSchema,
  type ExtendRequest,
  type GrowthNews,
  openOrdered,
  type ResultSink,
  type WriterAdmission,
  writeOrdered,
} from '@quire/results';
import type { WorkContext, WorkRunner } from '../worker-module.ts';
import { queryCalls, type QueryWork } from './query-work.ts';
import { RemoteSink } from './remote-sink.ts';
import { RemoteSource } from './remote-source.ts';

/** What a query worker works with. */
export interface QueryWorkerParts {
  readonly engine: QueryEngine;
  /**
   * Where results are written, and read by queries that name them; undefined when the store lives
   * in the process that this one works for.
   */
  readonly store: (ResultSink & Pick<ObjectStore, 'get'>) | undefined;
  /**
   * Resolves once nothing of a query that has failed runs any more: the process is not free before.
   */
  readonly settled?: () => Promise<void>;
  readonly directories?: readonly string[];
  readonly clock?: Clock;
  /** Closes engine and store. */
  readonly close: () => Promise<void>;
}

/** The side of `QueryWorkers` that runs in a worker: runs queries and writes their answers. */
export function createQueryWorker(parts: QueryWorkerParts): WorkRunner {
  return {
    directories: parts.directories ?? [],
    run: async (input, context) => {
      try {
        return await runWork(input as QueryWork, parts, context);
      } finally {
        await parts.settled?.();
      }
    },
    [Symbol.asyncDispose]: () => parts.close(),
  };
}

async function runWork(
  work: QueryWork,
  parts: QueryWorkerParts,
  { signal, call }: WorkContext,
): Promise<unknown> {
  const source = parts.store ?? new RemoteSource(call);
  const results =
    work.kind === 'store' ? work.results?.map((order) => openOrdered(order, source)) : [];
  await using execution = await parts.engine.execute(work.query, {
    signal,
    limits: work.limits,
    results,
  });
  if (work.kind === 'describe') return encodeSchema(execution.schema);
  const admission: WriterAdmission = {
    extend: (request: ExtendRequest) => call(queryCalls.extend, request) as Promise<number>,
    release: (isFreed) => void call(queryCalls.release, isFreed),
  };
  // A process whose files were replaced while it runs, by a newer version, does not know the call,
  // and needs no answer to it.
  call(queryCalls.planned, answeredData(execution)).catch(() => undefined);
  const store = parts.store ?? new RemoteSink(call);
  const tell = (news: GrowthNews): void => void call(queryCalls.grow, news);
  return await writeOrdered(execution, work.order, {
    store,
    clock: parts.clock ?? systemClock,
    admission,
    signal,
    tell,
  });
}
