/** Where a result is stored (SPECIFICATION.md section 2.8). */
export interface ResponseMetadata {
  /** Kind of store, such as fs, memory or s3. */
  type: string;
  numRows: number;
  /** Location of the stored rows, an Arrow file. */
  dataFile: string;
  /** Location of the commit record. */
  metadataFile: string;
  /** Bytes that both take in the store. */
  sizeBytes: number;
}

/** A stored result, as a list and a renewal give it (SPECIFICATION.md section 2.8). */
export interface StoredResult {
  requestId: string;
  brokerId: string;
  /** When its query was received, in epoch milliseconds. */
  submissionTimeMs: number;
  expirationTimeMs: number;
  /** One element. */
  responseMetadata: ResponseMetadata[];
}

/** The stored results of a broker, newest first. */
export interface ResultListResponse {
  resultMetadataList: StoredResult[];
}
