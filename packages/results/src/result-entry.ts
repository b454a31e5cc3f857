import type { RequestId } from '@quire/core';

/** A result as a listing shows it: every member comes from object names and sizes. */
export interface ResultEntry {
  readonly requestId: RequestId;
  readonly brokerId: string;
  /** When the result was stored, in epoch milliseconds. */
  readonly submissionTimeMs: number;
  /** From this moment on (epoch milliseconds) the result counts as gone. */
  readonly expirationTimeMs: number;
  readonly rowCount: number;
  /** Bytes of the data file and of every commit record. */
  readonly sizeBytes: number;
  readonly dataKey: string;
  readonly recordKey: string;
}
