import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { type Clock, QuireError } from '@quire/core';
import { listenError } from '@quire/core/process';
import { Deadline } from '@quire/core/wait';
import { GrpcCall } from './grpc-call.ts';
import { type GrpcOutcome, okOutcome, outcomeOf } from './grpc-status.ts';

/** The options of a gRPC server: its address, and the limits of clients. */
export interface GrpcServerOptions {
  readonly clock: Clock;
  /** The address to listen on. Port 0 takes any free port. */
  readonly host: string;
  readonly port: number;
  /** The setting of the port, for the message when the address is unavailable. */
  readonly portKey?: string;
  /** Uses TLS with this context; without it, plain HTTP/2. */
  readonly tls?: SecureContextOptions | undefined;
  /** The maximum size of a message of a request. */
  readonly requestBytesMax: number;
  /** The maximum size of the headers of a request. */
  readonly headerBytesMax: number;
  /** The time a client has for each message of its request, and for the handshake of TLS. */
  readonly requestTimeoutMs: number;
  /** The maximum time that a connection may be without calls. */
  readonly idleTimeoutMs: number;
  /**
   * The maximum number of concurrent calls on one connection; clients queue further ones. Default
   * 256.
   */
  readonly connectionCallsMax?: number;
  /** Answers a call; the call ends when this settles. */
  readonly handle: (call: GrpcCall) => Promise<void>;
  /** Returns the outcome of a call that failed. Default: `outcomeOf`. */
  readonly explain?: (error: unknown, call: GrpcCall) => GrpcOutcome;
}

const connectionCallsMaxDefault = 256;
/**
 * The memory that Node allows one connection, in megabytes, including headers and queued writes.
 * The default of 10 is exceeded by a few large messages, and the next calls of the connection fail.
 */
const sessionMegabytesMax = 256;
/**
 * The bytes that a client may send ahead of reads, per stream and for all streams of a connection.
 */
const streamWindowBytes = 256 * 1024;
/** The maximum number of headers, more than any gRPC client sends. */
const headerCountMax = 128;

/**
 * A gRPC server on HTTP/2. It has no services: one function answers all calls. Floods of streams,
 * of resets (CVE-2023-44487), of headers and of invalid frames are limited by Node and the limits
 * here: the offending connection is closed, and others continue. Source:
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
export class GrpcServer implements AsyncDisposable {
  readonly #options: GrpcServerOptions;
  readonly #server: Http2Server | Http2SecureServer;
  readonly #sessions = new Set<ServerHttp2Session>();
  /** The sockets of all connections, including those without a session yet. */
  readonly #sockets = new Set<Socket>();

  constructor(options: GrpcServerOptions) {
    this.#options = options;
    const {
      tls,
      headerBytesMax,
      requestTimeoutMs: handshakeTimeout,
      connectionCallsMax = connectionCallsMaxDefault,
    } = options;
    const http2 = {
      maxSessionMemory: sessionMegabytesMax,
      maxHeaderListPairs: headerCountMax,
      settings: {
        maxConcurrentStreams: connectionCallsMax,
        maxHeaderListSize: headerBytesMax,
        initialWindowSize: streamWindowBytes,
        enablePush: false,
      },
    };
    this.#server =
      tls === undefined
        ? createServer(http2)
        : createSecureServer({ ...http2, ...tls, allowHTTP1: false, handshakeTimeout });
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('session', (session) => this.#watch(session));
    this.#server.on('stream', (stream, headers) => void this.#answer(stream, headers));
    // Node has closed the connection by then.
    this.#server.on('sessionError', () => undefined);
  }

  /** The number of open connections. */
  get connectionCount(): number {
    return this.#sessions.size;
  }

  /** Starts to listen. @throws INVALID_SETTING when the address cannot be listened on */
  async listen(): Promise<AddressInfo> {
    const { host, port, portKey } = this.#options;
    const listening = Promise.withResolvers<void>();
    this.#server.once('error', listening.reject);
    this.#server.listen({ host, port }, listening.resolve);
    try {
      await listening.promise;
    } catch (error) {
      throw listenError(error, { host, port, ...(portKey !== undefined && { portKey }) });
    }
    this.#server.off('error', listening.reject);
    return this.#server.address() as AddressInfo;
  }

  /** Uses another certificate for new connections. */
  replaceContext(context: SecureContextOptions): void {
    if ('setSecureContext' in this.#server) this.#server.setSecureContext(context);
  }

  /** Stops listening, and closes all connections, including those with running calls. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await Promise.all([...this.#sessions].map(destroyed));
    // Connections whose handshake of TLS has not ended have no session.
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Closes a connection that has had no calls for too long, even if it never spoke HTTP/2. */
  #watch(session: ServerHttp2Session): void {
    const { clock, idleTimeoutMs } = this.#options;
    this.#sessions.add(session);
    const idle = new Deadline({
      clock,
      error: () => new QuireError('REQUEST_TIMED_OUT', 'The connection had no calls.'),
    });
    let callCount = 0;
    idle.start(idleTimeoutMs);
    session.on('stream', (stream) => {
      callCount += 1;
      idle.stop();
      stream.once('close', () => {
        callCount -= 1;
        if (callCount === 0) idle.start(idleTimeoutMs);
      });
    });
    idle.signal.addEventListener('abort', () => closeIdle(session), { once: true });
    session.once('close', () => {
      idle[Symbol.dispose]();
      this.#sessions.delete(session);
    });
  }

  async #answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const { handle, explain = (error: unknown) => outcomeOf(error) } = this.#options;
    using call = new GrpcCall(stream, headers, this.#options);
    try {
      if (!isGrpc(headers)) {
        refuseOther(stream);
        return;
      }
      call.startDeadline();
      await handle(call);
      call.finish(okOutcome);
    } catch (error) {
      call.finish(explain(error, call));
    }
  }
}

function destroyed(session: ServerHttp2Session): Promise<void> {
  return new Promise((resolve) => {
    session.once('close', resolve);
    session.destroy();
  });
}

function closeIdle(session: ServerHttp2Session): void {
  // Sends GOAWAY, then closes: a client that does not respond, or never used HTTP/2, cannot keep
  // the connection open.
  session.close();
  setImmediate(() => session.destroy());
}

function isGrpc(headers: IncomingHttpHeaders): boolean {
  return (
    headers[':method'] === 'POST' &&
    /^application\/grpc(?:\+proto)?(?:;|$)/.test(headers['content-type'] ?? '')
  );
}

function refuseOther(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 415, 'content-type': 'text/plain; charset=utf-8' });
  stream.end(
    'This port serves Arrow Flight SQL over gRPC; expected content-type application/grpc.\n',
  );
}
