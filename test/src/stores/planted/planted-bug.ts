import type { ObjectBody, ObjectStore, StoreCapabilities } from '@quire/core';

/**
 * A mistake that authors of stores make, as a wrapper that makes it, and the case of the
 * conformance suite that must catch it.
 */
export interface PlantedBug {
  /** The mistake, as a predicate of the store. */
  readonly name: string;
  /** The title of the case, which states the broken guarantee. */
  readonly caughtBy: string;
  /** True if a call never ends with it. */
  readonly hangs?: boolean;
  readonly plant: (store: ObjectStore, sizeMaxBytes: number) => ObjectStore;
}

/** The store with some verbs replaced. */
export function changed(
  store: ObjectStore,
  changes: Partial<ObjectStore & StoreCapabilities>,
): ObjectStore {
  return {
    location: store.location,
    head: (key, options) => store.head(key, options),
    get: (key, options) => store.get(key, options),
    put: (key, body, options) => store.put(key, body, options),
    list: (prefix, options) => store.list(prefix, options),
    delete: (key, options) => store.delete(key, options),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    ...changes,
  };
}

/** Wraps a store to change its bodies. */
export function changedBodies(
  store: ObjectStore,
  change: (object: ObjectBody) => Partial<ObjectBody>,
): ObjectStore {
  return changed(store, {
    get: async (key, options) => {
      const object = await store.get(key, options);
      return {
        sizeBytes: object.sizeBytes,
        body: object.body,
        [Symbol.asyncDispose]: () => object[Symbol.asyncDispose](),
        ...change(object),
      };
    },
  });
}

/** Returns the chunks of the argument of `put`. */
export async function* chunksIn(
  body: Uint8Array | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield body;
  else yield* body;
}

/** Wraps a store to change its failures. */
export function changedFailures(
  store: ObjectStore,
  change: (error: unknown) => Error,
): ObjectStore {
  return changed(store, {
    head: (key, options) =>
      store.head(key, options).catch((error: unknown) => Promise.reject(change(error))),
    put: (key, body, options) =>
      store.put(key, body, options).catch((error: unknown) => Promise.reject(change(error))),
  });
}
