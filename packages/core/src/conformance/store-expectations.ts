import { type ErrorCode, isQuireError, type QuireError } from '../errors.ts';
import type { ObjectStore } from '../object-store.ts';
import { expect } from 'vitest';

/** Returns the QuireError that a promise rejects with; anything else fails the test. */
async function rejectionOf(promise: Promise<unknown>): Promise<QuireError> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('value' in outcome) {
    return expect.fail(
      `Expected a rejection, but it resolved with ${JSON.stringify(outcome.value)}.`,
    );
  }
  // Checks the tag rather than the class: an implementation may have its own copy of this package.
  if (isQuireError(outcome.error)) return outcome.error;
  throw new Error(`Expected a QuireError, but it rejected with ${String(outcome.error)}.`, {
    cause: outcome.error,
  });
}

/** Expects a promise to reject with a code. */
export async function expectRejection(promise: Promise<unknown>, code: ErrorCode): Promise<void> {
  expect(await rejectionOf(promise)).toMatchObject({ code });
}

/** Expects a failure of `store` that concerns `key`: its message must name both. */
export async function expectStoreFailure(
  promise: Promise<unknown>,
  code: ErrorCode,
  key: string,
  store: ObjectStore,
): Promise<void> {
  const error = await rejectionOf(promise);
  expect(error).toMatchObject({ code });
  expect(error.message).toContain(key);
  expect(error.message).toContain(store.location === 'memory:' ? 'memory' : store.location);
}

/**
 * Expects two arrays to have the same bytes. Bytes are compared one by one only if the arrays
 * differ, because `toEqual` is slow on large arrays.
 */
export function expectBytes(actual: Uint8Array, expected: Uint8Array): void {
  expect(actual.byteLength).toBe(expected.byteLength);
  if (Buffer.compare(actual, expected) === 0) return;
  expect(actual.findIndex((byte, index) => byte !== expected[index])).toBe(-1);
}

/** Returns all chunks, concatenated. */
export function concatenated(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.byteLength, 0));
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.byteLength;
  }
  return bytes;
}
