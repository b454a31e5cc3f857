import type { PinotCursorResponse } from '@quire/api';

/**
 * Makes the calls that a ResultCursor of Apache Pinot's client for Java makes (release 1.5:
 * ResultCursorImpl and JsonAsyncHttpPinotClientTransport), to the same paths, with the same
 * parameters, and accepts no status other than 200.
 */
export class PinotCursor {
  readonly #url: string;
  readonly #token: string;
  readonly #pageSize: number;
  /** From 0. */
  #pageIndex = 0;
  page: PinotCursorResponse;

  private constructor(url: string, token: string, first: PinotCursorResponse) {
    this.#url = url;
    this.#token = token;
    this.page = first;
    // The rows of the first page, not the requested ones.
    this.#pageSize = first.numRows;
  }

  static async open(
    url: string,
    token: string,
    sql: string,
    pageSize: number,
  ): Promise<PinotCursor> {
    const response = await fetch(`${url}/query/sql?getCursor=true&numRows=${pageSize}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json; charset=utf-8',
      },
      body: JSON.stringify({ sql, queryOptions: 'groupByMode=sql;responseFormat=sql' }),
    });
    return new PinotCursor(url, token, JSON.parse(await textOf(response)) as PinotCursorResponse);
  }

  get hasNext(): boolean {
    return this.page.offset + this.page.numRows < this.page.numRowsResultSet;
  }

  get hasPrevious(): boolean {
    return this.page.offset > 0;
  }

  /**
   * Its blocking `next` counts from the current page, so that the first call returns the first page
   * again.
   */
  async next(): Promise<PinotCursorResponse> {
    return await this.#fetch(this.#pageIndex, this.#pageIndex + 1);
  }

  async previous(): Promise<PinotCursorResponse> {
    return await this.#fetch(this.#pageIndex - 1, this.#pageIndex - 1);
  }

  /** Pages are counted from 1. */
  async seekToPage(number: number): Promise<PinotCursorResponse> {
    return await this.#fetch(number - 1, number - 1);
  }

  async metadata(): Promise<PinotCursorResponse> {
    return JSON.parse(await textOf(await this.#call('GET', '/'))) as PinotCursorResponse;
  }

  async delete(): Promise<void> {
    await textOf(await this.#call('DELETE', '/'));
  }

  async #fetch(index: number, nextIndex: number): Promise<PinotCursorResponse> {
    const response = await this.#call(
      'GET',
      `/results?offset=${index * this.#pageSize}&numRows=${this.#pageSize}`,
    );
    this.page = JSON.parse(await textOf(response)) as PinotCursorResponse;
    this.#pageIndex = nextIndex;
    return this.page;
  }

  #call(method: string, path: string): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.#token}` };
    return fetch(`${this.#url}/responseStore/${this.page.requestId}${path}`, { method, headers });
  }
}

async function textOf(response: Response): Promise<string> {
  const text = await response.text();
  if (response.status !== 200) {
    throw new Error(`Pinot returned HTTP status ${response.status}, expected 200: ${text}`);
  }
  return text;
}
