import { type ErrorCode, type ErrorKind, errorKinds } from '@quire/core/portable';

const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  missing: 404,
  conflict: 409,
  denied: 403,
  unavailable: 503,
  corrupt: 500,
  aborted: 499, // the caller is gone and never sees it; logs and metrics do
  internal: 500,
  unsupported: 501,
};

/** The codes that are more precise than their kind. */
const statusOfCode: Partial<Record<ErrorCode, number>> = {
  INVALID_SETTING: 500, // the server's own: a caller cannot correct it
  INVALID_BATCH: 500, // an engine's defect
  QUERY_CANCELLED: 410, // its rows are gone
  INVALID_OBJECT_KEY: 500, // ids are parsed before they become keys
  OFFSET_OUT_OF_RANGE: 416,
  BODY_TOO_LARGE: 413,
  HEADERS_TOO_LARGE: 431,
  METHOD_NOT_ALLOWED: 405,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UNSUPPORTED_COLUMN_TYPE: 422,
  NOT_ACCEPTABLE: 406,
  OBJECT_NOT_FOUND: 500, // data missing behind a live result; results that are gone have codes of their own
  RESULT_EXPIRED: 410,
  RESULT_EVICTED: 410,
  RESULT_DELETED: 410,
  TABLE_NOT_FOUND: 404, // where a path names it; a query that does is answered with an exception
  UNAUTHENTICATED: 401,
  STORE_FULL: 507,
  TOO_MANY_REQUESTS: 429,
  TOO_MANY_QUERIES: 429,
  REQUEST_TIMED_OUT: 408,
  QUERY_ELSEWHERE: 421, // the request reached a broker that cannot answer it; the one that can is named
  QUERY_LIMIT_EXCEEDED: 422,
  QUERY_TIMED_OUT: 504,
  BROKER_TIMED_OUT: 504,
  BROKER_FAILED: 502,
};

/** The HTTP status of every error code. */
export const errorStatuses = Object.fromEntries(
  Object.entries(errorKinds).map(([code, kind]) => [
    code,
    statusOfCode[code as ErrorCode] ?? statusOfKind[kind],
  ]),
) as Readonly<Record<ErrorCode, number>>;
