import type { Finding } from './table-engine/finding.ts';

/** The kind of an error, which determines what the caller should do; every code has exactly one. */
export type ErrorKind =
  | 'invalid' // correct the request; it cannot succeed unchanged
  | 'missing' // the named thing does not exist, or no longer exists
  | 'conflict' // the named thing has changed; read it again, then retry
  | 'denied' // other credentials are needed
  | 'unavailable' // retry later, unchanged
  | 'corrupt' // stored bytes are not what was written; an operator must investigate
  | 'aborted' // the caller aborted the call
  | 'unsupported' // this engine does not support it; the message names an alternative
  | 'internal'; // a defect in Quire

/**
 * Every error code of Quire and its kind. Docs, HTTP statuses and tests are checked against this
 * table.
 */
export const errorKinds = {
  INVALID_PARAMETER: 'invalid',
  INVALID_BODY: 'invalid',
  INVALID_SETTING: 'invalid',
  INVALID_OBJECT_KEY: 'invalid',
  INVALID_BATCH: 'invalid', // the rows to store do not match their schema
  OFFSET_OUT_OF_RANGE: 'invalid',
  BODY_TOO_LARGE: 'invalid',
  HEADERS_TOO_LARGE: 'invalid',
  METHOD_NOT_ALLOWED: 'invalid',
  UNSUPPORTED_MEDIA_TYPE: 'invalid',
  UNSUPPORTED_COLUMN_TYPE: 'invalid',
  NOT_ACCEPTABLE: 'invalid',
  OBJECT_NOT_FOUND: 'missing',
  RESULT_NOT_FOUND: 'missing',
  RESULT_EXPIRED: 'missing',
  RESULT_EVICTED: 'missing',
  RESULT_DELETED: 'missing',
  ROUTE_NOT_FOUND: 'missing',
  UNAUTHENTICATED: 'denied',
  FORBIDDEN: 'denied',
  ORIGIN_NOT_ALLOWED: 'denied', // a page of another origin requests a change; other credentials do not help
  AUTHENTICATION_UNAVAILABLE: 'unavailable', // the keys for checking credentials cannot be read
  STORE_UNAVAILABLE: 'unavailable',
  STORE_FULL: 'unavailable',
  STORE_TIMED_OUT: 'unavailable',
  STORE_MISCONFIGURED: 'unavailable', // bucket, region or credentials are wrong; an operator must fix them
  SHUTTING_DOWN: 'unavailable',
  TOO_MANY_REQUESTS: 'unavailable',
  TOO_MANY_QUERIES: 'unavailable',
  REQUEST_TIMED_OUT: 'unavailable',
  SERVER_UNREACHABLE: 'unavailable', // thrown by clients, never by a server
  BROKER_UNAVAILABLE: 'unavailable', // from a proxy in front of the brokers: no broker, or not the required one, can take the call
  BROKER_TIMED_OUT: 'unavailable',
  BROKER_FAILED: 'unavailable', // the broker closed the connection before it answered, or its answer is not valid
  OBJECT_SHORT_READ: 'corrupt',
  RESULT_CORRUPT: 'corrupt',
  RECORD_DAMAGED: 'corrupt', // the record of a schema, task or job is damaged and has been set aside
  TABLE_DAMAGED: 'corrupt', // a record or a file of a table is damaged
  RESULT_FORMAT_UNKNOWN: 'unavailable', // stored by a newer version of Quire, which can read it
  ABORTED: 'aborted',
  QUERY_SYNTAX: 'invalid',
  QUERY_INVALID: 'invalid',
  TABLE_NOT_FOUND: 'invalid',
  COLUMN_NOT_FOUND: 'invalid',
  QUERY_FAILED: 'invalid',
  EXPRESSION_FAILED: 'invalid', // an expression does not fit the values of a row
  QUERY_LIMIT_EXCEEDED: 'unavailable',
  QUERY_TIMED_OUT: 'unavailable',
  QUERY_ELSEWHERE: 'unavailable', // another broker of the same store runs it; `broker` names it
  QUERY_CANCELLED: 'aborted',
  TABLE_EXISTS: 'conflict',
  TABLE_INVALID: 'invalid', // `findings` lists everything that is wrong with it
  TABLE_IN_USE: 'conflict', // a job is using it
  SCHEMA_NOT_FOUND: 'missing',
  SCHEMA_EXISTS: 'conflict',
  SCHEMA_IN_USE: 'conflict',
  SEGMENT_NOT_FOUND: 'missing',
  TENANT_NOT_FOUND: 'invalid',
  INGESTION_FAILED: 'invalid',
  STREAM_UNAVAILABLE: 'unavailable',
  STREAM_INVALID: 'invalid', // its config cannot work, or the topic or partition does not exist
  OFFSET_NOT_FOUND: 'missing', // the stream no longer has that message, or does not have it yet
  JOB_NOT_FOUND: 'missing',
  JOB_EXISTS: 'conflict',
  TASK_NOT_FOUND: 'missing',
  TASK_EXISTS: 'conflict',
  TASK_TYPE_NOT_FOUND: 'missing',
  CONFLICT: 'conflict', // the state of the named thing does not allow the operation
  ENGINE_UNAVAILABLE: 'unavailable', // the backend of the tables cannot be reached
  UNSUPPORTED: 'unsupported',
  UNEXPECTED_RESPONSE: 'internal', // thrown by clients: the peer does not speak Quire's protocol
  OUTPUT_CLOSED: 'aborted', // thrown by the command: the reader of its output has closed it
  INTERNAL: 'internal',
} as const satisfies Record<string, ErrorKind>;

