import { expirationHeader, pageHeaders } from '@quire/api';
import { isQuireError, isRequestId, QuireError } from '@quire/core';
import { type Span, startSpan } from '@quire/core/trace';
import { callContextOf } from '@quire/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Broker } from '../brokers/broker.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { requestHeadersOf, withTrace } from './end-to-end-headers.ts';
import { type AnswerHead, Exchange, type ExchangeOutcome } from './exchange.ts';
import { requestPathOf } from './request-path.ts';
import { Upload } from './upload.ts';

export interface ForwardOptions {
  /** The timeout for the headers of the broker's answer. */
  readonly headTimeoutMs: number;
}

/** One call of a client that is forwarded to brokers, one after the other, until one answers it. */
export class ForwardedCall {
  readonly #context: ProxyContext;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #options: ForwardOptions;
  readonly #path: string;
  readonly #headers: readonly string[];
  readonly #upload: Upload | undefined;
  #exchange: Exchange | undefined;

  /**
   * Creates the call.
   *
   * @throws INVALID_PARAMETER when the target is not a path, BODY_TOO_LARGE when the declared body
   *   is too large
   */
  constructor(
    context: ProxyContext,
    request: FastifyRequest,
    reply: FastifyReply,
    options: ForwardOptions,
  ) {
    const { raw } = request;
    this.#path = requestPathOf(request);
    this.#context = context;
    this.#request = request;
    this.#reply = reply;
    this.#options = options;
    this.#headers = requestHeadersOf(raw, request.id);
    const upload = new Upload(raw, context.options.bodyBytesMax, () =>
      this.#exchange?.noteProgress(),
    );
    // Only calls that have a body in the API forward one.
    const hasUpload = (request.method === 'POST' || request.method === 'PATCH') && !upload.isEmpty;
    this.#upload = hasUpload ? upload : undefined;
  }

  /**
   * True if it can be sent to another broker after one that may have processed it: reading changes
   * nothing.
   */
  get isSafe(): boolean {
    return this.#request.method === 'GET' || this.#request.method === 'HEAD';
  }

  /** True if no part of its body has been consumed. */
  get isWhole(): boolean {
    return this.#upload?.isStarted !== true;
  }

  /** Returns the first bytes of its body; empty without one. They are still sent. */
  async peekBody(): Promise<Buffer> {
    return (await this.#upload?.peek()) ?? Buffer.alloc(0);
  }

  /** Drops the rest of its body, once no broker is called any more. */
  dropBody(): void {
    this.#upload?.drop();
  }

  /**
   * Forwards the call to a broker. The answer is forwarded to the client if `accepts` returns true
   * for its headers, which is the default.
   */
  async forwardTo(
    broker: Broker,
    accepts: (head: AnswerHead) => boolean = () => true,
  ): Promise<ExchangeOutcome> {
    const { clock, options, metrics } = this.#context;
    const { call } = callContextOf(this.#request);
    const startMs = clock.monotonicMs();
    const { contentLength } = this.#upload ?? {};
    const { method } = this.#request;
    const { host, port, origin } = broker.address;
    const span = startSpan(method, {
      kind: 'client',
      attributes: {
        'http.request.method': method,
        'server.address': host,
        'server.port': port,
        'url.full': `${origin}${this.#path.split('?', 1)[0]}`,
      },
    });
    const headers = withTrace(this.#headers, span?.headers);
    this.#exchange = new Exchange(broker, {
      method,
      path: this.#path,
      headers:
        contentLength === undefined
          ? headers
          : [...headers, 'content-length', String(contentLength)],
      upload: this.#upload,
      response: this.#reply.raw,
      accepts: (head) => {
        if (!accepts(head)) return false;
        this.#take(broker, head);
        return true;
      },
      clock,
      headTimeoutMs: this.#options.headTimeoutMs,
      stallTimeoutMs: options.timeouts.answerMs,
      signal: call.signal,
    });
    const outcome = await this.#exchange.run();
    if (span !== undefined) endSpan(span, outcome);
    if (this.#upload?.isStarted === true) this.#upload.drop();
    metrics.observeBrokerCall(broker.label, outcomeLabel(outcome), clock.monotonicMs() - startMs);
    this.#recordOutcome(broker, outcome);
    return outcome;
  }

  /** Forwards the answer; from here on, nothing else writes to the client. */
  #take(broker: Broker, { headers }: AnswerHead): void {
    this.#reply.hijack();
    callContextOf(this.#request).notes = {
      broker: broker.label,
      brokerRequestId: headers['x-request-id'],
    };
    // The result stored under this id exists, has expired, or is being stored: later calls for it
    // are sent to this broker.
    const requestId = headers['x-request-id'];
    const isThere =
      headers[expirationHeader] !== undefined || headers[pageHeaders.state] !== undefined;
    if (this.#request.method !== 'POST' || !isThere) return;
    if (typeof requestId === 'string' && isRequestId(requestId)) {
      this.#context.routes.set(requestId, broker);
    }
  }

  #recordOutcome(broker: Broker, outcome: ExchangeOutcome): void {
    const { watch } = this.#context;
    if (outcome.kind === 'answered' || outcome.kind === 'declined') {
      broker.recordAnswer();
      if (outcome.head.status === 503) watch.checkSoon(); // it may be about to be removed
      return;
    }
    const context = callContextOf(this.#request);
    if (outcome.kind === 'broken') context.failure = errorOf(broker, outcome);
    if (!context.call.signal.aborted && !isOurs(outcome.error)) {
      watch.recordFailure(broker, outcome.error.message);
    }
  }
}

/** Ends the span of a call to a broker. */
function endSpan(span: Span, outcome: ExchangeOutcome): void {
  const status = 'head' in outcome ? outcome.head.status : undefined;
  span.set({ 'http.response.status_code': status });
  const isFailed = status !== undefined && status >= 400;
  span.end('error' in outcome ? outcome.error : isFailed ? String(status) : undefined);
}

/** Reports whether an error is caused by the caller or the proxy, and not by the broker. */
function isOurs(error: Error): boolean {
  return isQuireError(error) && error.code !== 'BROKER_TIMED_OUT';
}

/** Returns the error for the caller of a broker that did not answer. */
export function errorOf(
  broker: Broker,
  outcome: ExchangeOutcome & { readonly error: Error },
): QuireError {
  const { error: cause, kind } = outcome;
  if (isQuireError(cause)) return cause;
  if (kind === 'unsent') {
    return new QuireError('BROKER_UNAVAILABLE', `${broker.label} cannot be reached; retry.`, {
      cause,
    });
  }
  return new QuireError('BROKER_FAILED', `${broker.label} did not send a complete answer.`, {
    cause,
  });
}

function outcomeLabel(outcome: ExchangeOutcome): string {
  if (outcome.kind === 'answered' || outcome.kind === 'declined') {
    return `${Math.floor(outcome.head.status / 100)}xx`;
  }
  if (isQuireError(outcome.error)) {
    return outcome.error.code === 'BROKER_TIMED_OUT' ? 'timed out' : 'aborted';
  }
  return outcome.kind;
}
