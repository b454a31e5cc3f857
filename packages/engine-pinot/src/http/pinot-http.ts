import { type AuthorizationProvider, sendAuthorized } from '@quire/auth';
import { type Clock, isQuireError, QuireError } from '@quire/core';
import { traced, type TraceHeaders } from '@quire/core/trace';
import { Readable } from 'node:stream';
import { Agent, type Dispatcher, request } from 'undici';
import { pinotSettings } from '../settings.ts';
import { at, callFailure, hintOf } from './call-failure.ts';

/** The options of calls to a cluster. */
export interface PinotHttpOptions {
  readonly clock: Clock;
  /** Basic or Bearer, for the controller and the brokers alike. */
  readonly authorization: AuthorizationProvider;
  /** Certificates of authorities, in PEM, to trust instead of Node's own. */
  readonly certificateAuthorities?: string | undefined;
  /** The timeout of a connection attempt. */
  readonly connectTimeoutMs: number;
}

export interface PinotCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The URL with scheme, host and query. */
  readonly url: string;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  readonly contentType?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PinotAnswer {
  readonly status: number;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The maximum size of a response, except that of a query. */
const textBytesMax = 64 * 1024 * 1024;

/**
 * HTTP to the controllers and brokers of one cluster. Redirects are not followed: credentials are
 * sent to configured addresses only.
 */
export class PinotHttp implements AsyncDisposable {
  readonly clock: Clock;
  readonly #credentials: AuthorizationProvider;
  readonly #agent: Agent;

  constructor({
    clock,
    authorization,
    certificateAuthorities: ca,
    connectTimeoutMs,
  }: PinotHttpOptions) {
    this.clock = clock;
    this.#credentials = withReadFailures(authorization);
    // The timeout of a query is up to the caller, by the signal.
    this.#agent = new Agent({
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: connectTimeoutMs, ...(ca !== undefined && { ca }) },
    });
  }

  /**
   * Makes a call. When its token is refused, reads the token again and repeats the call once,
   * unless its body can be read only once.
   *
   * @throws ENGINE_UNAVAILABLE when there is no answer, or the credentials are refused
   * @throws ABORTED, or the reason of the signal
   */
  async call(call: PinotCall): Promise<PinotAnswer> {
    const isReadOnce = typeof call.body === 'object' && Symbol.asyncIterator in call.body;
    const answer = isReadOnce
      ? await this.#send(call, await this.#credentials.authorization())
      : await sendAuthorized(
          this.#credentials,
          (authorization) => this.#send(call, authorization),
          { statusOf: ({ statusCode }) => statusCode, discard: ({ body }) => body.dump() },
        );
    if (answer.statusCode === 401 || answer.statusCode === 403) throw await refused(call, answer);
    return { status: answer.statusCode, body: readBody(call, answer.body) };
  }

  /** Makes a call and reads its whole response. @throws as `call` */
  async text(call: PinotCall): Promise<{ readonly status: number; readonly text: string }> {
    const { status, body } = await this.call(call);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > textBytesMax) {
        throw new QuireError(
          'UNEXPECTED_RESPONSE',
          `Apache Pinot answers with more than ${textBytesMax} bytes.`,
          {
            cause: at(call.url, new URL(call.url).pathname),
          },
        );
      }
      chunks.push(chunk);
    }
    return { status, text: Buffer.concat(chunks).toString('utf8') };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  #send(call: PinotCall, authorization: string | undefined): Promise<Dispatcher.ResponseData> {
    const { method, url } = call;
    const { hostname, port, protocol, origin, pathname } = new URL(url);
    const attributes = {
      'db.system.name': 'apache_pinot',
      'http.request.method': method,
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      'url.full': `${origin}${pathname}`,
    };
    return traced(
      method,
      async (span) => {
        const answer = await this.#request(call, authorization, span?.headers);
        span?.set({ 'http.response.status_code': answer.statusCode });
        return answer;
      },
      { kind: 'client', attributes },
    );
  }

  async #request(
    call: PinotCall,
    authorization: string | undefined,
    trace: TraceHeaders | undefined,
  ): Promise<Dispatcher.ResponseData> {
    const { url, method, body, contentType = 'application/json', signal } = call;
    try {
      return await request(url, {
        method,
        dispatcher: this.#agent,
        signal: signal ?? null,
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': contentType }),
          ...(authorization !== undefined && { authorization }),
          ...trace,
        },
        ...(body !== undefined && { body: bodyOf(body) }),
      });
    } catch (error) {
      throw callFailure(call, error);
    }
  }
}

/**
 * Wraps the provider to report in a sentence for callers that its token cannot be read: the file of
 * a token may be deleted while a server runs.
 */
function withReadFailures(provider: AuthorizationProvider): AuthorizationProvider {
  return {
    authorization: async (options) => {
      try {
        return await provider.authorization(options);
      } catch (error) {
        if (!isQuireError(error, 'INVALID_SETTING')) throw error;
        throw new QuireError(
          'ENGINE_UNAVAILABLE',
          'The credentials for Apache Pinot cannot be read.',
          { cause: error, exceptionNumber: accessDenied, adminHint: error.message },
        );
      }
    },
  };
}

/** Apache Pinot's error code for refused credentials. */
export const accessDenied = 180;

function bodyOf(body: NonNullable<PinotCall['body']>): string | Uint8Array | Readable {
  return typeof body === 'string' || body instanceof Uint8Array ? body : Readable.from(body);
}

async function* readBody(
  call: PinotCall,
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw callFailure(call, error);
  }
}

const { authToken, authUrl } = pinotSettings.settings;

async function refused(
  { url }: PinotCall,
  { statusCode, body }: Dispatcher.ResponseData,
): Promise<QuireError> {
  await body.dump();
  const what =
    statusCode === 401
      ? 'rejected the credentials'
      : 'does not permit this call with these credentials';
  return new QuireError('ENGINE_UNAVAILABLE', `Apache Pinot ${what} (HTTP ${statusCode}).`, {
    cause: at(url, `HTTP ${statusCode}`),
    adminHint: hintOf(url, `${authToken.key} and ${authUrl.key}`),
    exceptionNumber: accessDenied,
  });
}
