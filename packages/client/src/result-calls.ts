import {
  type ArrowCodec,
  metadataPath,
  type PageFormatName,
  pageHeaders,
  pagePath,
  storedResultPath,
} from '@quire/core/wire';
import { isQuireError, isRequestId, QuireError } from '@quire/core/portable';
import type { CellModes } from './cells.ts';
import { QuireClientError } from './client-error.ts';
import { completeRowCount } from './document-pieces.ts';
import type { HttpAnswer, HttpRequest, HttpSender } from './http.ts';
import { expectArray, expectObject, type JsonObject } from './json-fields.ts';
import { type JsonValue, parseLosslessJson, parseRoundingJson } from './lossless-json.ts';
import { type BrokerAddress, decodeQueryPage, type QueryPage } from './query-page.ts';
import { decodeStoredResult, type StoredResult } from './stored-result.ts';

/** The data for calling a server about one stored result. */
export interface ResultAddress {
  readonly requestId: string;
  /** `broker` of an earlier page, with which a proxy routes the call directly. */
  readonly broker?: BrokerAddress | undefined;
}

/** The requested page; without `rowCount`, with the server's configured page size. */
export interface RequestedPage {
  readonly offset: number;
  readonly rowCount?: number | undefined;
}

/** The format of a page. */
export interface PageForm {
  readonly format: PageFormatName;
  /** For Arrow: the codecs that the reader supports (`DownloadOptions.compression`). */
  readonly compression?: readonly ArrowCodec[] | undefined;
  /** For CSV: as in `DownloadOptions`. */
  readonly formulas?: 'escape' | undefined;
}

/** The connection for calls, and the types of their cells. */
export interface Caller {
  readonly http: HttpSender;
  readonly modes: CellModes;
}

/** Allows aborting a call. */
export interface SignalOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Parses the answer to a query or a page call. @throws as `decodeQueryPage`; CONFLICT when the
 * query still runs
 */
export function parseQueryPage(
  bytes: Uint8Array,
  rowCount: number | undefined,
  modes: CellModes,
): QueryPage {
  const text = new TextDecoder().decode(bytes);
  const answer = modes.integers === 'number' ? parseRoundingJson(text) : parseLosslessJson(text);
  const { state } = expectObject(answer, 'body');
  // The number of rows so far would count as that of the whole result.
  if (state === 'QUEUED' || state === 'RUNNING') {
    const message = 'The query is still running; its result can be read when it has ended.';
    throw new QuireClientError('CONFLICT', message, { status: 200 });
  }
  return decodeQueryPage(answer, rowCount, modes);
}

/**
 * Reads a page. @throws UNEXPECTED_RESPONSE when another page than the requested one is received
 */
export async function readPage(
  { http, modes }: Caller,
  result: ResultAddress,
  page: RequestedPage,
  options: SignalOptions,
): Promise<QueryPage> {
  const { bytes } = await http.send(pageRequest(result, page, options));
  const answer = parseQueryPage(bytes, page.rowCount, modes);
  assertAsked(result, page.offset, answer);
  const { rows, totalRowCount } = answer;
  const expected =
    page.rowCount === undefined
      ? rows.length
      : Math.min(page.rowCount, totalRowCount - page.offset);
  assertRowCount(result, page, expected, rows.length);
  return answer;
}

/**
 * Reads all bytes of a page in a format. @throws UNEXPECTED_RESPONSE when the headers describe
 * another page than the requested one
 */
export async function readPageBytes(
  { http }: Caller,
  result: ResultAddress,
  page: RequestedPage & PageForm & { readonly expectedRowCount: number },
  options: SignalOptions,
): Promise<Uint8Array> {
  const { bytes, headers } = await http.send(pageRequest(result, page, options), (answer) =>
    hasAllRows(page.format, answer),
  );
  // A browser exposes these headers of another origin only if the server allows it: missing ones
  // count as correct.
  const answered = (name: string, expected: number): number =>
    Number(headers.get(name) ?? expected);
  assertRowCount(
    result,
    page,
    page.expectedRowCount,
    answered(pageHeaders.numRows, page.expectedRowCount),
  );
  const requestId = headers.get(pageHeaders.requestId) ?? result.requestId;
  assertAsked(result, page.offset, {
    requestId,
    offset: answered(pageHeaders.offset, page.offset),
  });
  return bytes;
}

/**
 * Reports whether a page has the rows that its headers announce. For proxies that speak HTTP/1.0
 * with the server, as nginx does by default, a broken connection is the end of a body.
 */
export function hasAllRows(format: PageFormatName, { headers, bytes }: HttpAnswer): boolean {
  const announced = headers.get(pageHeaders.numRows);
  const complete = announced === null ? undefined : completeRowCount(format, bytes);
  return complete === undefined || complete === Number(announced);
}

