import { type ErrorCode, QuireError } from '@quire/core/portable';
import type { Finding } from '@quire/core/table-engine';

/**
 * Codes of the kind `unavailable` that a second try does not cure: somebody has to change something
 * first.
 */
const lastingCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'STORE_FULL',
  'STORE_MISCONFIGURED',
  'RESULT_FORMAT_UNKNOWN',
  'QUERY_LIMIT_EXCEEDED',
  'QUERY_TIMED_OUT',
]);

/** What is known of a failed exchange beside its code and its sentence. */
export interface ExchangeFacts {
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
  /** Everything that is wrong, where the server says more than one sentence. */
  readonly findings?: readonly Finding[] | undefined;
}

/**
 * An exchange with a server that did not give what was asked for. `code` says why, in the words of
 * the wire's `reason`: RESULT_EXPIRED, RESULT_EVICTED and RESULT_DELETED are told apart.
 */
export class QuireClientError extends QuireError {
  /** The HTTP status; absent when no answer came. A query that fails has 200. */
  readonly status: number | undefined;
  /** How long the server asks to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, facts: ExchangeFacts = {}) {
    super(code, message, { cause: facts.cause, findings: facts.findings });
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
  }

  /**
   * Whether the same call may succeed later, unchanged. The client itself tries again for reads
   * only, never for a query.
   */
  get retryable(): boolean {
    return this.kind === 'unavailable' && !lastingCodes.has(this.code);
  }
}
