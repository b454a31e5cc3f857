import {
  type Clock,
  QuireError,
  type Random,
  systemClock,
  systemRandom,
} from '@quire/core/portable';
import { authorizationOf, type Credentials } from './authorization.ts';
import type { DateMode, IntegerMode } from './cells.ts';
import { HttpSender } from './http.ts';
import { retryPolicyOf, type RetryLimits } from './retry-reads.ts';

/** The address of the server, the credentials, the types of cells, and the timeouts. */
export interface QuireClientOptions extends Credentials {
  /** Address of a broker or a proxy, such as `http://127.0.0.1:8099`. */
  readonly baseUrl: string | URL;
  /** The JavaScript type for LONG; default `lossless`. */
  readonly integers?: IntegerMode | undefined;
  /** The JavaScript type for TIMESTAMP; default `string`. */
  readonly dates?: DateMode | undefined;
  /** The retry policy of reads. A query is never retried. */
  readonly retry?: RetryLimits | undefined;
  /** The timeout for the start of a response, in milliseconds. Default 60,000. */
  readonly headersTimeoutMs?: number | undefined;
  /**
   * The same timeout for a query, which is answered once its whole result is stored. Default
   * 600,000.
   */
  readonly queryTimeoutMs?: number | undefined;
  /** The timeout between two pieces of a response, in milliseconds. Default 60,000. */
  readonly idleTimeoutMs?: number | undefined;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  readonly random?: Random;
}

export const defaultQueryTimeoutMs = 600_000;

/**
 * Returns the connection for the options. @throws INVALID_PARAMETER when one of them is not valid
 */
export function openSender(options: QuireClientOptions): HttpSender {
  const {
    clock = systemClock,
    random = systemRandom,
    headersTimeoutMs = 60_000,
    idleTimeoutMs = 60_000,
  } = options;
  const { queryTimeoutMs = defaultQueryTimeoutMs } = options;
  for (const [name, value] of Object.entries({ headersTimeoutMs, queryTimeoutMs, idleTimeoutMs })) {
    // A timer of more than 31 bits fires immediately.
    if (value > 0 && value < 2 ** 31) continue;
    throw new QuireError(
      'INVALID_PARAMETER',
      `${name} is ${value}; expected more than 0 and less than 2^31 milliseconds.`,
    );
  }
  return new HttpSender({
    baseUrl: options.baseUrl,
    authorization: authorizationOf(options),
    // Called without `this`, as browsers require.
    fetch: options.fetch ?? ((...call) => fetch(...call)),
    clock,
    retryPolicy: retryPolicyOf(options.retry ?? {}, clock, random),
    headersTimeoutMs,
    idleTimeoutMs,
  });
}
