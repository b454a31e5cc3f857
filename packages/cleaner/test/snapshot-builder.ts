import { createRequestId, type RequestId } from '@quire/core';
import { ManualClock, SeededRandom } from '@quire/core/testing';
import { dataKeyOf, recordKeyOf } from '@quire/results';
import { BrokerSnapshot } from '../src/index.ts';

export interface GivenResult {
  readonly submissionTimeMs: number;
  readonly expirationTimeMs: number;
  readonly sizeBytes: number;
  /** Default: no known owner. */
  readonly ownerTag?: number | undefined;
}

/** A request id that sorts by its number. */
function idOf(number: number, ownerTag: number | undefined): RequestId {
  return createRequestId(new ManualClock({ nowMs: number }), new SeededRandom(number), ownerTag);
}

/** A broker's snapshot that holds these results, with ids in the order given. */
export function snapshotOf(results: readonly GivenResult[]): BrokerSnapshot {
  const snapshot = new BrokerSnapshot('b');
  for (const [index, result] of results.entries()) {
    const requestId = idOf(index, result.ownerTag);
    const { submissionTimeMs, expirationTimeMs, sizeBytes } = result;
    const name = { submissionTimeMs, expirationTimeMs, rowCount: 1 };
    const keys = {
      dataKey: dataKeyOf('b', requestId),
      recordKey: recordKeyOf('b', requestId, name),
    };
    const entry = { requestId, brokerId: 'b', sizeBytes, ...name, ...keys };
    snapshot.add({
      brokerId: 'b',
      requestId,
      entry,
      orphans: [],
      sizeBytes,
      lastModifiedMs: submissionTimeMs,
    });
  }
  return snapshot;
}
