import { routePatterns } from '@quire/core/wire';
import { defaultQueryTimeoutMs, openSender, type QuireClientOptions } from './client-options.ts';
import { expectArray, expectObject, type JsonObject } from './json-fields.ts';
import type { JsonValue } from './lossless-json.ts';
import type { BrokerAddress, QueryPage } from './query-page.ts';
import { encodeParameters, type ParameterValues } from './query-parameters.ts';
import {
  type RequestedPage,
  type Caller,
  checkedRowCount,
  deleteResult,
  type PageForm,
  parseQueryPage,
  readMetadata,
  readPage,
  renewResult,
  sendForJson,
  type SignalOptions,
  streamPageBytes,
} from './result-calls.ts';
import { ResultCursor } from './result-cursor.ts';
import {
  decodeOwnedResult,
  decodeStoredResult,
  type OwnedResult,
  type StoredResult,
} from './stored-result.ts';

/** The options of every call about a stored result. */
export interface ClientCallOptions extends SignalOptions {
  /** The broker that a page of the result named, with which a proxy routes the call directly. */
  readonly broker?: BrokerAddress | undefined;
}

/** The page to read, and the broker of its result. */
export interface PageOptions extends ClientCallOptions, RequestedPage {}

/** The options of a query. */
export interface QueryOptions extends SignalOptions {
  /**
   * Values for the parameters in the SQL: a list for `?` and `$1`, an object for `$name`. They are
   * never inserted into its text.
   */
  readonly parameters?: ParameterValues | undefined;
  /**
   * Rows in the first page, and so the cursor's page size; absent: the server's configured page
   * size.
   */
  readonly rowCount?: number | undefined;
  /**
   * Keep the result when the cursor is disposed (`await using`); the result of a query is deleted
   * then, unless this is true.
   */
  readonly keep?: boolean | undefined;
}

/** The start of a cursor over a stored result. */
export interface OpenOptions extends ClientCallOptions {
  /** Row at which the cursor starts; default: the first. */
  readonly offset?: number | undefined;
  /** Rows in a page; absent: the server's configured page size. */
  readonly rowCount?: number | undefined;
  /** Keep the result when the cursor is disposed (`await using`): yes, unless this is false. */
  readonly keep?: boolean | undefined;
}

/**
 * A client of one broker or proxy: runs queries, opens their stored results, and manages them.
 *
 * Every failure except an abort is a QuireError with a `code`. Failures of an exchange with the
 * server are QuireClientErrors with the HTTP status and `retryable`. Reads are retried
 * automatically, a query never.
 *
 * @throws SERVER_UNREACHABLE when no response is received in time; UNEXPECTED_RESPONSE when the
 *   server is not Quire
 * @throws UNAUTHENTICATED, FORBIDDEN, TOO_MANY_REQUESTS
 * @throws the reason of the signal, as `fetch` does, once it is aborted: an AbortError, unless
 *   `abort` was called with another
 */
export class QuireClient {
  readonly #caller: Caller;
  readonly #queryTimeoutMs: number;

  /**
   * Creates a client.
   *
   * @throws INVALID_PARAMETER when `baseUrl` is not an http or https URL, or another option is not
   *   valid
   */
  constructor(options: QuireClientOptions) {
    const { integers = 'lossless', dates = 'string' } = options;
    this.#caller = { http: openSender(options), modes: { integers, dates } };
    this.#queryTimeoutMs = options.queryTimeoutMs ?? defaultQueryTimeoutMs;
  }

