import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  request as sendRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@quire/core';

/** One request as received by the proxy. */
export interface ProxiedRequest {
  readonly method: string;
  /** Path and parameters. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** The faulty handling of a request. */
export type Fault =
  /** The proxy answers itself. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
    }
  /**
   * The connection is reset before any answer; with `afterBytes`, after that many bytes of the
   * answer's body.
   */
  | { readonly kind: 'reset'; readonly afterBytes?: number }
  /**
   * The server receives the request and acts on it; the connection is reset instead of an answer.
   */
  | { readonly kind: 'lose answer' }
  /** No answer ever arrives; with `afterBytes`, its headers and that many bytes of its body do. */
  | { readonly kind: 'stall'; readonly afterBytes?: number }
  /** The server receives the request that much later. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** The server's answer has other headers or another status. */
  | {
      readonly kind: 'alter';
      readonly status?: number;
      readonly headers: Readonly<Record<string, string>>;
    };

/**
 * A server in front of a real one, which passes everything on unchanged, counts it, and misbehaves
 * on request.
 */
export class FaultProxy implements AsyncDisposable {
  /** Every request so far. */
  readonly requests: ProxiedRequest[] = [];
  /** Decides about each request; undefined passes it on. */
  intercept: (request: ProxiedRequest) => Fault | undefined = () => undefined;
  readonly #server: Server;
  /** The port of the server behind it, which changes when the server is restarted. */
  targetPort: number;

  private constructor(server: Server, targetPort: number) {
    this.#server = server;
    this.targetPort = targetPort;
  }

  static async start(targetPort: number): Promise<FaultProxy> {
    // It does not close idle connections by itself: a machine that is busy for five seconds would
    // be a fault that no test requested.
    const server = createServer({ keepAliveTimeout: 0 });
    const proxy = new FaultProxy(server, targetPort);
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      proxy.#serve(request, response),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const seen = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers as ProxiedRequest['headers'],
    };
    this.requests.push(seen);
    const fault = this.intercept(seen);
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    if (fault?.kind === 'answer') {
      request.resume();
      const body = Buffer.from(fault.body ?? '');
      response
        .writeHead(fault.status, { 'Content-Length': body.byteLength, ...fault.headers })
        .end(body);
    } else if (fault?.kind === 'reset' && fault.afterBytes === undefined) {
      request.socket.resetAndDestroy();
    } else if (fault?.kind === 'stall' && fault.afterBytes === undefined) {
      request.resume();
    } else if (fault?.kind === 'delay') {
      void systemClock.sleep(fault.delayMs).then(() => this.#passOn(request, response, undefined));
    } else {
      this.#passOn(request, response, fault);
    }
  }

  #passOn(request: IncomingMessage, response: ServerResponse, fault: Fault | undefined): void {
    const { method, url: path, headers } = request;
    // The Host header stays as the client signed it.
    const outgoing = sendRequest({
      host: '127.0.0.1',
      port: this.targetPort,
      method,
      path,
      headers,
    });
    outgoing.on('error', () => request.socket.resetAndDestroy());
    // A client that aborts in the middle of its request aborts at the server as well.
    request.on('aborted', () => outgoing.destroy());
    response.on('close', () => outgoing.destroy());
    request.pipe(outgoing);
    outgoing.on('response', (incoming) => {
      incoming.on('error', () => request.socket.resetAndDestroy());
      if (fault?.kind === 'lose answer') {
        request.socket.resetAndDestroy();
        return;
      }
      const altered = fault?.kind === 'alter' ? fault : undefined;
      response.writeHead(altered?.status ?? incoming.statusCode ?? 502, {
        ...incoming.headers,
        ...altered?.headers,
      });
      if (fault?.kind === 'reset') void resetAfter(incoming, response, fault.afterBytes ?? 0);
      else if (fault?.kind === 'stall') void sendSome(incoming, response, fault.afterBytes ?? 0);
      else incoming.pipe(response);
    });
  }
}

async function resetAfter(
  incoming: IncomingMessage,
  response: ServerResponse,
  afterBytes: number,
): Promise<void> {
  await sendSome(incoming, response, afterBytes);
  response.socket?.resetAndDestroy();
}

/** Passes on the headers of an answer and the given number of bytes of its body, and then stops. */
async function sendSome(
  incoming: IncomingMessage,
  response: ServerResponse,
  byteCount: number,
): Promise<void> {
  response.flushHeaders();
  let sentBytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    const piece = chunk.subarray(0, byteCount - sentBytes);
    sentBytes += piece.byteLength;
    // Written at once: these bytes arrive, whatever happens afterwards.
    if (piece.byteLength > 0) await new Promise((resolve) => response.write(piece, resolve));
    if (sentBytes >= byteCount) break;
  }
}
