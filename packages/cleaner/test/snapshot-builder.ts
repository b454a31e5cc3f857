import type { RequestId } from '@quire/core';
import { dataKeyOf, recordKeyOf } from '@quire/results';
import { BrokerSnapshot } from '../src/index.ts';

export interface GivenResult {
  readonly submissionTimeMs: number;
  readonly expirationTimeMs: number;
  readonly sizeBytes: number;
}

/** A request id that sorts by its number. */
function idOf(number: number): RequestId {
  const text = number.toString(16).padStart(20, '0');
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-7${text.slice(12, 15)}-8${text.slice(15, 18)}-${text.slice(18).padStart(12, '0')}` as RequestId;
}

/** A broker's snapshot that holds these results, with ids in the order given. */
export function snapshotOf(results: readonly GivenResult[]): BrokerSnapshot {
  const snapshot = new BrokerSnapshot('b');
  for (const [index, result] of results.entries()) {
    const requestId = idOf(index);
    const { submissionTimeMs, expirationTimeMs, sizeBytes } = result;
    const name = { submissionTimeMs, expirationTimeMs, rowCount: 1 };
    const keys = { dataKey: dataKeyOf('b', requestId), recordKey: recordKeyOf('b', requestId, name) };
    const entry = { requestId, brokerId: 'b', sizeBytes, ...name, ...keys };
    snapshot.add({ brokerId: 'b', requestId, entry, orphans: [], sizeBytes, lastModifiedMs: submissionTimeMs });
  }
  return snapshot;
}
