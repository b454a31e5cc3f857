import { routePatterns } from '@quire/core/wire';
import { type Clock, systemClock } from '@quire/core/portable';
import { defaultQueryTimeoutMs, openSender, type QuireClientOptions } from './client-options.ts';
import { cancelQuery, decodeGrowing, GrowingCursor, readStatus } from './growing-cursor.ts';
import { expectArray, expectObject } from './json-fields.ts';
import { encodeParameters } from './query-parameters.ts';
import { decodeRunningQuery, type QueryStatus, type RunningQuery } from './query-status.ts';
import type { ClientCallOptions, QueryOptions } from './quire-client.ts';
import { type Caller, sendForJson, type SignalOptions } from './result-calls.ts';

/** How a query is started whose rows are read while it runs. */
export interface StartOptions extends QueryOptions {
  /**
   * How long to wait for the rows of the first page, at most as long as the server allows; that
   * unless told otherwise.
   */
  readonly waitMs?: number | undefined;
}

/**
 * Speaks with one broker or proxy about queries while they run: starts them, reads their rows as
 * they come, watches and cancels them. Errors are those of `QuireClient`.
 */
export class QuireQueryClient {
  readonly #caller: Caller;
  readonly #clock: Clock;
  readonly #queryTimeoutMs: number;

  /**
   * @throws INVALID_PARAMETER when `baseUrl` is not an http or https URL, or another option makes
   * no sense
   */
  constructor(options: QuireClientOptions) {
    const { integers = 'lossless', dates = 'string', clock = systemClock } = options;
    this.#caller = { http: openSender(options), modes: { integers, dates } };
    this.#clock = clock;
    this.#queryTimeoutMs = options.queryTimeoutMs ?? defaultQueryTimeoutMs;
  }

  /**
   * Starts a query, and resolves as soon as the rows of its first page are there. It goes on when
   * nobody reads it, and is kept.
   *
   * @throws QUERY_SYNTAX, TABLE_NOT_FOUND, COLUMN_NOT_FOUND, QUERY_FAILED, QUERY_TIMED_OUT … when
   * it has failed by then
   */
  async start(sql: string, options: StartOptions = {}): Promise<GrowingCursor> {
    const { parameters, rowCount, waitMs, signal, keep = false } = options;
    const wait = waitMs === undefined ? undefined : `${Math.round(waitMs)}ms`;
    const { bytes } = await this.#caller.http.send({
      method: 'POST',
      path: routePatterns.query,
      query: { doPaginate: 'true', async: 'true', numRows: rowCount, wait },
      body: { sql, ...(parameters !== undefined && { parameters: encodeParameters(parameters) }) },
      signal,
      headersTimeoutMs: this.#queryTimeoutMs,
    });
    const first = decodeGrowing(bytes, rowCount, this.#caller);
    return new GrowingCursor(this.#caller, first, { clock: this.#clock, pageSize: rowCount, keep });
  }

  /**
   * How far a query is. @throws RESULT_NOT_FOUND, RESULT_EXPIRED, RESULT_EVICTED, RESULT_DELETED
   * when the server knows of none (any more)
   */
  async status(
    requestId: string,
    { broker, signal }: ClientCallOptions = {},
  ): Promise<QueryStatus> {
    return readStatus(this.#caller, { requestId, broker }, { signal });
  }

  /** The queries that wait or run, newest first: an admin's list has all, others see their own. */
  async list({ signal }: SignalOptions = {}): Promise<readonly RunningQuery[]> {
    const body = await sendForJson(this.#caller.http, {
      method: 'GET',
      path: routePatterns.queries,
      signal,
    });
    return expectArray(expectObject(body, 'body')['queries'], 'queries').map((entry) =>
      decodeRunningQuery(entry),
    );
  }

  /**
   * Ends a query, paginated or not; its rows go. @throws CONFLICT when it has ended, and as
   * `status`
   */
  async cancel(requestId: string, { broker, signal }: ClientCallOptions = {}): Promise<void> {
    return cancelQuery(this.#caller, { requestId, broker }, { signal });
  }
}