  /**
   * Runs a query whose whole answer the server stores, and resolves to a cursor at the first page.
   * It runs once and is never retried. Aborting it cancels it on the server, and nothing is stored.
   *
   * @throws QUERY_SYNTAX, TABLE_NOT_FOUND, COLUMN_NOT_FOUND, QUERY_FAILED, QUERY_TIMED_OUT … when
   *   the query fails
   */
  async query(sql: string, options: QueryOptions = {}): Promise<ResultCursor> {
    const { parameters, rowCount, signal, keep = false } = options;
    const { bytes } = await this.#caller.http.send({
      method: 'POST',
      path: routePatterns.query,
      query: { doPaginate: 'true', numRows: checkedRowCount(rowCount) },
      body: { sql, ...(parameters !== undefined && { parameters: encodeParameters(parameters) }) },
      signal,
      headersTimeoutMs: this.#queryTimeoutMs,
    });
    return new ResultCursor(this.#caller, parseQueryPage(bytes, rowCount, this.#caller.modes), {
      pageSize: rowCount,
      keep,
    });
  }

  /** Returns a cursor over an existing stored result. @throws as `page` */
  async open(requestId: string, options: OpenOptions = {}): Promise<ResultCursor> {
    const { offset = 0, rowCount, keep = true } = options;
    const page = await this.page(requestId, { ...options, offset });
    return new ResultCursor(this.#caller, page, { pageSize: rowCount, keep });
  }

  /**
   * Reads one page of a stored result, for callers that keep track of their position.
   *
   * @throws OFFSET_OUT_OF_RANGE when `offset` is past the end
   * @throws RESULT_NOT_FOUND, RESULT_EXPIRED, RESULT_EVICTED, RESULT_DELETED when the result does
   *   not exist, or no longer exists
   * @throws CONFLICT when the query still runs: `QuireQueryClient` reads its rows
   */
  async page(
    requestId: string,
    { offset, rowCount, broker, signal }: PageOptions,
  ): Promise<QueryPage> {
    return readPage(
      this.#caller,
      { requestId, broker },
      { offset, rowCount: checkedRowCount(rowCount) },
      { signal },
    );
  }

  /**
   * Streams the bytes of a page in a format (`json` is the whole cursor response), in constant
   * memory; of a query that still runs, the rows so far.
   *
   * @throws as `page`; SERVER_UNREACHABLE also when the stream breaks: the earlier bytes are then
   *   incomplete
   */
  stream(requestId: string, options: PageOptions & PageForm): AsyncIterable<Uint8Array> {
    const { broker, signal, ...page } = options;
    return streamPageBytes(this.#caller, { requestId, broker }, page, { signal });
  }

  /**
   * Returns the metadata record of a result's query, as on the wire (SPECIFICATION.md section 2.7).
   * @throws as `page`
   */
  async metadata(
    requestId: string,
    { broker, signal }: ClientCallOptions = {},
  ): Promise<JsonObject> {
    return readMetadata(this.#caller, { requestId, broker }, { signal });
  }

  /** Returns all stored results, newest first. @throws FORBIDDEN unless the caller is an admin */
  async list(options: SignalOptions = {}): Promise<readonly StoredResult[]> {
    const entries = await this.#listed({}, options);
    return entries.map((entry) => decodeStoredResult(entry));
  }

  /** Returns the caller's own results with their queries, newest first: at most 500 of a broker. */
  async listOwn(options: SignalOptions = {}): Promise<readonly OwnedResult[]> {
    const entries = await this.#listed({ own: 'true' }, options);
    return entries.map((entry) => decodeOwnedResult(entry));
  }

  async #listed(
    query: { readonly own?: string },
    { signal }: SignalOptions,
  ): Promise<readonly JsonValue[]> {
    const call = { method: 'GET', path: routePatterns.resultStore, query, signal } as const;
    const body = await sendForJson(this.#caller.http, call);
    return expectArray(expectObject(body, 'body')['resultMetadataList'], 'resultMetadataList');
  }

  /**
   * Deletes a result. @throws RESULT_NOT_FOUND, RESULT_DELETED … when it does not exist, or no
   * longer exists
   */
  async delete(requestId: string, { broker, signal }: ClientCallOptions = {}): Promise<void> {
    return deleteResult(this.#caller, { requestId, broker }, { signal });
  }

  /**
   * Renews a result for a duration (`2h`, `1d12h`) from now, limited by the server.
   *
   * @throws INVALID_PARAMETER when it is not a duration; RESULT_NOT_FOUND, RESULT_EXPIRED … as
   *   `page`
   */
  async renew(
    requestId: string,
    duration: string,
    { broker, signal }: ClientCallOptions = {},
  ): Promise<StoredResult> {
    return renewResult(this.#caller, { requestId, broker }, duration, { signal });
  }
}