/** Streams the bytes of a page in a format, from `firstByte`. */
export function streamPageBytes(
  { http }: Caller,
  result: ResultAddress,
  page: RequestedPage & PageForm,
  { firstByte = 0, ...options }: SignalOptions & { readonly firstByte?: number },
): AsyncIterable<Uint8Array> {
  const request = pageRequest(result, page, options);
  const range = firstByte === 0 ? {} : { range: `bytes=${firstByte}-` };
  return http.stream({ ...request, headers: { ...request.headers, ...range } });
}

export async function readMetadata(
  { http }: Caller,
  result: ResultAddress,
  options: SignalOptions,
): Promise<JsonObject> {
  const { requestId } = result;
  const body = await sendForJson(http, {
    method: 'GET',
    path: metadataPath(checkedId(requestId)),
    ...about(result, options),
  });
  return expectObject(expectArray(body, 'body')[0], 'metadata record');
}

export async function deleteResult(
  { http }: Caller,
  result: ResultAddress,
  options: SignalOptions,
): Promise<void> {
  await http.send({
    method: 'DELETE',
    path: storedResultPath(checkedId(result.requestId)),
    ...about(result, options),
  });
}

/**
 * Performs a deletion. Ignores a missing result or an unreachable server, because the result
 * expires anyway.
 */
export async function unlessLost(remove: () => Promise<void>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!isQuireError(error) || (error.kind !== 'missing' && error.kind !== 'unavailable')) {
      throw error;
    }
  }
}

export async function renewResult(
  { http }: Caller,
  result: ResultAddress,
  duration: string,
  options: SignalOptions,
): Promise<StoredResult> {
  const path = storedResultPath(checkedId(result.requestId));
  const body = { expiration: duration };
  return decodeStoredResult(
    await sendForJson(http, { method: 'PATCH', path, body, ...about(result, options) }),
  );
}

/** Returns the JSON answer to a call. */
export async function sendForJson(http: HttpSender, request: HttpRequest): Promise<JsonValue> {
  return parseLosslessJson(new TextDecoder().decode((await http.send(request)).bytes));
}

/**
 * Checks an id before the server does: in a URL, `..` instead of an id would select another call.
 */
export function checkedId(requestId: string): string {
  if (isRequestId(requestId)) return requestId;
  throw new QuireError('INVALID_PARAMETER', `'${requestId.slice(0, 80)}' is not a request id.`);
}

/**
 * Checks a row count. On the wire, 0 and an absent value both mean the server's page size; here
 * only an absent value does.
 */
export function checkedRowCount(rowCount: number | undefined): number | undefined {
  if (rowCount === undefined || (Number.isSafeInteger(rowCount) && rowCount >= 1)) return rowCount;
  throw new QuireError(
    'INVALID_PARAMETER',
    `rowCount is ${rowCount}; expected an integer of at least 1.`,
  );
}

export function pageRequest(
  result: ResultAddress,
  page: RequestedPage & Partial<PageForm>,
  options: SignalOptions,
) {
  const { offset, rowCount: numRows, format, compression, formulas } = page;
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `offset is ${offset}; expected an integer, 0 or more.`,
    );
  }
  const path = pagePath(checkedId(result.requestId));
  const codecs = compression?.length === 0 ? undefined : compression?.join();
  return {
    method: 'GET',
    path,
    query: { offset, numRows, format, compression: codecs, formulas },
    ...about(result, options),
  } as const;
}

/**
 * Returns the headers of a call about one result with its broker (SPECIFICATION.md section 4.5),
 * and the caller's signal.
 */
export function about({ broker }: ResultAddress, { signal }: SignalOptions) {
  const headers: Record<string, string> =
    broker === undefined ? {} : { FORWARD_HOST: broker.host, FORWARD_PORT: String(broker.port) };
  return { headers, signal };
}

/** Checks the number of rows: a walk past a page that is shorter than requested would miss rows. */
export function assertRowCount(
  { requestId }: ResultAddress,
  { offset }: RequestedPage,
  expected: number,
  answered: number,
): void {
  if (answered === expected) return;
  throw new QuireError(
    'UNEXPECTED_RESPONSE',
    `Requested ${expected} rows from row ${offset} of ${requestId}, but received ${answered}.`,
  );
}

export function assertAsked(
  { requestId }: ResultAddress,
  offset: number,
  answered: { readonly requestId: string; readonly offset: number },
): void {
  if (answered.requestId === requestId && answered.offset === offset) return;
  throw new QuireError(
    'UNEXPECTED_RESPONSE',
    `Requested row ${offset} of ${requestId}, but received row ${answered.offset} of ${answered.requestId}.`,
  );
}
