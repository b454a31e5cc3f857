/** The location of a stored result (SPECIFICATION.md section 2.8). */
export interface ResponseMetadata {
  /** Kind of store, such as fs, memory or s3. */
  type: string;
  numRows: number;
  /** Location of the stored rows, an Arrow file. */
  dataFile: string;
  /** Location of the commit record. */
  metadataFile: string;
  /** The total size of both in the store. */
  sizeBytes: number;
}

/** A stored result in a list or the answer to a renewal (SPECIFICATION.md section 2.8). */
export interface StoredResult {
  requestId: string;
  brokerId: string;
  /** The time at which its query was received, in epoch milliseconds. */
  submissionTimeMs: number;
  expirationTimeMs: number;
  /** One element. */
  responseMetadata: ResponseMetadata[];
}

/** The stored results of a broker, newest first. */
export interface ResultListResponse {
  resultMetadataList: StoredResult[];
}
