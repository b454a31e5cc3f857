import type { ErrorCode } from '../errors.ts';

/**
 * The error codes with an `errorCode` number of their own in `exceptions` (CONTRACT.md section 2);
 * all others are 450, internal.
 */
const exceptionNumbers: Partial<Record<ErrorCode, number>> = {
  QUERY_SYNTAX: 150,
  TABLE_NOT_FOUND: 190,
  QUERY_FAILED: 200,
  UNSUPPORTED_COLUMN_TYPE: 200,
  QUERY_LIMIT_EXCEEDED: 245,
  STORE_FULL: 245,
  QUERY_TIMED_OUT: 250,
  TOO_MANY_QUERIES: 429,
  INTERNAL: 450,
  QUERY_CANCELLED: 503,
  ABORTED: 503,
  SHUTTING_DOWN: 503,
  QUERY_INVALID: 700,
  COLUMN_NOT_FOUND: 710,
};

/**
 * Numbers of Apache Pinot for servers and brokers that are down or have lost a segment: the same
 * query may succeed later.
 */
const unavailableNumbers: ReadonlySet<number> = new Set([
  191, 210, 211, 230, 235, 305, 410, 420, 425, 427,
]);

/** Returns the number for an error code in a query's `exceptions`. */
export function exceptionNumberOf(code: ErrorCode): number {
  return exceptionNumbers[code] ?? 450;
}

/**
 * Returns the error code for a number in a query's `exceptions`; QUERY_FAILED for numbers of other
 * servers.
 */
export function errorCodeOfException(errorCode: number): ErrorCode {
  if (unavailableNumbers.has(errorCode)) return 'ENGINE_UNAVAILABLE';
  const found = Object.entries(exceptionNumbers).find(([, number]) => number === errorCode);
  return found === undefined ? 'QUERY_FAILED' : (found[0] as ErrorCode);
}
