import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createRequestId, systemClock, systemRandom } from '@quire/core';

/** One request as it arrived, with its whole body. */
export interface ReceivedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** Handles a call. */
export type Misconduct = (response: ServerResponse, call: ReceivedCall) => void;

/** Answers with a body whose length is announced, as a small page. */
export function answers(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Misconduct {
  return (response) => {
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...headers,
    });
    response.end(body);
  };
}

/** Never answers. */
export const hangs: Misconduct = () => undefined;

/** Resets the connection instead of answering. */
export const resets: Misconduct = (response) => {
  response.socket?.resetAndDestroy();
};

/** Writes bytes that are not HTTP, or not quite. */
export function writes(bytes: string): Misconduct {
  return (response) => void response.socket?.end(bytes, 'latin1');
}

/**
 * Begins an answer and closes the connection in the middle of it; `isChunked` omits its length.
 */
export function cutsOff(isChunked: boolean): Misconduct {
  return (response) => {
    const length = isChunked ? {} : { 'content-length': 1000 };
    response.writeHead(200, { 'content-type': 'application/json', ...length });
    response.write('{"resultTable":{"rows":[[1],', () => response.socket?.destroy());
  };
}

/** Starts an answer, and sends no more. */
export const stopsInTheMiddle: Misconduct = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"resultTable":{"rows":[[1],');
};

/**
 * A server that replaces a broker, and behaves in any way that a test requires: it counts its
 * calls, and answers health checks until it is changed.
 */
export class MisbehavingBroker implements AsyncDisposable {
  readonly brokerId: string;
  /** All calls except health checks, with their whole bodies. */
  readonly calls: ReceivedCall[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #watchers: (() => void)[] = [];
  #closedCount = 0;
  /** The handling of calls. */
  conduct: Misconduct = answers(
    404,
    '{"code":404,"error":"Query results not found.","reason":"RESULT_NOT_FOUND"}',
  );
  /** The handling of health checks. */
  health: Misconduct;
  healthCheckCount = 0;

  private constructor(server: Server, name: string) {
    this.#server = server;
    this.brokerId = `Broker_${name}_8099`;
    this.health = answers(
      200,
      JSON.stringify({ status: 'ok', brokerId: this.brokerId, storeType: 'fs' }),
    );
  }

  static async start(name = 'odd.example'): Promise<MisbehavingBroker> {
    const server = createServer();
    const broker = new MisbehavingBroker(server, name);
    server.on(
      'request',
      (request: IncomingMessage, response: ServerResponse) => void broker.#serve(request, response),
    );
    server.on('connection', (socket: Socket) => {
      broker.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        broker.#sockets.delete(socket);
        broker.#closedCount += 1;
        broker.#notify();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return broker;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The bytes written to all open connections, and those that still wait for their reader. */
  get sentBytes(): number {
    return [...this.#sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0);
  }

  /** Resolves once it has received the given number of calls. */
  async untilCalled(count = 1): Promise<void> {
    while (this.calls.length < count) {
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  /** Resolves once the given number of connections were closed, by any client. */
  async untilClosed(count = 1): Promise<void> {
    while (this.#closedCount < count) {
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  /** Resolves once it was asked for its health the given number of times. */
  async untilChecked(count: number): Promise<void> {
    while (this.healthCheckCount < count) {
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  /** An id such as brokers generate. */
  static newRequestId(): string {
    return createRequestId(systemClock, systemRandom);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    const { method = '', url = '', headers, rawHeaders } = request;
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      return; // the client has disconnected in the middle of its request
    }
    const call = { method, url, headers, rawHeaders, body: Buffer.concat(chunks).toString() };
    if (url === '/health') {
      this.healthCheckCount += 1;
      this.health(response, call);
    } else {
      this.calls.push(call);
      this.conduct(response, call);
    }
    this.#notify();
  }

  #notify(): void {
    for (const watcher of this.#watchers.splice(0)) watcher();
  }
}
