import { type Clock, QuireError } from '@quire/core/portable';
import type { AuthorizationSource } from './authorization.ts';
import { concatenate } from './concatenate.ts';
import { encodeJson } from './encode-json.ts';
import { ExchangeGuard } from './exchange-guard.ts';
import { type RetryPolicy, retryReads } from './retry-reads.ts';
import { parseRetryAfterMs, serverErrorOf } from './server-error.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base URL's own path; starts with a slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a form. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** How long the answer may take to begin, in milliseconds. Absent: as long as the sender's options say. */
  readonly headersTimeoutMs?: number | undefined;
}

/** An answer with a 2xx status, read to its end. */
export interface HttpAnswer {
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface HttpSenderOptions {
  readonly baseUrl: string | URL;
  readonly authorization: AuthorizationSource;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly retryPolicy: RetryPolicy;
  readonly headersTimeoutMs: number;
  /** How long the next piece of a body may take, in milliseconds. */
  readonly idleTimeoutMs: number;
}

/**
 * Sends requests to one server, and turns every failure into a QuireError. A GET is tried again when it failed for a reason that
 * may pass, also when its body was cut short; nothing else ever is. No request waits for ever.
 *
 * @throws the server's own error code when it answers with another status than 2xx
 * @throws SERVER_UNREACHABLE when no answer comes, or not all of it, or not in time; the signal's reason when it is aborted
 */
export class HttpSender {
  readonly #baseUrl: URL;
  readonly #options: HttpSenderOptions;

  /** @throws INVALID_PARAMETER when the base URL is not an http or https URL */
  constructor(options: HttpSenderOptions) {
    this.#baseUrl = parseBaseUrl(options.baseUrl);
    this.#options = options;
  }

  /** Sends a request and reads the whole answer. */
  send(request: HttpRequest): Promise<HttpAnswer> {
    return this.#repeatedly(request, async () => {
      const guard = this.#guard(request);
      try {
        const response = await this.#exchange(request, guard);
        return { headers: response.headers, bytes: await this.#readAll(response, guard) };
      } catch (error) {
        throw guard.explain(error);
      } finally {
        guard.end();
      }
    });
  }

  /**
   * Sends a request and gives the body of its answer as it comes; leaving the loop early ends the transfer. Once a byte has been
   * given, nothing is tried again.
   */
  async *stream(request: HttpRequest): AsyncGenerator<Uint8Array, void, undefined> {
    const { guard, response } = await this.#repeatedly(request, async () => {
      const opened = this.#guard(request);
      try {
        return { guard: opened, response: await this.#exchange(request, opened) };
      } catch (error) {
        opened.end();
        throw opened.explain(error);
      }
    });
    try {
      yield* this.#chunks(response, guard);
    } catch (error) {
      throw guard.explain(error);
    } finally {
      guard.end();
    }
  }

  #repeatedly<Value>(request: HttpRequest, attempt: () => Promise<Value>): Promise<Value> {
    return request.method === 'GET' ? retryReads(this.#options.retryPolicy, attempt, request.signal) : attempt();
  }

  #guard(request: HttpRequest): ExchangeGuard {
    return new ExchangeGuard(this.#options.clock, this.#baseUrl.origin, request.signal);
  }

  async #exchange(request: HttpRequest, guard: ExchangeGuard): Promise<Response> {
    const headersTimeoutMs = request.headersTimeoutMs ?? this.#options.headersTimeoutMs;
    const authorization = await guard.expect(headersTimeoutMs, this.#options.authorization());
    const url = this.#urlOf(request);
    const answer = this.#options.fetch(url, {
      method: request.method,
      headers: {
        ...(authorization !== undefined && { authorization }),
        // A form's type names its boundary, which `fetch` chooses.
        ...(request.body !== undefined && !(request.body instanceof FormData) && { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(request.body !== undefined && { body: request.body instanceof FormData ? request.body : encodeJson(request.body) }),
      // Or a browser answers 401 with a dialog for its user, and the call waits for them.
      ...(authorization !== undefined && { credentials: 'omit' }),
      signal: guard.signal,
    });
    const response = await guard.expect(headersTimeoutMs, answer);
    if (response.ok) return response;
    const { status, statusText, headers } = response;
    const body = new TextDecoder().decode(await this.#readAll(response, guard));
    const retryAfterMs = parseRetryAfterMs(headers.get('retry-after'), this.#options.clock.nowMs());
    throw serverErrorOf({ url: response.url, status, statusText, body, retryAfterMs });
  }

  async #readAll(response: Response, guard: ExchangeGuard): Promise<Uint8Array<ArrayBuffer>> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#chunks(response, guard)) chunks.push(chunk);
    return concatenate(chunks);
  }

  async *#chunks(response: Response, guard: ExchangeGuard): AsyncGenerator<Uint8Array, void, undefined> {
    // Not `for await` over the body: streams are not async iterable in every browser.
    const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
    if (reader === undefined) return;
    try {
      while (true) {
        const { done, value } = await guard.expect(this.#options.idleTimeoutMs, reader.read());
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
