import { errorCodeOfException, pagePath, queryPath } from '@quire/core/wire';
import { type Clock, QuireError } from '@quire/core/portable';
import type { Column, Row } from './cells.ts';
import { QuireClientError } from './client-error.ts';
import { downloadGrowing, type GrowingDownloadOptions } from './growing-download.ts';
import { expectObject } from './json-fields.ts';
import { parseLosslessJson, parseRoundingJson } from './lossless-json.ts';
import { type BrokerAddress, decodeQueryPage, type QueryPage } from './query-page.ts';
import { decodeQueryStatus, type QueryStatus } from './query-status.ts';
import {
  about,
  type Caller,
  checkedId,
  deleteResult,
  readPage,
  sendForJson,
  type SignalOptions,
} from './result-calls.ts';
import { ResultCursor } from './result-cursor.ts';

/** Between two calls of a server that does not wait for rows. */
const pauseMs = 200;

/**
 * A page of a query that may still run: it may be shorter than asked for, and more rows may follow.
 */
export interface GrowingPage extends QueryPage {
  /** Whether more rows may come than `totalRowCount`, which is what could be read so far. */
  readonly isGrowing: boolean;
}

/**
 * What a query or a page call with `async` is answered with: a page, or, while there are no
 * columns, how far the query is.
 */
export type GrowingAnswer =
  | { readonly kind: 'page'; readonly page: GrowingPage }
  | { readonly kind: 'status'; readonly status: QueryStatus };

/** Reads an answer. @throws as `decodeQueryPage` */
export function decodeGrowing(
  bytes: Uint8Array,
  rowCount: number | undefined,
  { modes }: Caller,
): GrowingAnswer {
  const text = new TextDecoder().decode(bytes);
  const answer = modes.integers === 'number' ? parseRoundingJson(text) : parseLosslessJson(text);
  const { resultTable, state } = expectObject(answer, 'body');
  if (resultTable === undefined && state !== undefined) {
    return { kind: 'status', status: decodeQueryStatus(answer) };
  }
  return {
    kind: 'page',
    page: { ...decodeQueryPage(answer, rowCount, modes), isGrowing: state !== undefined },
  };
}

export interface GrowingOptions {
  readonly clock: Clock;
  readonly pageSize: number | undefined;
  readonly keep: boolean;
}

/**
 * A query under way, whose rows can be read as they come.
 *
 * `await using` cancels the query at the end of the block, or deletes its result, unless `keep` was
 * said.
 *
 * @throws the code that the query failed with, from every call after that; its rows are gone
 */
export class GrowingCursor implements AsyncDisposable {
  readonly requestId: string;
  /** Where it runs: no other broker can tell of it before it has ended. */
  readonly broker: BrokerAddress | undefined;
  readonly #caller: Caller;
  readonly #options: GrowingOptions;
  #page: GrowingPage | undefined;

  constructor(caller: Caller, first: GrowingAnswer, options: GrowingOptions) {
    const { requestId, broker } = first.kind === 'page' ? first.page : first.status;
    this.requestId = requestId;
    this.broker = broker;
    this.#caller = caller;
    this.#options = options;
    this.#page = first.kind === 'page' ? first.page : undefined;
  }

  /** The page that came last; undefined while the query has told no columns. */
  get page(): GrowingPage | undefined {
    return this.#page;
  }

  get columns(): readonly Column[] | undefined {
    return this.#page?.columns;
  }

  /** Whether the query still ran when it was asked last. */
  get isGrowing(): boolean {
    return this.#page?.isGrowing ?? true;
  }

