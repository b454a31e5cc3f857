import { type ObjectEntry, type ObjectStore, QuireError } from '@quire/core';
import { dataKeyOf, recordKeyOf } from '@quire/results';

type RequestId = Parameters<typeof dataKeyOf>[1];

export const brokerId = 'Broker_10.0.0.1_8099';
/** The time of the first of them; one is stored per second, and lives for a day. */
const firstMs = 1_767_225_600_000;
const stepMs = 1_000;
const lifetimeMs = 86_400_000;

/**
 * Returns a version 7 id whose time grows with the index, so that ids are in the order of the
 * results.
 */
export function idOf(index: number): RequestId {
  const time = (firstMs + index * stepMs).toString(16).padStart(12, '0');
  const rest = ((index * 2_654_435_761) % 0x100000000).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${rest}` as RequestId;
}

/** From one kilobyte to ten megabytes, assigned pseudorandomly. */
function sizeOf(index: number): number {
  return 1_000 * 10 ** ((((index * 40_503) % 65_536) / 65_536) * 4);
}

/**
 * A store whose listing shows so many results of one broker, and that contains nothing else: the
 * answers of a bucket are generated on request.
 */
export function storeOf(resultCount: number): ObjectStore {
  const none = (): never => {
    throw new QuireError('UNSUPPORTED', 'This store is for listings only.');
  };
  return {
    location: 'memory:',
    list: () => objectsOf(resultCount),
    head: none,
    get: none,
    put: none,
    delete: none,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

async function* objectsOf(resultCount: number): AsyncGenerator<ObjectEntry> {
  for (let index = 0; index < resultCount; index += 1) {
    const requestId = idOf(index);
    const submissionTimeMs = firstMs + index * stepMs;
    const name = {
      submissionTimeMs,
      expirationTimeMs: submissionTimeMs + lifetimeMs,
      rowCount: index % 100_000,
    };
    const lastModifiedMs = submissionTimeMs;
    yield { key: recordKeyOf(brokerId, requestId, name), sizeBytes: 900, lastModifiedMs };
    yield {
      key: dataKeyOf(brokerId, requestId),
      sizeBytes: Math.round(sizeOf(index)),
      lastModifiedMs,
    };
  }
}

/** Returns a moment at which so large a part of them has expired. */
export function momentOf(resultCount: number, expiredShare: number): number {
  return firstMs + Math.floor(resultCount * expiredShare) * stepMs + lifetimeMs;
}
