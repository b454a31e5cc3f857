import { QuireError } from '@quire/core';
import type { PageFormatName } from '@quire/core/wire';

/**
 * The dialect in which a server is called: Quire's own, or Apache Pinot's cursors, which Quire
 * supports as well.
 */
export type Dialect = 'quire' | 'pinot';

/** A server to measure, and how to call it. */
export interface PageServerOptions {
  /** Address of a broker or a proxy, such as `http://127.0.0.1:8099`. */
  readonly url: string;
  /** A bearer token, or a whole value for `Authorization`, such as `Basic …`. */
  readonly token?: string | undefined;
  /** Undefined: detected from the server's answer to the query. */
  readonly dialect?: Dialect | undefined;
}

export interface Page {
  readonly offset: number;
  readonly rowCount: number;
  /** Apache Pinot only supports JSON. */
  readonly format: PageFormatName;
}

/** The result of one query on one server, whose pages are read. */
export interface StoredAnswer {
  readonly dialect: Dialect;
  readonly rowCount: number;
  /** Time from the query to the answer with its first row, in milliseconds. */
  readonly storeMs: number;
  /**
   * Reads a page to its end; resolves to its bytes. @throws BROKER_FAILED when the server does not
   * answer with a page
   */
  read(page: Page): Promise<number>;
  /** Deletes the result, where it can be deleted. */
  delete(): Promise<void>;
}

interface CursorAnswer {
  readonly requestId?: unknown;
  readonly numRowsResultSet?: unknown;
  readonly exceptions?: readonly { readonly message?: string }[];
  readonly nextOffsetParams?: unknown;
}

/** The members that one dialect has and the other lacks. */
const calls = {
  quire: { query: 'doPaginate=true', pages: (id: string) => `/query/${id}/results` },
  pinot: { query: 'getCursor=true', pages: (id: string) => `/responseStore/${id}/results` },
} as const;

/** A server that stores answers and serves pages of them, over HTTP. */
export class PageServer {
  readonly url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #dialect: Dialect | undefined;
  readonly #now: () => number;

  constructor({ url, token, dialect }: PageServerOptions, now: () => number) {
    this.url = url.replace(/\/+$/, '');
    this.#headers =
      token === undefined ? {} : { authorization: /\s/.test(token) ? token : `Bearer ${token}` };
    this.#dialect = dialect;
    this.#now = now;
  }

  /**
   * Runs a query whose answer the server stores. @throws QUERY_FAILED when it fails; BROKER_FAILED
   * when the server has no pages
   */
  async store(sql: string): Promise<StoredAnswer> {
    const dialects: readonly Dialect[] =
      this.#dialect === undefined ? ['quire', 'pinot'] : [this.#dialect];
    for (const dialect of dialects) {
      const startMs = this.#now();
      const answer = await this.#query(sql, dialect);
      // A server that does not support the parameter returns all rows, and stores no result.
      const isPaged =
        typeof answer.requestId === 'string' &&
        (dialect === 'pinot' || answer.nextOffsetParams !== undefined);
      if (!isPaged || typeof answer.numRowsResultSet !== 'number') continue;
      return this.#answer(
        dialect,
        String(answer.requestId),
        answer.numRowsResultSet,
        this.#now() - startMs,
      );
    }
    const tried = dialects.map((dialect) => calls[dialect].query).join(' and ');
    throw new QuireError(
      'BROKER_FAILED',
      `${this.url} returned an answer without pages to a query with ${tried}. Give the address of a Quire or Apache Pinot broker.`,
    );
  }

  #answer(dialect: Dialect, id: string, rowCount: number, storeMs: number): StoredAnswer {
    const path = calls[dialect].pages(encodeURIComponent(id));
    return {
      dialect,
      rowCount,
      storeMs,
      read: async ({ offset, rowCount: numRows, format }) => {
        const asked = dialect === 'quire' ? `&format=${format}` : '';
        const response = await this.#fetch(`${path}?offset=${offset}&numRows=${numRows}${asked}`);
        const bytes = await response.arrayBuffer();
        if (!response.ok) throw failedWith(response, this.url, new TextDecoder().decode(bytes));
        return bytes.byteLength;
      },
      delete: async () => {
        const response = await this.#fetch(
          dialect === 'quire' ? `/query/resultStore/${id}` : `/responseStore/${id}`,
          {
            method: 'DELETE',
          },
        );
        await response.arrayBuffer();
      },
    };
  }

  async #query(sql: string, dialect: Dialect): Promise<CursorAnswer> {
    const response = await this.#fetch(`/query/sql?${calls[dialect].query}&numRows=1`, {
      method: 'POST',
      body: JSON.stringify({ sql }),
      headers: { 'content-type': 'application/json' },
    });
    const text = await response.text();
    if (!response.ok) throw failedWith(response, this.url, text);
    const answer = parsed(text, this.url);
    const [exception] = answer.exceptions ?? [];
    if (exception !== undefined) {
      throw new QuireError(
        'QUERY_FAILED',
        `${this.url} answered the query with: ${exception.message ?? text.slice(0, 300)}`,
      );
    }
    return answer;
  }

  async #fetch(path: string, init: RequestInit = {}): Promise<Response> {
    try {
      return await fetch(this.url + path, {
        ...init,
        headers: { ...this.#headers, ...(init.headers as Record<string, string>) },
      });
    } catch (error) {
      const { cause } = error as Error;
      const reason =
        cause instanceof Error
          ? cause.message || (cause as NodeJS.ErrnoException).code
          : (error as Error).message;
      throw new QuireError(
        'BROKER_FAILED',
        `${this.url} cannot be reached: ${reason}. Check the address, and that a server listens there.`,
        { cause: error },
      );
    }
  }
}

function parsed(text: string, url: string): CursorAnswer {
  try {
    return JSON.parse(text) as CursorAnswer;
  } catch (error) {
    throw new QuireError(
      'BROKER_FAILED',
      `${url} answered the query with something other than JSON: ${text.slice(0, 200)}`,
      {
        cause: error,
      },
    );
  }
}

function failedWith({ status }: Response, url: string, text: string): QuireError {
  const hint =
    status === 401 || status === 403
      ? ' Give credentials that it accepts, with --token or --vs-token.'
      : '';
  return new QuireError(
    'BROKER_FAILED',
    `${url} answered with status ${status}: ${text.slice(0, 300)}.${hint}`,
  );
}
