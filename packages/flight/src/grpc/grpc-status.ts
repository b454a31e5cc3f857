import { type ErrorCode, type ErrorKind, isQuireError, QuireError } from '@quire/core';

/** The status codes of gRPC. Source: https://grpc.github.io/grpc/core/md_doc_statuscodes.html */
export const grpcStatuses = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
  unauthenticated: 16,
} as const;

type GrpcStatusName = keyof typeof grpcStatuses;

const statusOfKind: Readonly<Record<ErrorKind, GrpcStatusName>> = {
  invalid: 'invalidArgument',
  missing: 'notFound',
  conflict: 'failedPrecondition',
  denied: 'permissionDenied',
  unavailable: 'unavailable',
  corrupt: 'dataLoss',
  aborted: 'cancelled',
  unsupported: 'unimplemented',
  internal: 'internal',
};

/** Codes for which gRPC has a more precise status than for their kind. */
const statusOfCode: Partial<Record<ErrorCode, GrpcStatusName>> = {
  UNAUTHENTICATED: 'unauthenticated',
  TABLE_NOT_FOUND: 'notFound',
  ROUTE_NOT_FOUND: 'unimplemented',
  OFFSET_OUT_OF_RANGE: 'outOfRange',
  BODY_TOO_LARGE: 'resourceExhausted',
  HEADERS_TOO_LARGE: 'resourceExhausted',
  STORE_FULL: 'resourceExhausted',
  TOO_MANY_REQUESTS: 'resourceExhausted',
  TOO_MANY_QUERIES: 'resourceExhausted',
  QUERY_LIMIT_EXCEEDED: 'resourceExhausted',
  QUERY_TIMED_OUT: 'deadlineExceeded',
  REQUEST_TIMED_OUT: 'deadlineExceeded',
  QUERY_ELSEWHERE: 'failedPrecondition',
};

/** The outcome of a call. */
export interface GrpcOutcome {
  readonly status: number;
  readonly message: string;
  /** Headers that are sent with the status, such as the precise code of an error. */
  readonly trailers: Readonly<Record<string, string>>;
}

export const okOutcome: GrpcOutcome = { status: grpcStatuses.ok, message: '', trailers: {} };

/**
 * Returns the outcome of a call that failed: the status of the error's code, its message, and the
 * code itself as the trailer `quire-reason`. Errors of other classes are INTERNAL, without their
 * message.
 */
export function outcomeOf(error: unknown, message?: string): GrpcOutcome {
  const known = isQuireError(error)
    ? error
    : new QuireError('INTERNAL', 'An unexpected error occurred.', { cause: error });
  const { code, kind, broker } = known;
  return {
    status: grpcStatuses[statusOfCode[code] ?? statusOfKind[kind]],
    message: message ?? known.message,
    trailers: {
      'quire-reason': code,
      ...(broker !== undefined && {
        'quire-broker-host': broker.host,
        'quire-broker-port': String(broker.port),
      }),
    },
  };
}

/** The maximum length of a message: some clients accept at most 8 KiB of headers in total. */
const messageBytesMax = 1024;

/**
 * Encodes the message of a status for its header: UTF-8, percent-encoded, truncated to 1 KiB.
 * Source: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#responses
 */
export function encodeStatusMessage(message: string): string {
  let encoded = '';
  for (const character of message) {
    const next = /[\x20-\x24\x26-\x7e]/.test(character)
      ? character
      : [...Buffer.from(character, 'utf8')]
          .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
          .join('');
    if (encoded.length + next.length > messageBytesMax) return encoded;
    encoded += next;
  }
  return encoded;
}
