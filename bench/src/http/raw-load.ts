import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Contender } from '../measure/interleave.ts';
import type { PageTarget } from './page-reader.ts';

const endOfChunks = Buffer.from('\r\n0\r\n\r\n');

/**
 * One reader on one persistent connection that only finds the end of each response: the cost of a
 * full client would hide the differences between servers. The samples are milliseconds.
 */
export class RawLoad implements Contender, AsyncDisposable {
  readonly #url: URL;
  readonly #requests: readonly Buffer[];
  #next = 0;
  #socket: Socket | undefined;

  constructor(url: string, targets: readonly PageTarget[]) {
    this.#url = new URL(url);
    this.#requests = targets.map(({ path, headers = {} }) => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      return Buffer.from(
        `GET ${path} HTTP/1.1\r\nHost: ${this.#url.host}\r\n${lines.join('')}\r\n`,
      );
    });
  }

  async sample(durationMs: number): Promise<readonly number[]> {
    // Servers close connections that were idle while others had their turn.
    if (this.#socket?.writable !== true) this.#socket = await this.#connect();
    const socket = this.#socket;
    const endMs = performance.now() + durationMs;
    const samples: number[] = [];
    do {
      const startMs = performance.now();
      const request = this.#requests[this.#next++ % this.#requests.length];
      if (request === undefined) throw new RangeError('A load needs at least one page to read.');
      await readResponse(socket, request);
      samples.push(performance.now() - startMs);
    } while (performance.now() < endMs);
    return samples;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket?.destroy();
    return Promise.resolve();
  }

  async #connect(): Promise<Socket> {
    const socket = connect(Number(this.#url.port), this.#url.hostname).setNoDelay();
    await once(socket, 'connect');
    // The connection then closes, which ends the response.
    socket.on('error', () => undefined);
    return socket;
  }
}

/** Resolves at the last byte of a response. @throws Error unless its status is 200 */
function readResponse(socket: Socket, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let head: Buffer | undefined;
    let leftBytes = Infinity;
    let tail = Buffer.alloc(0);
    const settle = (error?: Error): void => {
      socket.off('data', onData).off('close', onClose);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onClose = (): void => settle(new Error('The server closed the connection.'));
    const onBody = (bytes: Buffer): void => {
      leftBytes -= bytes.byteLength;
      if (leftBytes === Infinity) {
        tail = Buffer.concat([tail, bytes.subarray(-endOfChunks.length)]).subarray(
          -endOfChunks.length,
        );
        if (tail.equals(endOfChunks)) settle();
      } else if (leftBytes <= 0) settle();
    };
    const onData = (bytes: Buffer): void => {
      if (head !== undefined) return onBody(bytes);
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) return settle(new Error('The head of a response arrived in parts.'));
      head = bytes.subarray(0, end);
      const text = head.toString('latin1');
      if (!text.startsWith('HTTP/1.1 200')) return settle(new Error(text));
      const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
      if (length !== undefined) leftBytes = Number(length);
      onBody(bytes.subarray(end + 4));
    };
    socket.on('data', onData).on('close', onClose);
    socket.write(request);
  });
}
