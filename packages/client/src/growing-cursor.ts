import { errorCodeOfException, pagePath, queryPath } from '@quire/core/wire';
import { type Clock, isQuireError, QuireError } from '@quire/core/portable';
import type { Column, Row } from './cells.ts';
import { QuireClientError } from './client-error.ts';
import { downloadGrowing, type GrowingDownloadOptions, pause } from './growing-download.ts';
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
  unlessLost,
} from './result-calls.ts';
import { ResultCursor } from './result-cursor.ts';

/**
 * A page of a query that may still run: it may be shorter than requested, and more rows may follow.
 */
export interface GrowingPage extends QueryPage {
  /** True if there may be more rows than `totalRowCount`, the number so far. */
  readonly isGrowing: boolean;
}

/**
 * The answer to a query or a page call with `async`: a page or, while there are no columns, the
 * progress of the query.
 */
export type GrowingAnswer =
  | { readonly kind: 'page'; readonly page: GrowingPage }
  | { readonly kind: 'status'; readonly status: QueryStatus };

/** Decodes an answer. @throws as `decodeQueryPage` */
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
 * A running query, whose rows can be read as they are produced.
 *
 * `await using` cancels the query at the end of the block, or deletes its result, unless `keep` is
 * set.
 *
 * @throws the code that the query failed with, from every later call; its rows are deleted
 */
export class GrowingCursor implements AsyncDisposable {
  readonly requestId: string;
  /** The broker that runs the query: no other broker knows the progress of a running query. */
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

  /** The last page; undefined while the query has not reported its columns. */
  get page(): GrowingPage | undefined {
    return this.#page;
  }

  get columns(): readonly Column[] | undefined {
    return this.#page?.columns;
  }

  /** True if the query was running at the last call. */
  get isGrowing(): boolean {
    return this.#page?.isGrowing ?? true;
  }

  /**
   * Reads the existing rows of a page, after waiting for missing ones at most as long as `waitMs`
   * and the server allow; undefined if the query has not reported its columns by then.
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
        `Requested row ${offset} of ${this.requestId}, but received other rows.`,
      );
    }
    this.#page = answer.page;
    return answer.page;
  }

  /**
   * Yields all pages from a row, each as soon as its rows exist, until the query has ended and no
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
        await pause(this.#options.clock, signal);
      }
      page = undefined;
    }
  }

  /** Yields all rows as they are produced. */
  async *rows(options: SignalOptions = {}): AsyncGenerator<Row, void, undefined> {
    for await (const { rows } of this.pages(options)) yield* rows;
  }

  /**
   * Returns the result as one document, whose rows are yielded as they are produced: the same bytes
   * as `ResultCursor.download` of the finished result.
   */
  download(options: GrowingDownloadOptions): AsyncGenerator<Uint8Array, void, undefined> {
    return downloadGrowing(
      { caller: this.#caller, address: this, clock: this.#options.clock },
      options,
    );
  }

  /** Returns the progress of the query. */
  async status({ signal }: SignalOptions = {}): Promise<QueryStatus> {
    return readStatus(this.#caller, this, { signal });
  }

  /**
   * Waits for the end of the query; resolves to a cursor over its result, at its first page.
   * @throws the code that the query failed with
   */
  async result({ signal }: SignalOptions = {}): Promise<ResultCursor> {
    for (;;) {
      const { state, exceptions } = await this.status({ signal });
      const [failure] = exceptions;
      if (failure !== undefined) {
        throw new QuireClientError(errorCodeOfException(failure.errorCode), failure.message);
      }
      if (state === 'DONE') break;
      await pause(this.#options.clock, signal);
    }
    const { pageSize, keep } = this.#options;
    const page = await readPage(this.#caller, this, { offset: 0, rowCount: pageSize }, { signal });
    return new ResultCursor(this.#caller, page, { pageSize, keep });
  }

  /** Cancels the query and deletes its rows. @throws CONFLICT when it has ended */
  async cancel({ signal }: SignalOptions = {}): Promise<void> {
    return cancelQuery(this.#caller, this, { signal });
  }

  /**
   * Cancels the query, or deletes its result, unless it is kept. Ignores a missing result, such as
   * one that another cursor has deleted, and an unreachable server.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#options.keep) return;
    await unlessLost(async () => {
      try {
        await this.cancel();
      } catch (error) {
        if (!isQuireError(error, 'CONFLICT')) throw error;
        // The query has ended.
        await deleteResult(this.#caller, this, {});
      }
    });
  }
}

type Address = { readonly requestId: string; readonly broker?: BrokerAddress | undefined };

/** Requests the progress of a query. */
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
