import {
  isQuireError,
  type ObjectStore,
  QuireError,
  type StoreCall,
  systemClock,
  systemRandom,
} from '@quire/core';
import { traced } from '@quire/core/trace';
import {
  answeredData,
  describeBy,
  encodeSchema,
  type ExtendRequest,
  type ProgressEvent,
  openOrdered,
  type ResultSink,
  type WriterAdmission,
  writeOrdered,
} from '@quire/results';
import type { OpenQueryEngine } from '../engines/engine-kind.ts';
import { engineKindOf } from '../engines/engine-kinds.ts';
import {
  isOpenedAnywhere,
  openStore,
  storeInUse,
  type StoreSettings,
} from '../stores/open-store.ts';
import type { WorkContext, WorkerHost, WorkRunner } from '../workers/worker-kind.ts';
import {
  type EncodedDescription,
  queryCalls,
  type QuerySetup,
  type QueryWork,
  storeCalls,
  type StoreRetry,
} from './query-work.ts';
import { RemoteStore } from './remote-store.ts';

/** The engine and the store of queries in their process. */
interface QueryParts extends OpenQueryEngine {
  /**
   * The store to which results are written, and from which queries read referenced ones; undefined
   * if the store is in the parent process.
   */
  readonly store: (ResultSink & Pick<ObjectStore, 'get'>) | undefined;
}

/** Opens the engine and the store of a process that runs queries and writes their results. */
export async function openQueries(
  { settings, isFirst, findings }: QuerySetup,
  host: WorkerHost,
): Promise<WorkRunner<QueryWork, unknown>> {
  const kind = engineKindOf(settings);
  const { call } = host;
  const [clock, random] = [systemClock, systemRandom];
  const opened = await kind.openQueryEngine(settings, { clock, random, call, findings });
  const store = isOpenedAnywhere(settings) ? await openResultStore(settings, host) : undefined;
  const parts: QueryParts = { ...opened, store };
  const warmUp = (): void => void kind.warmUp?.(opened.engine).catch(() => undefined);
  // A process that waits for work can warm up in the meantime; the server waits for the findings of
  // the first one, which are answered before.
  if (!isFirst) warmUp();
  return {
    directories: opened.directories,
    run: async (work, context) => {
      try {
        return work.kind === 'findings' ? opened.findings : await runQuery(work, parts, context);
      } finally {
        await opened.settled();
        if (work.kind === 'findings') warmUp();
      }
    },
    [Symbol.asyncDispose]: async () => {
      await opened.engine[Symbol.asyncDispose]();
      await store?.[Symbol.asyncDispose]();
    },
  };
}

/**
 * Opens the store that the server has opened with the same settings: a failure now is an outage,
 * not a wrong setting.
 */
async function openResultStore(settings: StoreSettings, host: WorkerHost): Promise<ObjectStore> {
  try {
    return (await openStore(settings, dependenciesOf(host))).store;
  } catch (error) {
    const { cause } = error as Error;
    if (!isQuireError(cause) || cause.kind !== 'unavailable') throw error;
    const location = storeInUse(settings).location?.text;
    throw new QuireError(cause.code, `Opening ${location} failed: ${cause.message}`, { cause });
  }
}

async function runQuery(
  work: Exclude<QueryWork, { kind: 'findings' }>,
  parts: QueryParts,
  { signal, call }: WorkContext,
): Promise<unknown> {
  const store = parts.store ?? new RemoteStore(call);
  const results = work.results?.map((order) => openOrdered(order, store));
  const { query, limits } = work;
  if (work.kind === 'describe') {
    const options = { signal, limits, results };
    const { schema, parameterTypes } = await describeBy(parts.engine, query, options);
    const described: EncodedDescription = { schema: encodeSchema(schema), parameterTypes };
    return described;
  }
  // No answer is needed.
  const onProgress = (share: number): void =>
    void call(queryCalls.progress, share).catch(() => undefined);
  await using execution = await traced('query.plan', () =>
    parts.engine.execute(query, {
      signal,
      limits,
      results,
      ...(work.reportsProgress === true && { onProgress }),
    }),
  );
  const admission: WriterAdmission = {
    extend: (request: ExtendRequest) => call(queryCalls.extend, request) as Promise<number>,
    release: (isFreed) => void call(queryCalls.release, isFreed),
  };
  // No answer is needed: a parent of an older version, whose files were replaced while it runs,
  // does not know this call.
  call(queryCalls.planned, answeredData(execution)).catch(() => undefined);
  const notify = (event: ProgressEvent): void => void call(queryCalls.grow, event);
  return await writeOrdered(execution, work.order, {
    store,
    clock: systemClock,
    admission,
    signal,
    notify,
  });
}

/** Store calls are counted and logged by the parent process. */
function dependenciesOf({ call }: WorkerHost): Parameters<typeof openStore>[1] {
  const report = (name: string, input: StoreCall | StoreRetry): void => {
    call(name, input).catch(() => undefined); // the parent has ended
  };
  return {
    clock: systemClock,
    random: systemRandom,
    onCall: (each) => report(storeCalls.call, each),
    onRetry: ({ error, ...event }) => report(storeCalls.retry, { ...event, reason: error.code }),
  };
}
