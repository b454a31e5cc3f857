import { type ErrorCode, QuireError } from '@quire/core/portable';
import type { Finding } from '@quire/core/table-engine';

/** Codes of the kind `unavailable` that a retry does not fix. */
const lastingCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'STORE_FULL',
  'STORE_MISCONFIGURED',
  'RESULT_FORMAT_UNKNOWN',
  'QUERY_LIMIT_EXCEEDED',
  'QUERY_TIMED_OUT',
]);

/** The facts about a failed exchange, in addition to its code and message. */
export interface ExchangeFacts {
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
  /** All problems, if the server reports several. */
  readonly findings?: readonly Finding[] | undefined;
}

/**
 * A failed exchange with a server. `code` is the wire's `reason`: RESULT_EXPIRED, RESULT_EVICTED
 * and RESULT_DELETED are distinguished.
 */
export class QuireClientError extends QuireError {
  /** The HTTP status; absent if no response was received. A query that fails has 200. */
  readonly status: number | undefined;
  /** The time that the server asks clients to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, facts: ExchangeFacts = {}) {
    super(code, message, { cause: facts.cause, findings: facts.findings });
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
  }

  /**
   * True if the same call may succeed later, unchanged. The client retries only reads, never a
   * query.
   */
  get retryable(): boolean {
    return this.kind === 'unavailable' && !lastingCodes.has(this.code);
  }
}
