import {
  type CallOptions,
  type ObjectStore,
  QuireError,
  readObject,
  type RequestId,
} from '@quire/core';
import { runningKeyOf } from './layout.ts';
import type { ResultStoreOptions } from './result-store-options.ts';

/** Where a query runs whose result does not stand yet. */
export interface RunningPlace {
  /** Name of the principal that runs it. */
  readonly owner: string;
  /** How others reach the broker that runs it. */
  readonly broker: { readonly host: string; readonly port: number };
  /** It has certainly ended by then, by the clock of that broker. */
  readonly endsBeforeMs: number;
}

/**
 * How much longer than its limit a query counts as one that runs: clocks differ, and it cleans up
 * after itself.
 */
const graceMs = 60_000;

/** Has a query known to the brokers that share the store; undefined where there are none. */
export type MarkRunning = (requestId: RequestId, place: RunningPlace) => RunningMark | undefined;

/** Marks queries of a broker in its store, where others share it. */
export function markerOf({
  store,
  brokerId,
  isShared,
}: Pick<ResultStoreOptions, 'store' | 'brokerId' | 'isShared'>): MarkRunning {
  return (requestId, place) =>
    isShared === true ? new RunningMark(store, brokerId, requestId, place) : undefined;
}

/**
 * Says in a store that others share where a query runs, until it is ended. The mark is a
 * convenience: when it cannot be written, other brokers do not know of the query, which goes on. A
 * mark that a killed broker leaves is an orphan to sweep.
 */
export class RunningMark {
  /** Resolves once others can see it. @throws as `ObjectStore.put` */
  readonly written: Promise<void>;
  readonly #store: Pick<ObjectStore, 'delete'>;
  readonly #key: string;

  constructor(
    store: Pick<ObjectStore, 'put' | 'delete'>,
    brokerId: string,
    requestId: RequestId,
    place: RunningPlace,
  ) {
    this.#store = store;
    this.#key = runningKeyOf(brokerId, requestId);
    this.written = store.put(this.#key, encodeRunningPlace(place)).then(() => undefined);
    this.written.catch(() => undefined); // for those who do not wait for it
  }

  /** Takes it away. @throws as `ObjectStore.delete` */
  async end(): Promise<void> {
    await this.written.catch(() => undefined); // it may have landed all the same
    await this.#store.delete(this.#key);
  }
}

/** What is read goes into headers. */
const hostPattern = /^[\w.:[\]-]{1,255}$/;

function encodeRunningPlace({ owner, broker, endsBeforeMs }: RunningPlace): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ owner, broker, endsBeforeMs })}\n`);
}

/**
 * Where a query runs, as a store says; undefined when the mark is old, or cannot be read. @throws
 * OBJECT_NOT_FOUND when it has gone
 */
export async function readRunningPlace(
  store: ObjectStore,
  key: string,
  nowMs: number,
  options: CallOptions,
): Promise<RunningPlace | undefined> {
  const place = decodeRunningPlace(await readObject(store, key, options));
  return place !== undefined && nowMs < place.endsBeforeMs + graceMs ? place : undefined;
}

function decodeRunningPlace(bytes: Uint8Array): RunningPlace | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
  const { owner, broker, endsBeforeMs } = (parsed ?? {}) as {
    readonly [Name in keyof RunningPlace]?: unknown;
  };
  const { host, port } = (broker ?? {}) as { readonly host?: unknown; readonly port?: unknown };
  const isPlace = typeof owner === 'string' && Number.isSafeInteger(endsBeforeMs);
  if (!isPlace || typeof host !== 'string' || !hostPattern.test(host)) return undefined;
  if (typeof port !== 'number' || !Number.isInteger(port)) return undefined;
  return { owner, broker: { host, port }, endsBeforeMs: Number(endsBeforeMs) };
}

/** Says to those who may read the result of a query that it runs at another broker. */
export function elsewhereError(requestId: RequestId, { broker }: RunningPlace): QuireError {
  const { host, port } = broker;
  return new QuireError(
    'QUERY_ELSEWHERE',
    `The query ${requestId} runs at broker ${host}:${port}, which alone can tell of it before it has ended; ask there, or here again later.`,
    { broker },
  );
}
