import { type JsonValue, parseLosslessJson } from '@quire/client';

/** An error response of the server: its message, and its code for programs. */
export class CallError extends Error {
  readonly status: number;
  readonly code: string;
  /** The members of the response besides the message, such as findings about a table. */
  readonly body: JsonValue | undefined;

  constructor(
    message: string,
    options: {
      readonly status: number;
      readonly code: string;
      readonly body?: JsonValue | undefined;
    },
  ) {
    super(message);
    this.status = options.status;
    this.code = options.code;
    this.body = options.body;
  }
}

export interface CallOptions {
  readonly method?: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Calls the console's own origin. */
export type Call = (path: string, options?: CallOptions) => Promise<JsonValue>;

/** Returns the address of a call with its parameters, without undefined ones. */
function addressOf(path: string, query: CallOptions['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}

/**
 * Creates the `fetch` of all calls of the console, with this Authorization. `onRefused` is called
 * when the server does not accept the credentials (any more).
 */
export function createFetch(authorization: string, onRefused: () => void): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', authorization);
    // Otherwise the browser would prompt for a password itself.
    const response = await fetch(input, { ...init, headers, credentials: 'omit' });
    if (response.status === 401) onRefused();
    return response;
  };
}

/** Creates calls whose responses are parsed. */
export function createCall(send: typeof fetch): Call {
  return async (path, { method = 'GET', query, body, signal } = {}) => {
    const response = await send(addressOf(path, query), {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
      ...(signal !== undefined && { signal }),
    }).catch((error: unknown) => {
      if (signal?.aborted === true) throw error;
      throw new CallError('The server does not answer. Is it still running?', {
        status: 0,
        code: 'SERVER_UNREACHABLE',
      });
    });
    const text = await response.text();
    return answerOf(response.status, text, response.headers.get('content-type') ?? '');
  };
}

/** Parses an answer. @throws CallError when it is not a success */
export function answerOf(status: number, text: string, contentType: string): JsonValue {
  const parsed = parseAnswer(text, contentType);
  if (status >= 200 && status < 300) return parsed;
  throw callErrorOf(status, parsed);
}

/**
 * Resolves as a first call with stored credentials; to undefined if the server does not accept
 * them. @throws the error of a call that failed otherwise, as while a server restarts
 */
export async function unlessRefused<Value>(first: Promise<Value>): Promise<Value | undefined> {
  try {
    return await first;
  } catch (error) {
    if (error instanceof CallError && error.status === 401) return undefined;
    throw error;
  }
}

function parseAnswer(text: string, contentType: string): JsonValue {
  if (!contentType.includes('json')) return text;
  try {
    return parseLosslessJson(text);
  } catch {
    return text;
  }
}

function callErrorOf(status: number, body: JsonValue): CallError {
  const members = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
  const { error, reason } = members as { readonly error?: JsonValue; readonly reason?: JsonValue };
  return new CallError(
    typeof error === 'string' ? error : `The server answered with status ${status}.`,
    {
      status,
      code: typeof reason === 'string' ? reason : 'UNEXPECTED_RESPONSE',
      body,
    },
  );
}
