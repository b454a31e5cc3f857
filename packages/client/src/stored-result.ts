import { expectArray, expectInteger, expectObject, expectString } from './json-fields.ts';
import type { JsonValue } from './lossless-json.ts';

/**
 * The facts about a stored result that a server knows without opening it (SPECIFICATION.md section
 * 2.8).
 */
export interface StoredResult {
  readonly requestId: string;
  readonly brokerId: string;
  readonly submissionTimeMs: number;
  readonly expirationTimeMs: number;
  readonly rowCount: number;
  /** Size in the store, in bytes. */
  readonly sizeBytes: number;
  /** Kind of storage: `memory`, `fs` … */
  readonly storage: string;
  /** The locations of the rows and the metadata, in the server's format. */
  readonly dataFile: string;
  readonly metadataFile: string;
}

/** A stored result of the caller, and the query that it answers. */
export interface OwnedResult extends StoredResult {
  readonly owner: string;
  /**
   * The text of the query, at most its first 8,192 characters; undefined if the release that stored
   * the result did not keep it.
   */
  readonly sql: string | undefined;
}

/** Decodes one entry of the caller's list. @throws UNEXPECTED_RESPONSE when it is not valid */
export function decodeOwnedResult(value: JsonValue): OwnedResult {
  const { owner, sql = null } = expectObject(value, 'result entry');
  return {
    ...decodeStoredResult(value),
    owner: expectString(owner, 'owner'),
    sql: sql === null ? undefined : expectString(sql, 'sql'),
  };
}

/** Decodes one entry of a list. @throws UNEXPECTED_RESPONSE when it is not valid */
export function decodeStoredResult(value: JsonValue): StoredResult {
  const entry = expectObject(value, 'result entry');
  const metadata = expectObject(
    expectArray(entry['responseMetadata'], 'responseMetadata')[0],
    'responseMetadata',
  );
  return {
    requestId: expectString(entry['requestId'], 'requestId'),
    brokerId: expectString(entry['brokerId'], 'brokerId'),
    submissionTimeMs: expectInteger(entry['submissionTimeMs'], 'submissionTimeMs'),
    expirationTimeMs: expectInteger(entry['expirationTimeMs'], 'expirationTimeMs'),
    rowCount: expectInteger(metadata['numRows'], 'numRows'),
    sizeBytes: expectInteger(metadata['sizeBytes'], 'sizeBytes'),
    storage: expectString(metadata['type'], 'type'),
    dataFile: expectString(metadata['dataFile'], 'dataFile'),
    metadataFile: expectString(metadata['metadataFile'], 'metadataFile'),
  };
}