  /**
   * Reads the rows of a page that are there, after waiting for those that are not, at most as long
   * as `waitMs` and the server allow; undefined when the query has told no columns by then.
   */
  async read(
    { offset, rowCount }: { readonly offset: number; readonly rowCount?: number | undefined },
    { waitMs, signal }: SignalOptions & { readonly waitMs?: number | undefined } = {},
  ): Promise<GrowingPage | undefined> {
    const path = pagePath(checkedId(this.requestId));
    const query = {
      offset,
      numRows: rowCount,
      wait: waitMs === undefined ? undefined : `${Math.round(waitMs)}ms`,
    };
    const { bytes } = await this.#caller.http.send({
      method: 'GET',
      path,
      query,
      ...about(this, { signal }),
    });
    const answer = decodeGrowing(bytes, rowCount, this.#caller);
    if (answer.kind === 'status') return undefined;
    if (answer.page.offset !== offset || answer.page.requestId !== this.requestId) {
      throw new QuireError(
        'UNEXPECTED_RESPONSE',
        `Row ${offset} of ${this.requestId} was asked for; other rows came.`,
      );
    }
    this.#page = answer.page;
    return answer.page;
  }

  /**
   * All pages from a row on, each as soon as its rows are there, until the query has ended and no
   * row follows.
   */
  async *pages({
    from = 0,
    signal,
  }: SignalOptions & { readonly from?: number | undefined } = {}): AsyncGenerator<
    GrowingPage,
    void,
    undefined
  > {
    const rowCount = this.#options.pageSize;
    let page = this.#page?.offset === from ? this.#page : undefined;
    for (let offset = from; ;) {
      page ??= await this.read({ offset, rowCount }, { signal });
      if (page !== undefined && page.rows.length > 0) yield page;
      offset += page?.rows.length ?? 0;
      if (page?.isGrowing === false && offset >= page.totalRowCount) return;
      if (page === undefined || page.rows.length === 0) {
        await this.#options.clock.sleep(pauseMs, signal);
      }
      page = undefined;
    }
  }

  /** All rows, as they come. */
  async *rows(options: SignalOptions = {}): AsyncGenerator<Row, void, undefined> {
    for await (const { rows } of this.pages(options)) yield* rows;
  }

  /**
   * The result as one document, whose rows are given as they come: the bytes that
   * `ResultCursor.download` gives when it stands.
   */
  download(options: GrowingDownloadOptions): AsyncGenerator<Uint8Array, void, undefined> {
    return downloadGrowing(
      { caller: this.#caller, address: this, clock: this.#options.clock },
      options,
    );
  }

  /** How far the query is. */
  async status({ signal }: SignalOptions = {}): Promise<QueryStatus> {
    return readStatus(this.#caller, this, { signal });
  }

  /**
   * Waits for the end of the query; resolves to a cursor over its result, at its first page.
   * @throws what the query failed with
   */
  async result({ signal }: SignalOptions = {}): Promise<ResultCursor> {
    for (;;) {
      const { state, exceptions } = await this.status({ signal });
      const [failure] = exceptions;
      if (failure !== undefined) {
        throw new QuireClientError(errorCodeOfException(failure.errorCode), failure.message);
      }
      if (state === 'DONE') break;
      await this.#options.clock.sleep(pauseMs, signal);
    }
    const { pageSize, keep } = this.#options;
    const page = await readPage(this.#caller, this, { offset: 0, rowCount: pageSize }, { signal });
    return new ResultCursor(this.#caller, page, { pageSize, keep });
  }

  /** Ends the query; its rows go. @throws CONFLICT when it has ended */
  async cancel({ signal }: SignalOptions = {}): Promise<void> {
    return cancelQuery(this.#caller, this, { signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#options.keep) return;
    const { state } = await this.status();
    if (state === 'DONE') await deleteResult(this.#caller, this, {});
    else if (state === 'QUEUED' || state === 'RUNNING') await this.cancel();
  }
}

type Address = { readonly requestId: string; readonly broker?: BrokerAddress | undefined };

/** Asks how far a query is. */
export async function readStatus(
  { http }: Caller,
  query: Address,
  options: SignalOptions,
): Promise<QueryStatus> {
  const path = queryPath(checkedId(query.requestId));
  return decodeQueryStatus(
    await sendForJson(http, { method: 'GET', path, ...about(query, options) }),
  );
}

export async function cancelQuery(
  { http }: Caller,
  query: Address,
  options: SignalOptions,
): Promise<void> {
  await http.send({
    method: 'DELETE',
    path: queryPath(checkedId(query.requestId)),
    ...about(query, options),
  });
}
