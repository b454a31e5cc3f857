import {
  type ObjectStore,
  readObject,
  systemClock,
  systemRandom,
  withRetry,
  withTimeLimit,
} from '@quire/core';
import { collect, patternBytes } from '@quire/core/testing';
import { type Fault, FaultProxy } from '../testkit/servers/fault-proxy.ts';
import { type Backend, hastyClock } from '../testkit/remote-backends.ts';

/** One call of each verb. */
export const calls: Record<string, (store: ObjectStore) => Promise<unknown>> = {
  head: (store) => store.head('k'),
  get: (store) => readObject(store, 'k'),
  put: (store) => store.put('k', patternBytes(100)),
  list: (store) => collect(store.list('')),
  delete: (store) => store.delete('k'),
};

/** A store that reaches its server by way of a proxy, with the object `k` of 100 bytes in it. */
export interface Remote extends AsyncDisposable {
  readonly store: ObjectStore;
  readonly proxy: FaultProxy;
}

export async function openRemote(backend: Backend): Promise<Remote> {
  const proxy = await FaultProxy.start(backend.port);
  const store = await backend.open(proxy);
  await store.put('k', patternBytes(100));
  proxy.requests.length = 0;
  return {
    store,
    proxy,
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

/** The same store with retries that take no time. */
export function retrying(store: ObjectStore): ObjectStore {
  return withRetry(store, {
    clock: hastyClock,
    random: systemRandom,
    attemptsMax: 4,
    delayMs: 1,
    delayMaxMs: 1,
  });
}

/** Misbehaves on the first `count` requests. */
export function atFirst(count: number, fault: Fault): () => Fault | undefined {
  let left = count;
  return () => {
    left -= 1;
    return left >= 0 ? fault : undefined;
  };
}

/**
 * Wraps a store with a limit that no healthy server reaches, so that a call without an answer ends.
 */
export function timed(store: ObjectStore, timeoutMs: number): ObjectStore {
  return withTimeLimit(store, {
    clock: systemClock,
    callTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
  });
}
