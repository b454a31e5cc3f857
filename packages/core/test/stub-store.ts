import {
  type ObjectBody,
  type ObjectEntry,
  type ObjectStore,
  QuireError,
  SingleUseBody,
  type StoreCapabilities,
} from '@quire/core';

/**
 * Creates a store whose test defines only the calls that it needs; any other call fails the test.
 */
export function stubStore(verbs: Partial<ObjectStore & StoreCapabilities>): ObjectStore {
  const unexpected = (): never => {
    throw new Error('The test did not expect this call.');
  };
  return {
    location: 'stub:',
    head: unexpected,
    get: unexpected,
    put: unexpected,
    list: unexpected,
    delete: unexpected,
    [Symbol.asyncDispose]: async () => undefined,
    ...verbs,
  };
}

export function entryOf(key: string, sizeBytes = 1): ObjectEntry {
  return { key, sizeBytes, lastModifiedMs: 0 };
}

/** Creates a body of these chunks, which calls `onRelease` when it is released. */
export function bodyOf(
  chunks: readonly Uint8Array[],
  onRelease: () => void = () => undefined,
): ObjectBody {
  async function* deliver(): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }
  const sizeBytes = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  return new SingleUseBody({ key: 'k', sizeBytes, chunks: deliver, release: onRelease });
}

export function unavailable(): QuireError {
  return new QuireError('STORE_UNAVAILABLE', 'The stub is unavailable.');
}

export function bytes(...values: number[]): Uint8Array {
  return Uint8Array.from(values);
}

/** Returns a function that fails with each error in turn and then succeeds. */
export function failing<T = never>(errors: readonly Error[], answer?: T): () => Promise<T> {
  const left = [...errors];
  let isAnswered = answer === undefined;
  return async () => {
    const error = left.shift();
    if (error !== undefined) throw error;
    if (isAnswered) throw new Error('The test did not expect so many calls.');
    isAnswered = true;
    return answer as T;
  };
}
