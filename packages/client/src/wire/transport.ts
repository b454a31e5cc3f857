/** One request in the form in which it is sent. */
export interface WireRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData;
}

/**
 * An answer with its headers, whatever its status. Its chunks must be read to the end, or left;
 * aborting the call ends them.
 */
export interface WireAnswer {
  readonly status: number;
  readonly statusText: string;
  /** The final URL after redirects. */
  readonly url: string;
  readonly headers: Pick<Headers, 'get'>;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Sends a request, and resolves once the headers of its answer are received. */
export type Transport = (request: WireRequest, signal: AbortSignal) => Promise<WireAnswer>;

/** Sends with `fetch`, as a browser does. */
export function fetchTransport(send: typeof fetch): Transport {
  return async ({ url, ...request }, signal) => {
    // Otherwise a browser answers 401 with a dialog for its user, and the call waits for them.
    const isAuthorized = request.headers['authorization'] !== undefined;
    const response = await send(url, {
      ...request,
      ...(isAuthorized && { credentials: 'omit' }),
      signal,
    });
    const { status, statusText, headers } = response;
    return { status, statusText, url: response.url, headers, chunks: chunksOf(response.body) };
  };
}

/**
 * Yields the chunks of a body. Not `for await` over the body: streams are not async iterable in
 * every browser.
 */
async function* chunksOf(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    // A reader of a broken stream rejects here with the error that was already thrown above.
    await reader.cancel().catch(() => undefined);
  }
}

/** The common part of undici's Agent and Pool. */
export interface Dispatcher {
  request(options: {
    readonly origin: string;
    readonly path: string;
    readonly method: WireRequest['method'];
    readonly headers: Record<string, string>;
    readonly signal: AbortSignal;
  }): Promise<{
    readonly statusCode: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: AsyncIterable<Uint8Array>;
  }>;
}

/**
 * Sends requests without a body with the connections of a dispatcher, to its own brokers. Redirects
 * are not followed.
 */
export function dispatcherTransport(dispatcher: Dispatcher): Transport {
  return async ({ url, method, headers }, signal) => {
    // Passed literally, because a URL object would normalise it.
    const [, origin = '', path = ''] = /^(https?:\/\/[^/?#]+)(.*)$/.exec(url) ?? [];
    const answer = await dispatcher.request({
      origin,
      path,
      method,
      headers: { ...headers },
      signal,
    });
    const get = (name: string): string | null =>
      answer.headers[name.toLowerCase()]?.toString() ?? null;
    return {
      status: answer.statusCode,
      statusText: '',
      url,
      headers: { get },
      chunks: answer.body,
    };
  };
}
