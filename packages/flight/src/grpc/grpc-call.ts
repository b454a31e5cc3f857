import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { type Clock, isQuireError, QuireError, throwIfAborted } from '@quire/core';
import { Deadline, unlessAborted, withDeadline } from '@quire/core/wait';
import { encodeStatusMessage, type GrpcOutcome } from './grpc-status.ts';
import { parseGrpcTimeoutMs } from './grpc-timeout.ts';
import { frameMessage, readFrames } from './message-frames.ts';

/**
 * The size of the pieces in which larger bodies are written, so that a client that reads slowly
 * still shows progress.
 */
const pieceBytesMax = 1024 * 1024;

export interface GrpcCallOptions {
  readonly clock: Clock;
  /** The maximum size of a message of a request. */
  readonly requestBytesMax: number;
  /** The timeout of each message of a request. */
  readonly requestTimeoutMs: number;
}

/** One gRPC call, from its headers to its status. */
export class GrpcCall implements Disposable {
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string;
  /** Resolves when the call's stream has closed: to true if the response was sent completely. */
  readonly closed: Promise<boolean>;
  readonly #stream: ServerHttp2Stream;
  readonly #options: GrpcCallOptions;
  readonly #gone = new AbortController();
  readonly #deadline: Deadline;
  readonly #responseHeaders: Record<string, string> = {};
  #trailers: Record<string, string> | undefined;
  #frames: AsyncGenerator<Uint8Array> | undefined;
  #timeoutMs = Infinity;
  #isFinished = false;
  #takenBytes = 0;
  #waitingBytes = 0;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, options: GrpcCallOptions) {
    this.#stream = stream;
    this.headers = headers;
    this.#options = options;
    this.remoteAddress = stream.session?.socket.remoteAddress ?? '';
    this.closed = new Promise((resolve) => {
      stream.once('close', () => {
        if (!this.#isFinished) {
          this.abort('The client ended the call before its response was complete.');
        }
        resolve(this.#isFinished && stream.rstCode === constants.NGHTTP2_NO_ERROR);
      });
    });
    // An error on a stream closes it, which settles `closed`.
    stream.on('error', () => undefined);
    this.#deadline = new Deadline({
      clock: options.clock,
      signal: this.#gone.signal,
      error: (timeoutMs) =>
        new QuireError('REQUEST_TIMED_OUT', `The call exceeded its deadline of ${timeoutMs} ms.`),
    });
  }

  /**
   * Starts the deadline that the client has set.
   *
   * @throws INVALID_PARAMETER when it cannot be parsed
   */
  startDeadline(): void {
    const header = this.headers['grpc-timeout'];
    this.#timeoutMs = parseGrpcTimeoutMs(Array.isArray(header) ? header.join() : header);
    if (this.#timeoutMs !== Infinity) this.#deadline.start(this.#timeoutMs);
  }

  /** The timeout that the client has set; Infinity without one. */
  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  /** Aborted when the client has disconnected, when its deadline has passed, or by `abort`. */
  get signal(): AbortSignal {
    return this.#deadline.signal;
  }

  /** The path of the method: `/package.Service/Method`. */
  get path(): string {
    return this.headers[':path'] ?? '';
  }

  /** The bytes of the response that the client's flow control has accepted so far. */
  get takenBytes(): number {
    return this.#takenBytes;
  }

  /** The bytes of the response that wait for the client. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Sets a header of the response, which is sent with its first message. */
  setHeader(name: string, value: string): void {
    this.#responseHeaders[name] = value;
  }

  /**
   * Reads the messages of the request.
   *
   * @throws REQUEST_TIMED_OUT when the client takes too long for one
   * @throws ABORTED, BODY_TOO_LARGE, UNSUPPORTED, INVALID_BODY as `readFrames`
   */
  async *messages(): AsyncGenerator<Uint8Array> {
    const { clock, requestBytesMax, requestTimeoutMs } = this.#options;
    const frames = readFrames(this.#chunks(), requestBytesMax);
    this.#frames = frames;
    const limit = {
      clock,
      timeoutMs: requestTimeoutMs,
      signal: this.signal,
      error: () =>
        new QuireError(
          'REQUEST_TIMED_OUT',
          `The client sent no complete message within ${requestTimeoutMs} ms.`,
        ),
    };
    for (;;) {
      const next = await withDeadline(limit, (signal) => unlessAborted(frames.next(), signal));
      if (next.done === true) return;
      yield next.value;
    }
  }

  /**
   * Reads the only message of the request. @throws INVALID_BODY when there is none; as `messages`
   */
  async message(): Promise<Uint8Array> {
    for await (const message of this.messages()) return message;
    throw new QuireError('INVALID_BODY', 'The request has no message.');
  }

  /**
   * Sends a message; resolves when the client's flow control has accepted it, after which the
   * caller may reuse `body`.
   *
   * @throws ABORTED when the client has disconnected, or its deadline has passed
   */
  async send(head: Uint8Array, body: Uint8Array = new Uint8Array(0)): Promise<void> {
    throwIfAborted(this.signal);
    if (!this.#stream.headersSent) {
      this.#stream.respond(
        { ':status': 200, 'content-type': 'application/grpc', ...this.#responseHeaders },
        { waitForTrailers: true },
      );
      this.#stream.once('wantTrailers', () => {
        this.#stream.sendTrailers(this.#trailers ?? {});
        this.#endRequest();
      });
    }
    this.#stream.cork();
    let last = this.#write(frameMessage(head, body.length));
    for (let start = 0; start < body.length; start += pieceBytesMax) {
      last = this.#write(body.subarray(start, start + pieceBytesMax));
    }
    this.#stream.uncork();
    await unlessAborted(last, this.signal);
  }

  /** Ends the call with a status. */
  finish({ status, message, trailers }: GrpcOutcome): void {
    this.#deadline[Symbol.dispose]();
    const stream = this.#stream;
    if (this.#isFinished || stream.destroyed || stream.closed) return;
    this.#isFinished = true;
    this.#trailers = {
      'grpc-status': String(status),
      ...(message !== '' && { 'grpc-message': encodeStatusMessage(message) }),
      ...trailers,
    };
    if (stream.headersSent) stream.end();
    else {
      stream.respond(
        {
          ':status': 200,
          'content-type': 'application/grpc',
          ...this.#responseHeaders,
          ...this.#trailers,
        },
        { endStream: true },
      );
      this.#endRequest();
    }
  }

  /** Ends the call as if its client had disconnected. */
  abort(reason: string | QuireError): void {
    this.#gone.abort(typeof reason === 'string' ? new QuireError('ABORTED', reason) : reason);
  }

  /** Closes the stream without a status, because the client reads nothing from it. */
  destroy(): void {
    this.#stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  [Symbol.dispose](): void {
    this.#deadline[Symbol.dispose]();
  }

  /**
   * Drops the rest of the request; a client that is still sending is asked to stop. The reader of
   * the request releases the stream first: a stream with unread bytes never closes, and counts
   * among the calls of its connection forever.
   */
  #endRequest(): void {
    const stream = this.#stream;
    // The outcome of a dropped request does not matter.
    this.#frames?.return(undefined).catch(() => undefined);
    setImmediate(() => {
      stream.resume();
      if (!stream.destroyed && stream.state.remoteClose !== 1) {
        stream.close(constants.NGHTTP2_NO_ERROR);
      }
    });
  }

  async *#chunks(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
    } catch (cause) {
      if (isQuireError(cause)) throw cause;
      throw new QuireError(
        'ABORTED',
        'The client ended the call before its request was complete.',
        { cause },
      );
    }
  }

  #write(piece: Uint8Array): Promise<void> {
    this.#waitingBytes += piece.length;
    return new Promise((resolve) => {
      // A write that fails ends the stream, and so the call.
      this.#stream.write(piece, () => {
        this.#waitingBytes -= piece.length;
        this.#takenBytes += piece.length;
        resolve();
      });
    });
  }
}
