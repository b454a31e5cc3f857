import type { Finding } from './table-engine/finding.ts';

/** What the caller should do about an error; every code has exactly one kind. */
export type ErrorKind =
  | 'invalid' // correct the request, it can never succeed as it is
  | 'missing' // the thing named does not exist (any more)
  | 'conflict' // the thing changed meanwhile; look again, then retry
  | 'denied' // other credentials are needed
  | 'unavailable' // retry later, unchanged
  | 'corrupt' // stored bytes are not what was written; an operator must look
  | 'aborted' // the caller itself gave up
  | 'unsupported' // this engine cannot do it; the message says what would
  | 'internal'; // a defect in Quire

/**
 * Every error code of Quire and its kind: the one table that docs, HTTP statuses and tests are held
 * to.
 */
export const errorKinds = {
  INVALID_PARAMETER: 'invalid',
  INVALID_BODY: 'invalid',
  INVALID_SETTING: 'invalid',
  INVALID_OBJECT_KEY: 'invalid',
  INVALID_BATCH: 'invalid', // rows that are to be stored are not what their schema says
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
  ORIGIN_NOT_ALLOWED: 'denied', // a page of another origin wants to change something; other credentials do not help
  AUTHENTICATION_UNAVAILABLE: 'unavailable', // the keys that credentials are checked with cannot be read
  STORE_UNAVAILABLE: 'unavailable',
  STORE_FULL: 'unavailable',
  STORE_TIMED_OUT: 'unavailable',
  STORE_MISCONFIGURED: 'unavailable', // bucket, region or credentials are not right: the operator must look
  SHUTTING_DOWN: 'unavailable',
  TOO_MANY_REQUESTS: 'unavailable',
  TOO_MANY_QUERIES: 'unavailable',
  REQUEST_TIMED_OUT: 'unavailable',
  SERVER_UNREACHABLE: 'unavailable', // said by clients, never by a server
  BROKER_UNAVAILABLE: 'unavailable', // said by what stands before brokers: none can take the call, or not the one that it needs
  BROKER_TIMED_OUT: 'unavailable',
  BROKER_FAILED: 'unavailable', // it broke off before it answered, or its answer is not valid
  OBJECT_SHORT_READ: 'corrupt',
  RESULT_CORRUPT: 'corrupt',
  RECORD_DAMAGED: 'corrupt', // the record of a schema, task or job is not what was written; it is set aside
  TABLE_DAMAGED: 'corrupt', // a record or a file of a table is not what was written
  RESULT_FORMAT_UNKNOWN: 'unavailable', // a newer version of Quire has stored it: that one can read it
  ABORTED: 'aborted',
  QUERY_SYNTAX: 'invalid',
  QUERY_INVALID: 'invalid',
  TABLE_NOT_FOUND: 'invalid',
  COLUMN_NOT_FOUND: 'invalid',
  QUERY_FAILED: 'invalid',
  EXPRESSION_FAILED: 'invalid', // an expression does not suit the values of a row
  QUERY_LIMIT_EXCEEDED: 'unavailable',
  QUERY_TIMED_OUT: 'unavailable',
  QUERY_ELSEWHERE: 'unavailable', // another broker of the same store runs it: `broker` says which
  QUERY_CANCELLED: 'aborted',
  TABLE_EXISTS: 'conflict',
  TABLE_INVALID: 'invalid', // `findings` says everything that is wrong with it
  TABLE_IN_USE: 'conflict', // a job works with it
  SCHEMA_NOT_FOUND: 'missing',
  SCHEMA_EXISTS: 'conflict',
  SCHEMA_IN_USE: 'conflict',
  SEGMENT_NOT_FOUND: 'missing',
  TENANT_NOT_FOUND: 'invalid',
  INGESTION_FAILED: 'invalid',
  STREAM_UNAVAILABLE: 'unavailable',
  STREAM_INVALID: 'invalid', // its config cannot work, or the topic or partition does not exist
  OFFSET_NOT_FOUND: 'missing', // the stream does not hold that message any more, or not yet
  JOB_NOT_FOUND: 'missing',
  JOB_EXISTS: 'conflict',
  TASK_NOT_FOUND: 'missing',
  TASK_EXISTS: 'conflict',
  TASK_TYPE_NOT_FOUND: 'missing',
  CONFLICT: 'conflict', // the thing named is not in a state in which that can be done
  ENGINE_UNAVAILABLE: 'unavailable', // what keeps the tables cannot be reached
  UNSUPPORTED: 'unsupported',
  UNEXPECTED_RESPONSE: 'internal', // said by clients: what answers does not speak as Quire does
  OUTPUT_CLOSED: 'aborted', // said by the command: the reader of its output has gone
  INTERNAL: 'internal',
} as const satisfies Record<string, ErrorKind>;

/** The precise code of an error; `errorKinds` has the kind of each. */
export type ErrorCode = keyof typeof errorKinds;

/** How a broker is reached. */
export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Marks a QuireError: shared by all copies of this package in a process, as plug-ins bring their
 * own.
 */
const tag: unique symbol = Symbol.for('@quire/core/QuireError') as never;

/**
 * The one error class that leaves a Quire package on purpose.
 *
 * The message is a sentence that names the key, id or parameter, the value and what was expected.
 */
export class QuireError extends Error {
  /** `AbortError`, as the platform's own, when a call was aborted. */
  override readonly name: 'QuireError' | 'AbortError';
  readonly [tag] = true;
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  /** Everything that is wrong, where that is more than one sentence can say. */
  readonly findings: readonly Finding[] | undefined;
  /** The number that the engine gave a query's failure, where it has numbers of its own. */
  readonly exceptionNumber: number | undefined;
  /** The broker that can do it, where another one can. */
  readonly broker: BrokerAddress | undefined;
  /**
   * Whether callers may read the message of a code whose messages else name keys and paths for
   * operators.
   */
  readonly isForCallers: boolean;
  /** What admins read after the message, and other callers do not: hosts and settings. */
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
 * Tells whether `error` is a QuireError, of this copy of the package or another, optionally one of
 * the given codes.
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

/** The error that an aborted signal stands for. */
export function abortError(signal: AbortSignal): QuireError {
  const reason: unknown = signal.reason;
  if (isQuireError(reason)) return reason;
  return new QuireError('ABORTED', 'The call was aborted by its caller.', { cause: reason });
}
