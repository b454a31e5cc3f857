import type { OwnedResult, StoredResult } from '@quire/api';
import type { Result, ResultEntry } from '@quire/results';
import type { BrokerOptions } from './broker-options.ts';

/** The store of results, as answers name it. */
export type NamedStore = Pick<BrokerOptions, 'storeLocation' | 'storeType'>;

/** Returns an entry in the format of SPECIFICATION.md section 2.8. */
export function storedResultOf(
  entry: ResultEntry,
  { storeLocation, storeType }: NamedStore,
): StoredResult {
  const locationOf = (key: string): string => `${storeLocation.replace(/\/+$/, '')}/${key}`;
  return {
    requestId: entry.requestId,
    brokerId: entry.brokerId,
    submissionTimeMs: entry.submissionTimeMs,
    expirationTimeMs: entry.expirationTimeMs,
    responseMetadata: [
      {
        type: storeType,
        numRows: entry.rowCount,
        dataFile: locationOf(entry.dataKey),
        metadataFile: locationOf(entry.recordKey),
        sizeBytes: entry.sizeBytes,
      },
    ],
  };
}

/** Returns the entry of an open result, with its owner and its query. */
export function ownedResultOf({ entry, owner, sql }: Result, store: NamedStore): OwnedResult {
  return { ...storedResultOf(entry, store), owner, sql: sql ?? null };
}
