import {
  type CallOptions,
  type ObjectStore,
  QuireError,
  readObject,
  type RequestId,
} from '@quire/core';
import { runningKeyOf } from './layout.ts';
import type { ResultStoreOptions } from './result-store-options.ts';

/** The broker of a running query whose result does not exist yet. */
export interface RunningQueryRecord {
  /** Name of the principal that runs it. */
  readonly owner: string;
  /** The address of the broker that runs it. */
  readonly broker: { readonly host: string; readonly port: number };
  /** The time by which it has certainly ended, on the clock of that broker. */
  readonly endsBeforeMs: number;
}

/**
 * The time after its timeout for which a query still counts as running: clocks differ, and its
 * cleanup takes time.
 */
const graceMs = 60_000;

/** Marks a query as running for the brokers that share the store; undefined if there are none. */
export type MarkRunning = (
  requestId: RequestId,
  place: RunningQueryRecord,
) => RunningMark | undefined;

/** Returns the function that marks queries of a broker in its store, if it is shared. */
export function markerOf({
  store,
  brokerId,
  isShared,
}: Pick<ResultStoreOptions, 'store' | 'brokerId' | 'isShared'>): MarkRunning {
  return (requestId, place) =>
    isShared === true ? new RunningMark(store, brokerId, requestId, place) : undefined;
}

/**
 * A mark in a shared store that names the broker of a running query, until it is ended. The mark is
 * optional: if it cannot be written, other brokers do not know of the query, which continues. A
 * mark that a killed broker leaves behind is an orphan for a sweep.
 */
export class RunningMark {
  /** Resolves once other brokers can see it. @throws as `ObjectStore.put` */
  readonly written: Promise<void>;
  readonly #store: Pick<ObjectStore, 'delete'>;
  readonly #key: string;

  constructor(
    store: Pick<ObjectStore, 'put' | 'delete'>,
    brokerId: string,
    requestId: RequestId,
    place: RunningQueryRecord,
  ) {
    this.#store = store;
    this.#key = runningKeyOf(brokerId, requestId);
    this.written = store.put(this.#key, encodeRunningQuery(place)).then(() => undefined);
    this.written.catch(() => undefined); // for callers that do not wait for it
  }

  /** Deletes the mark. @throws as `ObjectStore.delete` */
  async end(): Promise<void> {
    await this.written.catch(() => undefined); // the mark may have been stored in spite of the failure
    await this.#store.delete(this.#key);
  }
}

/** The pattern of hosts that may be used in headers. */
const hostPattern = /^[\w.:[\]-]{1,255}$/;

function encodeRunningQuery({ owner, broker, endsBeforeMs }: RunningQueryRecord): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ owner, broker, endsBeforeMs })}\n`);
}

/**
 * Returns the broker that runs a query, according to a store; undefined if the mark is old or
 * cannot be read. @throws OBJECT_NOT_FOUND when it does not exist
 */
export async function readRunningPlace(
  store: ObjectStore,
  key: string,
  nowMs: number,
  options: CallOptions,
): Promise<RunningQueryRecord | undefined> {
  const place = decodeRunningQuery(await readObject(store, key, options));
  return place !== undefined && nowMs < place.endsBeforeMs + graceMs ? place : undefined;
}

function decodeRunningQuery(bytes: Uint8Array): RunningQueryRecord | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
  const { owner, broker, endsBeforeMs } = (parsed ?? {}) as {
    readonly [Name in keyof RunningQueryRecord]?: unknown;
  };
  const { host, port } = (broker ?? {}) as { readonly host?: unknown; readonly port?: unknown };
  const isPlace = typeof owner === 'string' && Number.isSafeInteger(endsBeforeMs);
  if (!isPlace || typeof host !== 'string' || !hostPattern.test(host)) return undefined;
  if (typeof port !== 'number' || !Number.isInteger(port)) return undefined;
  return { owner, broker: { host, port }, endsBeforeMs: Number(endsBeforeMs) };
}

/** Returns the error for callers who may read the result of a query that another broker runs. */
export function elsewhereError(requestId: RequestId, { broker }: RunningQueryRecord): QuireError {
  const { host, port } = broker;
  return new QuireError(
    'QUERY_ELSEWHERE',
    `The query ${requestId} runs on broker ${host}:${port}, and only that broker knows its progress; call that broker, or retry here after the query has ended.`,
    { broker },
  );
}
