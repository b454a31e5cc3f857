import { metadataPath, type PageFormat, pagePath, routePatterns, storedResultPath } from '@quire/api';
import { isRequestId, QuireError } from '@quire/core';
import { HttpSender } from './http.ts';
import { expectArray, expectObject, type JsonObject } from './json-fields.ts';
import { parseLosslessJson } from './lossless-json.ts';
import { type BrokerAddress, decodeQueryPage, type QueryPage } from './query-page.ts';
import { decodeStoredResult, type StoredResult } from './stored-result.ts';

export interface QuireClientOptions {
  /** Address of a broker or a proxy, such as `http://127.0.0.1:8099`. */
  readonly baseUrl: string | URL;
  /** Bearer token. */
  readonly token?: string | undefined;
  /** The whole Authorization header, in the place of `token`: `Basic …`. */
  readonly authorization?: string | undefined;
  readonly fetch?: typeof fetch;
}

export interface ClientCallOptions {
  /** An aborted call rejects with ABORTED; a query under way is then cancelled by the server. */
  readonly signal?: AbortSignal | undefined;
}

export interface QueryOptions extends ClientCallOptions {
  /** Rows of the first page; without, the server's configured page size. */
  readonly rowCount?: number | undefined;
}

export interface PageOptions extends ClientCallOptions {
  readonly offset: number;
  /** Without, the server's configured page size. */
  readonly rowCount?: number | undefined;
  /** `broker` of an earlier page: lets a proxy route the call at once. */
  readonly broker?: BrokerAddress | undefined;
}

/**
 * Speaks with one broker or proxy: runs queries, reads pages of their stored results, and manages these.
 *
 * Every failure is a QuireError: with the server's own code when it answered, SERVER_UNREACHABLE when it did not,
 * UNEXPECTED_RESPONSE when what answered is not Quire, ABORTED when the signal was aborted. Nothing is retried.
 */
export class QuireClient {
  readonly #http: HttpSender;

  /** @throws INVALID_PARAMETER when `baseUrl` is no http or https URL, or the token cannot be sent in a header */
  constructor(options: QuireClientOptions) {
    const authorization = options.authorization ?? (options.token === undefined ? undefined : `Bearer ${options.token}`);
    this.#http = new HttpSender(options.baseUrl, authorization, options.fetch ?? ((...call) => fetch(...call)));
  }

  /**
   * Runs a query, has the server store its whole answer, and resolves to the first page.
   *
   * @throws QUERY_SYNTAX, TABLE_NOT_FOUND, COLUMN_NOT_FOUND, QUERY_FAILED, QUERY_TIMED_OUT … when the query fails
   */
  async query(sql: string, options: QueryOptions = {}): Promise<QueryPage> {
    const text = await this.#http.sendForText({
      method: 'POST',
      path: routePatterns.query,
      query: { doPaginate: 'true', numRows: options.rowCount },
      body: { sql },
      signal: options.signal,
    });
    return decodeQueryPage(parseLosslessJson(text), options.rowCount);
  }

  /**
   * Reads a page of a stored result.
   *
   * @throws OFFSET_OUT_OF_RANGE when `offset` is past the end
   * @throws RESULT_NOT_FOUND, RESULT_EXPIRED, RESULT_EVICTED, RESULT_DELETED when there is no such result (any more)
   */
  async page(requestId: string, options: PageOptions): Promise<QueryPage> {
    const text = await this.#http.sendForText(pageRequest(requestId, options));
    return decodeQueryPage(parseLosslessJson(text), options.rowCount);
  }

  /**
   * Streams the bytes of a page in a format (`json` is the whole cursor response), in constant memory however large the page is.
   *
   * @throws as `page`; SERVER_UNREACHABLE also when the stream breaks: what came before is then incomplete
   */
  stream(requestId: string, options: PageOptions & { readonly format: PageFormat }): AsyncIterable<Uint8Array> {
    const request = pageRequest(requestId, options);
    return this.#http.sendForBytes({ ...request, query: { ...request.query, format: options.format } });
  }

  /** The metadata record of a result's query, as on the wire (spec section 2.7). @throws as `page` */
  async metadata(requestId: string, options: ClientCallOptions = {}): Promise<JsonObject> {
    const text = await this.#http.sendForText({
      method: 'GET',
      path: metadataPath(checkedId(requestId)),
      signal: options.signal,
    });
    return expectObject(expectArray(parseLosslessJson(text), 'body')[0], 'metadata record');
  }

  /** All stored results, newest first. @throws FORBIDDEN unless the caller is an admin */
  async list(options: ClientCallOptions = {}): Promise<readonly StoredResult[]> {
    const text = await this.#http.sendForText({ method: 'GET', path: routePatterns.resultStore, signal: options.signal });
    const entries = expectObject(parseLosslessJson(text), 'body')['resultMetadataList'];
    return expectArray(entries, 'resultMetadataList').map((entry) => decodeStoredResult(entry));
  }

  /** Deletes a result. @throws RESULT_NOT_FOUND, RESULT_DELETED … when there is no such result (any more) */
  async delete(requestId: string, options: ClientCallOptions = {}): Promise<void> {
    await this.#http.sendForText({ method: 'DELETE', path: storedResultPath(checkedId(requestId)), signal: options.signal });
  }

  /**
   * Lets a result live for a duration (`2h`, `1d12h`) from now on, at most as long as the server allows.
   *
   * @throws INVALID_PARAMETER when it is not a duration; RESULT_NOT_FOUND, RESULT_EXPIRED … as `page`
   */
  async renew(requestId: string, duration: string, options: ClientCallOptions = {}): Promise<StoredResult> {
    const text = await this.#http.sendForText({
      method: 'PATCH',
      path: storedResultPath(checkedId(requestId)),
      body: { expiration: duration },
      signal: options.signal,
    });
    return decodeStoredResult(parseLosslessJson(text));
  }
}

/** Checks here what the server checks as well: in a URL, `..` in the place of an id would make another call altogether. */
function checkedId(requestId: string): string {
  if (isRequestId(requestId)) return requestId;
  throw new QuireError('INVALID_PARAMETER', `'${requestId.slice(0, 80)}' is not a request id.`);
}

function pageRequest(requestId: string, options: PageOptions) {
  if (!Number.isSafeInteger(options.offset) || options.offset < 0) {
    throw new QuireError('INVALID_PARAMETER', `offset ${options.offset} is not a row number; expected an integer from 0 on.`);
  }
  return {
    method: 'GET',
    path: pagePath(checkedId(requestId)),
    query: { offset: options.offset, numRows: options.rowCount },
    headers: options.broker === undefined ? {} : { FORWARD_HOST: options.broker.host, FORWARD_PORT: String(options.broker.port) },
    signal: options.signal,
  } as const;
}
