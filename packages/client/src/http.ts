import { type Clock, QuireError, writeExactJson } from '@quire/core/portable';
import type { AuthorizationSource } from './authorization.ts';
import { QuireClientError } from './client-error.ts';
import { type RetryPolicy, retryReads } from './retry-reads.ts';
import { parseRetryAfterMs, serverErrorOf } from './server-error.ts';
import { Exchange, type ExchangeErrors, readWhole } from './wire/exchange.ts';
import {
  fetchTransport,
  type Transport,
  type WireAnswer,
  type WireRequest,
} from './wire/transport.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below the base URL's own path; starts with a slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a form. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** The timeout for the start of the response, in milliseconds. Absent: the sender's own. */
  readonly headersTimeoutMs?: number | undefined;
}

/** A response with a 2xx status, read to its end. */
export interface HttpAnswer {
  readonly headers: Pick<Headers, 'get'>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface HttpSenderOptions {
  readonly baseUrl: string | URL;
  readonly authorization: AuthorizationSource;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly retryPolicy: RetryPolicy;
  readonly headersTimeoutMs: number;
  /** The timeout between two pieces of a body, in milliseconds. */
  readonly idleTimeoutMs: number;
}

/**
 * Sends requests to one server, and converts every failure into a QuireError. A GET is retried if
 * it failed for a temporary reason, even if its body was cut short; other requests are never
 * retried. No request waits forever.
 *
 * @throws the server's own error code when it answers with another status than 2xx
 * @throws SERVER_UNREACHABLE when no complete response is received in time; the signal's reason
 *   when it is aborted
 */
export class HttpSender {
  readonly #baseUrl: URL;
  readonly #transport: Transport;
  readonly #errors: ExchangeErrors;
  readonly #options: HttpSenderOptions;

  /**
   * Creates a sender.
   *
   * @throws INVALID_PARAMETER when the base URL is not an http or https URL
   */
  constructor(options: HttpSenderOptions) {
    this.#baseUrl = parseBaseUrl(options.baseUrl);
    this.#transport = fetchTransport(options.fetch);
    this.#errors = errorsOf(this.#baseUrl.origin);
    this.#options = options;
  }

  /**
   * Sends a request and reads the whole response. A response that `isWhole` rejects counts as cut
   * short.
   */
  send(
    request: HttpRequest,
    isWhole: (answer: HttpAnswer) => boolean = () => true,
  ): Promise<HttpAnswer> {
    return this.#repeatedly(request, async () => {
      const { headers, chunks } = await this.#open(request);
      const answer = { headers, bytes: await readWhole(chunks) };
      if (isWhole(answer)) return answer;
      throw this.#errors.failed(new Error('the body ended early'));
    });
  }

  /**
   * Sends a request and yields the body of its response as it is received; leaving the loop early
   * ends the transfer. Nothing is retried once a byte has been yielded.
   */
  async *stream(request: HttpRequest): AsyncGenerator<Uint8Array, void, undefined> {
    const { status, chunks } = await this.#repeatedly(request, () => this.#open(request));
    if (request.headers?.['range'] === undefined || status === 206) {
      yield* chunks;
      return;
    }
    for await (const _ of chunks) break; // closes the connection
    throw new QuireClientError(
      'UNEXPECTED_RESPONSE',
      `A range of a page was requested; the server answered ${status} with the whole page instead of 206.`,
    );
  }

  #repeatedly<Value>(request: HttpRequest, attempt: () => Promise<Value>): Promise<Value> {
    return request.method === 'GET'
      ? retryReads(this.#options.retryPolicy, attempt, request.signal)
      : attempt();
  }

  /** Returns a response with a 2xx status and unread body. */
  async #open(request: HttpRequest): Promise<WireAnswer> {
    const { clock, idleTimeoutMs } = this.#options;
    const exchange = new Exchange({
      transport: this.#transport,
      clock,
      errors: this.#errors,
      headersTimeoutMs: request.headersTimeoutMs ?? this.#options.headersTimeoutMs,
      idleTimeoutMs,
      signal: request.signal,
    });
    const answer = await exchange.open(async () =>
      this.#wireRequestOf(request, await this.#options.authorization()),
    );
    const { url, status, statusText, headers, chunks } = answer;
    if (status >= 200 && status < 300) return answer;
    const body = new TextDecoder().decode(await readWhole(chunks));
    throw serverErrorOf({
      url,
      status,
      statusText,
      body,
      retryAfterMs: parseRetryAfterMs(headers.get('retry-after'), clock.nowMs()),
    });
  }

  #wireRequestOf(
    { method, path, query = {}, headers, body }: HttpRequest,
    authorization: string | undefined,
  ): WireRequest {
    // The content type of a form includes its boundary, which `fetch` chooses.
    const isJson = body !== undefined && !(body instanceof FormData);
    return {
      method,
      url: this.#urlOf(path, query),
      headers: {
        ...(authorization !== undefined && { authorization }),
        ...(isJson && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : writeExactJson(body) }),
    };
  }

  #urlOf(path: string, query: NonNullable<HttpRequest['query']>): string {
    const url = new URL(this.#baseUrl);
    url.pathname = url.pathname.replace(/\/$/, '') + path;
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url.href;
  }
}

function errorsOf(origin: string): ExchangeErrors {
  return {
    silent: (timeoutMs) =>
      new QuireClientError(
        'SERVER_UNREACHABLE',
        `${origin} has sent nothing for ${timeoutMs / 1000} s.`,
      ),
    failed: (cause) =>
      new QuireClientError('SERVER_UNREACHABLE', `No answer from ${origin}: ${reasonOf(cause)}.`, {
        cause,
      }),
  };
}

/** Returns the connection's own message behind fetch's "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) {
    return cause.errors[0].message;
  }
  if (cause instanceof Error && cause.message !== '') return cause.message;
  return error.message;
}

function parseBaseUrl(baseUrl: string | URL): URL {
  const url = URL.parse(String(baseUrl));
  // Messages must not repeat a password.
  const shown = String(baseUrl).replace(/\/\/.*@/, '//');
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `'${shown}' is not a server's address; expected for example http://127.0.0.1:8099.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new QuireError(
      'INVALID_PARAMETER',
      `The address ${shown} contains credentials; give them separately, as a token or as a user and a password.`,
    );
  }
  return url;
}
