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

/** Where the server is, who calls it, what cells become, and how long calls may take. */
export interface QuireClientOptions extends Credentials {
  /** Address of a broker or a proxy, such as `http://127.0.0.1:8099`. */
  readonly baseUrl: string | URL;
  /** What a cell of type LONG is; `lossless` unless told otherwise. */
  readonly integers?: IntegerMode | undefined;
  /** What a cell of type TIMESTAMP is; `string` unless told otherwise. */
  readonly dates?: DateMode | undefined;
  /** How reads are tried again. A query never is. */
  readonly retry?: RetryLimits | undefined;
  /** How long an answer may take to begin, in milliseconds. Default 60,000. */
  readonly headersTimeoutMs?: number | undefined;
  /** The same for a query, which is answered once its whole result is stored. Default 600,000. */
  readonly queryTimeoutMs?: number | undefined;
  /**
   * How long the next piece of an answer that has begun may take, in milliseconds. Default 60,000.
   */
  readonly idleTimeoutMs?: number | undefined;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  readonly random?: Random;
}

export const defaultQueryTimeoutMs = 600_000;

/**
 * The connection that the options describe. @throws INVALID_PARAMETER when one of them makes no
 * sense
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
    // A timer of more than 31 bits fires at once.
    if (value > 0 && value < 2 ** 31) continue;
    throw new QuireError(
      'INVALID_PARAMETER',
      `${name} is ${value}; expected more than 0 and less than 2^31 milliseconds.`,
    );
  }
  return new HttpSender({
    baseUrl: options.baseUrl,
    authorization: authorizationOf(options),
    // Called as a function of no object: browsers insist on it.
    fetch: options.fetch ?? ((...call) => fetch(...call)),
    clock,
    retryPolicy: retryPolicyOf(options.retry ?? {}, clock, random),
    headersTimeoutMs,
    idleTimeoutMs,
  });
}
