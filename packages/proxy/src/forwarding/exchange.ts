import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { abortError, type Clock, QuireError } from '@quire/core';
import type { ReleaseSlot } from '@quire/core/wait';
import type { Dispatcher } from 'undici';
import type { Broker } from '../brokers/broker.ts';
import { responseHeadersOf } from './end-to-end-headers.ts';
import type { Upload } from './upload.ts';

/** The status and headers of a broker's answer. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** The outcome of a call to a broker. */
export type ExchangeOutcome =
  /** Its answer was forwarded to the caller completely. */
  | { readonly kind: 'answered'; readonly head: AnswerHead }
  /** Its answer was not wanted; nothing was sent to the caller. */
  | { readonly kind: 'declined'; readonly head: AnswerHead }
  /** Nothing of the call was sent: another broker may be called. */
  | { readonly kind: 'unsent'; readonly error: Error }
  /** It may have processed the call; nothing of an answer was sent to the caller. */
  | { readonly kind: 'unanswered'; readonly error: Error }
  /** Its answer ended early, and so did the proxy's. */
  | { readonly kind: 'broken'; readonly error: Error };

export interface ExchangeCall {
  readonly method: string;
  /** The path with its parameters. */
  readonly path: string;
  readonly headers: readonly string[];
  readonly upload: Upload | undefined;
  /** The response to the caller. */
  readonly response: ServerResponse;
  /**
   * Decides by the headers whether an answer is forwarded to the caller, which then receives no
   * other.
   */
  readonly accepts: (head: AnswerHead) => boolean;
  readonly clock: Clock;
  /** The timeout for the headers of the broker's answer. */
  readonly headTimeoutMs: number;
  /** The timeout between two pieces of its answer. */
  readonly stallTimeoutMs: number;
  /** Aborted when the caller no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/**
 * One call to one broker, whose answer is forwarded to the caller chunk by chunk: from one socket
 * to the other, without a stream in between, no faster than the caller reads, and without
 * buffering. It holds one of the broker's slots until it must wait for the caller.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #broker: Broker;
  readonly #call: ExchangeCall;
  readonly #outcome = Promise.withResolvers<ExchangeOutcome>();
  readonly #ended = new AbortController();
  #controller: Dispatcher.DispatchController | undefined;
  #head: AnswerHead | undefined;
  #isAccepted = false;
  #givenUp: Error | undefined;
  #progressMs: number;
  #releaseSlot: ReleaseSlot | undefined;

  constructor(broker: Broker, call: ExchangeCall) {
    this.#broker = broker;
    this.#call = call;
    this.#progressMs = call.clock.monotonicMs();
  }

  /** Makes the call; resolves when it has ended, with any outcome. */
  async run(): Promise<ExchangeOutcome> {
    const { method, path, headers, upload, signal, response } = this.#call;
    const end = this.#broker.beginCall();
    const onAbort = (): void => this.#giveUp(abortError(signal));
    const onDrain = (): void => {
      this.noteProgress();
      this.#controller?.resume();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    response.on('drain', onDrain);
    try {
      const body = upload === undefined ? null : Readable.from(upload, { objectMode: false });
      if (signal.aborted) onAbort();
      else void this.#send({ method, path, headers: [...headers], body });
      void this.#watch();
      return await this.#outcome.promise;
    } finally {
      this.#ended.abort(ended);
      this.#releaseSlot?.();
      response.off('drain', onDrain);
      signal.removeEventListener('abort', onAbort);
      end();
    }
  }

  /** Restarts the timeout for the answer, because bytes of the request body were sent. */
  noteProgress(): void {
    this.#progressMs = this.#call.clock.monotonicMs();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#givenUp !== undefined) controller.abort(this.#givenUp);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return;
    this.noteProgress();
    this.#head = { status, headers };
    this.#assertEndIsKnown(this.#head);
    this.#isAccepted = this.#call.accepts(this.#head);
    if (!this.#isAccepted) return;
    const { response } = this.#call;
    const raw = (controller.rawHeaders as readonly (Buffer | string)[]).map((part) =>
      part.toString('latin1'),
    );
    response.writeHead(
      status,
      responseHeadersOf(raw, textOf(headers.connection), textOf(headers['via'])),
    );
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.noteProgress();
    if (!this.#isAccepted || this.#call.response.destroyed || this.#call.response.write(chunk)) {
      return;
    }
    controller.pause();
    this.#releaseSlot?.();
  }

  onResponseEnd(): void {
    if (this.#head === undefined) return;
    if (this.#isAccepted) this.#call.response.end();
    this.#outcome.resolve({ kind: this.#isAccepted ? 'answered' : 'declined', head: this.#head });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  async #send(options: Dispatcher.DispatchOptions): Promise<void> {
    try {
      const release = await this.#broker.acquireSlot(this.#ended.signal);
      if (this.#ended.signal.aborted) {
        release();
        return;
      }
      this.#releaseSlot = release;
      this.#broker.pool.dispatch(options, this);
    } catch (error) {
      // The call was aborted while it waited, or the pool was closed.
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #giveUp(error: Error): void {
    this.#givenUp = error;
    this.#controller?.abort(error);
    // While it waits for a slot or a connection it has no controller: it is cancelled before it is
    // sent.
    this.#fail(error);
  }

  #fail(error: Error): void {
    if (this.#isAccepted) {
      this.#call.response.destroy(); // a partial answer must not be mistaken for a complete one
      this.#outcome.resolve({ kind: 'broken', error });
    } else if (
      this.#head !== undefined &&
      this.#givenUp === undefined &&
      !(error instanceof UnboundedAnswer)
    ) {
      this.#outcome.resolve({ kind: 'declined', head: this.#head }); // an unwanted answer was not received completely
    } else {
      this.#outcome.resolve({
        kind: this.#controller === undefined ? 'unsent' : 'unanswered',
        error,
      });
    }
  }

  /**
   * Aborts when the broker exceeds a timeout; the time that the caller takes to read does not
   * count.
   */
  async #watch(): Promise<void> {
    const { clock, headTimeoutMs, stallTimeoutMs } = this.#call;
    while (!this.#ended.signal.aborted) {
      const limitMs = this.#head === undefined ? headTimeoutMs : stallTimeoutMs;
      const leftMs = limitMs - (clock.monotonicMs() - this.#progressMs);
      if (leftMs > 0) {
        // The headers may arrive in the meantime, and the shorter timeout begins.
        const sleepMs = Math.min(leftMs, stallTimeoutMs);
        await clock.sleep(sleepMs, this.#ended.signal).catch(() => undefined); // it has ended
      } else if (this.#controller?.paused === true) this.noteProgress();
      else {
        this.#giveUp(
          new QuireError('BROKER_TIMED_OUT', `${this.#broker.label} does not answer in time.`),
        );
        return;
      }
    }
  }

  /**
   * Checks that the end of an answer is declared: one that ends with its connection could be
   * truncated anywhere. An additional transfer coding is not supported either.
   */
  #assertEndIsKnown({ status, headers }: AnswerHead): void {
    const hasNoBody = this.#call.method === 'HEAD' || status === 204 || status === 304;
    const codings = textOf(headers['transfer-encoding']);
    const hasLength =
      codings === undefined
        ? headers['content-length'] !== undefined
        : codings.toLowerCase() === 'chunked';
    if (hasNoBody || hasLength) return;
    throw new UnboundedAnswer('The end of the answer is not declared.');
  }
}

class UnboundedAnswer extends Error {}

/**
 * The reason for the end of a watch; one error for all, because creating a stack trace takes time.
 */
const ended = new QuireError('ABORTED', 'The call has ended.');

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.join(', ');
}
