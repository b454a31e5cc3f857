import { routePatterns } from '@quire/core/wire';
import { type Clock, systemClock } from '@quire/core/portable';
import { defaultQueryTimeoutMs, openSender, type QuireClientOptions } from './client-options.ts';
import { cancelQuery, decodeGrowing, GrowingCursor, readStatus } from './growing-cursor.ts';
import { expectArray, expectObject } from './json-fields.ts';
import { encodeParameters } from './query-parameters.ts';
import { decodeRunningQuery, type QueryStatus, type RunningQuery } from './query-status.ts';
import type { ClientCallOptions, QueryOptions } from './quire-client.ts';
import { type Caller, checkedRowCount, sendForJson, type SignalOptions } from './result-calls.ts';

/** The options of a query whose rows are read while it runs. */
export interface StartOptions extends QueryOptions {
  /**
   * The time to wait for the rows of the first page, limited by the server; default: the server's
   * limit.
   */
  readonly waitMs?: number | undefined;
}

/**
 * A client of one broker or proxy for running queries: starts them, reads their rows as they are
 * produced, watches and cancels them. Errors are those of `QuireClient`.
 */
export class QuireQueryClient {
  readonly #caller: Caller;
  readonly #clock: Clock;
  readonly #queryTimeoutMs: number;

  /**
   * Creates a client.
   *
   * @throws INVALID_PARAMETER when `baseUrl` is not an http or https URL, or another option is not
   *   valid
   */
  constructor(options: QuireClientOptions) {
    const { integers = 'lossless', dates = 'string', clock = systemClock } = options;
    this.#caller = { http: openSender(options), modes: { integers, dates } };
    this.#clock = clock;
    this.#queryTimeoutMs = options.queryTimeoutMs ?? defaultQueryTimeoutMs;
  }

  /**
   * Starts a query, and resolves as soon as the rows of its first page exist. It continues even if
   * it is not read, and its result is stored.
   *
   * @throws QUERY_SYNTAX, TABLE_NOT_FOUND, COLUMN_NOT_FOUND, QUERY_FAILED, QUERY_TIMED_OUT … when
   *   it has failed by then
   */
  async start(sql: string, options: StartOptions = {}): Promise<GrowingCursor> {
    const { parameters, rowCount, waitMs, signal, keep = false } = options;
    const wait = waitMs === undefined ? undefined : `${Math.round(waitMs)}ms`;
    const { bytes } = await this.#caller.http.send({
      method: 'POST',
      path: routePatterns.query,
      query: { doPaginate: 'true', async: 'true', numRows: checkedRowCount(rowCount), wait },
      body: { sql, ...(parameters !== undefined && { parameters: encodeParameters(parameters) }) },
      signal,
      headersTimeoutMs: this.#queryTimeoutMs,
    });
    const first = decodeGrowing(bytes, rowCount, this.#caller);
    return new GrowingCursor(this.#caller, first, { clock: this.#clock, pageSize: rowCount, keep });
  }

  /**
   * Returns the progress of a query. @throws RESULT_NOT_FOUND, RESULT_EXPIRED, RESULT_EVICTED,
   * RESULT_DELETED when it does not exist, or no longer exists
   */
  async status(
    requestId: string,
    { broker, signal }: ClientCallOptions = {},
  ): Promise<QueryStatus> {
    return readStatus(this.#caller, { requestId, broker }, { signal });
  }

  /**
   * Returns the waiting and running queries, newest first: all for an admin, otherwise the caller's
   * own.
   */
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
   * Cancels a query, paginated or not, and deletes its rows. @throws CONFLICT when it has ended,
   * and as `status`
   */
  async cancel(requestId: string, { broker, signal }: ClientCallOptions = {}): Promise<void> {
    return cancelQuery(this.#caller, { requestId, broker }, { signal });
  }
}
