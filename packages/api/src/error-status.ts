import { type ErrorCode, type ErrorKind, errorKinds } from '@quire/core/portable';

const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  missing: 404,
  conflict: 409,
  denied: 403,
  unavailable: 503,
  corrupt: 500,
  aborted: 499, // the caller has disconnected and never receives it; logs and metrics do
  internal: 500,
  unsupported: 501,
};

/** Statuses of codes that are more specific than their kind. */
const statusOfCode: Partial<Record<ErrorCode, number>> = {
  INVALID_SETTING: 500, // an error of the server itself: a caller cannot correct it
  INVALID_BATCH: 500, // a defect of an engine
  QUERY_CANCELLED: 410, // its rows are deleted
  INVALID_OBJECT_KEY: 500, // ids are parsed before they are used in keys
  OFFSET_OUT_OF_RANGE: 416,
  BODY_TOO_LARGE: 413,
  HEADERS_TOO_LARGE: 431,
  METHOD_NOT_ALLOWED: 405,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UNSUPPORTED_COLUMN_TYPE: 422,
  NOT_ACCEPTABLE: 406,
  OBJECT_NOT_FOUND: 500, // missing data of a live result; results that no longer exist have their own codes
  RESULT_EXPIRED: 410,
  RESULT_EVICTED: 410,
  RESULT_DELETED: 410,
  TABLE_NOT_FOUND: 404, // for a path that names it; a query that names it is answered with an exception
  UNAUTHENTICATED: 401,
  STORE_FULL: 507,
  TOO_MANY_REQUESTS: 429,
  TOO_MANY_QUERIES: 429,
  REQUEST_TIMED_OUT: 408,
  QUERY_ELSEWHERE: 421, // the broker cannot serve the request; the one that can is named
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
