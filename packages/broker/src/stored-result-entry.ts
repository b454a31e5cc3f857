import type { OwnedResult, StoredResult } from '@quire/api';
import type { Result, ResultEntry } from '@quire/results';
import type { BrokerOptions } from './broker-options.ts';

/** The store that results are in, as answers name it. */
export type NamedStore = Pick<BrokerOptions, 'storeLocation' | 'storeType'>;

/** An entry as SPECIFICATION.md section 2.8 shows it. */
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

/** The same of an open result, and whose it is. */
export function ownedResultOf({ entry, owner }: Result, store: NamedStore): OwnedResult {
  return { ...storedResultOf(entry, store), owner };
}
