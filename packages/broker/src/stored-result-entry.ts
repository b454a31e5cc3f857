import type { OwnedResult, StoredResult } from '@quire/api';
import type { Result, ResultEntry } from '@quire/results';

/** The kind of store that a location is in, as SPECIFICATION.md section 2.8 names it. */
export function storeTypeOf(storeLocation: string): string {
  const scheme = storeLocation.slice(0, storeLocation.indexOf(':'));
  return { file: 'fs', gs: 'gcs' }[scheme] ?? scheme;
}

/** An entry as SPECIFICATION.md section 2.8 shows it. */
export function storedResultOf(entry: ResultEntry, storeLocation: string): StoredResult {
  const locationOf = (key: string): string => `${storeLocation.replace(/\/+$/, '')}/${key}`;
  return {
    requestId: entry.requestId,
    brokerId: entry.brokerId,
    submissionTimeMs: entry.submissionTimeMs,
    expirationTimeMs: entry.expirationTimeMs,
    responseMetadata: [
      {
        type: storeTypeOf(storeLocation),
        numRows: entry.rowCount,
        dataFile: locationOf(entry.dataKey),
        metadataFile: locationOf(entry.recordKey),
        sizeBytes: entry.sizeBytes,
      },
    ],
  };
}

/** The same of an open result, and whose it is. */
export function ownedResultOf({ entry, owner }: Result, storeLocation: string): OwnedResult {
  return { ...storedResultOf(entry, storeLocation), owner };
}
