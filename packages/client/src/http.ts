import { abortError, QuireError } from '@quire/core';
import { readServerError } from './server-error.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base URL's own path; starts with a slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Sends requests to one server with one Authorization header, and turns every failure into a QuireError. */
export class HttpSender {
  readonly #baseUrl: URL;
  readonly #authorization: string | undefined;
  readonly #fetch: typeof fetch;

  /** @throws INVALID_PARAMETER when the base URL is no http or https URL, or the Authorization cannot be a header */
  constructor(baseUrl: string | URL, authorization: string | undefined, fetchFunction: typeof fetch) {
    this.#baseUrl = parseBaseUrl(baseUrl);
    // Checked here, because fetch would repeat it in its message.
    if (authorization !== undefined && !/^[\t\x20-\x7e\x80-\xff]*$/.test(authorization)) {
      throw new QuireError(
        'INVALID_PARAMETER',
        'The Authorization has characters that no header can have, such as a line break.',
      );
    }
    this.#authorization = authorization;
    this.#fetch = fetchFunction;
  }

  /**
   * Resolves to a response with a 2xx status.
   *
   * @throws the server's own error code when it answers with any other status
   * @throws SERVER_UNREACHABLE when no answer comes; ABORTED when the signal is aborted
   */
  async send(request: HttpRequest): Promise<Response> {
    const url = this.#urlOf(request);
    const response = await this.#translate(url, request.signal, () =>
      this.#fetch(url, {
        method: request.method,
        headers: {
          ...(this.#authorization !== undefined && { authorization: this.#authorization }),
          ...(request.body !== undefined && { 'content-type': 'application/json' }),
          ...request.headers,
        },
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        ...(request.signal !== undefined && { signal: request.signal }),
      }),
    );
    if (response.ok) return response;
    throw await this.#translate(url, request.signal, () => readServerError(response));
  }

  /** The whole body of the response to a request, as text. @throws as `send` */
  async sendForText(request: HttpRequest): Promise<string> {
    const response = await this.send(request);
    return this.#translate(this.#urlOf(request), request.signal, () => response.text());
  }

  /** The body of the response to a request as it comes; leaving the loop early ends the transfer. @throws as `send` */
  async *sendForBytes(request: HttpRequest): AsyncGenerator<Uint8Array, void, undefined> {
    const response = await this.send(request);
    // Not `for await`: streams are not async iterable in every browser.
    const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
    if (reader === undefined) return;
    const url = this.#urlOf(request);
    try {
      while (true) {
        const { done, value } = await this.#translate(url, request.signal, () => reader.read());
        if (done) return;
        yield value;
      }
    } finally {
      // A reader of a broken stream rejects here with the error that was thrown above already.
      await reader.cancel().catch(() => undefined);
    }
  }

  #urlOf(request: HttpRequest): URL {
    const url = new URL(this.#baseUrl);
    url.pathname = url.pathname.replace(/\/$/, '') + request.path;
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url;
  }

  async #translate<Value>(url: URL, signal: AbortSignal | undefined, action: () => Promise<Value>): Promise<Value> {
    try {
      return await action();
    } catch (error) {
      if (signal?.aborted === true) throw abortError(signal);
      if (error instanceof QuireError) throw error;
      throw new QuireError('SERVER_UNREACHABLE', `No answer from ${url.origin}: ${reasonOf(error)}.`, { cause: error });
    }
  }
}

function parseBaseUrl(baseUrl: string | URL): URL {
  const url = URL.parse(String(baseUrl));
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `'${String(baseUrl)}' is not a server's address; expected for example http://127.0.0.1:8099.`,
    );
  }
  return url;
}

/** What stands behind fetch's "fetch failed": the connection's own message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message;
  if (cause instanceof Error && cause.message !== '') return cause.message;
  return error.message;
}