/** The precise code of an error; `errorKinds` has the kind of each. */
export type ErrorCode = keyof typeof errorKinds;

/** The host and port of a broker. */
export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Marks a QuireError. The symbol is shared by all copies of this package in a process, because
 * plug-ins have their own.
 */
const tag: unique symbol = Symbol.for('@quire/core/QuireError') as never;

/**
 * The only error class that Quire packages throw deliberately.
 *
 * The message is a sentence that names the key, id or parameter, its value and what was expected.
 */
export class QuireError extends Error {
  /** `AbortError`, like the platform's own, when a call was aborted. */
  override readonly name: 'QuireError' | 'AbortError';
  readonly [tag] = true;
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  /** All problems that were found, if there can be several. */
  readonly findings: readonly Finding[] | undefined;
  /** The engine's own number for the failure of a query, if it has one. */
  readonly exceptionNumber: number | undefined;
  /** The broker that can serve the call, if another one can. */
  readonly broker: BrokerAddress | undefined;
  /**
   * True if callers may read this message although messages with this code usually name keys and
   * paths for operators.
   */
  readonly isForCallers: boolean;
  /** Text after the message that only admins see: hosts and settings. */
  readonly adminHint: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options?: {
      readonly cause?: unknown;
      readonly findings?: readonly Finding[] | undefined;
      readonly exceptionNumber?: number | undefined;
      readonly broker?: BrokerAddress | undefined;
      readonly isForCallers?: boolean | undefined;
      readonly adminHint?: string | undefined;
    },
  ) {
    super(message, options);
    this.findings = options?.findings;
    this.exceptionNumber = options?.exceptionNumber;
    this.broker = options?.broker;
    this.isForCallers = options?.isForCallers ?? false;
    this.adminHint = options?.adminHint;
    this.code = code;
    this.name = code === 'ABORTED' ? 'AbortError' : 'QuireError';
    this.kind = errorKinds[code];
  }
}

/**
 * Reports whether `error` is a QuireError, from any copy of the package, optionally with one of the
 * given codes.
 */
export function isQuireError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is QuireError & { readonly code: Code } {
  if (!(error instanceof Error) || !Object.hasOwn(error, tag)) return false;
  return codes.length === 0 || (codes as readonly ErrorCode[]).includes((error as QuireError).code);
}

/**
 * Throws when the signal is aborted; a QuireError given as the abort reason is thrown unchanged.
 *
 * @throws ABORTED when the signal is aborted for any other reason
 */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortError(signal);
}

/** Returns the error for an aborted signal. */
export function abortError(signal: AbortSignal): QuireError {
  const reason: unknown = signal.reason;
  if (isQuireError(reason)) return reason;
  return new QuireError('ABORTED', 'The call was aborted by its caller.', { cause: reason });
}
