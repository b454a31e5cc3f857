import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

/** The outcome of a call, as its client sees it. */
export interface GrpcAnswer {
  readonly status: number;
  readonly message: string;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly messages: readonly Buffer[];
}

/** A client that can violate the protocol. */
export class GrpcTestClient implements AsyncDisposable {
  readonly session: ClientHttp2Session;

  constructor({ port }: Pick<AddressInfo, 'port'>) {
    this.session = connect(`http://127.0.0.1:${port}`, { maxSessionMemory: 256 });
    this.session.on('error', () => undefined);
  }

  /** Begins a call; nothing of its request is sent. */
  open(path: string, headers: Readonly<Record<string, string>> = {}): ClientHttp2Stream {
    const stream = this.session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    });
    stream.on('error', () => undefined);
    return stream;
  }

  /** Makes a call with one message. */
  call(
    path: string,
    message: Uint8Array,
    headers?: Readonly<Record<string, string>>,
  ): Promise<GrpcAnswer> {
    const stream = this.open(path, headers);
    stream.end(framed(message));
    return answerOf(stream);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.session.destroyed) return;
    const closed = once(this.session, 'close');
    this.session.destroy();
    await closed;
  }
}

export function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Resolves with the answer to a call, or rejects with the code with which its stream was reset. */
export async function answerOf(stream: ClientHttp2Stream): Promise<GrpcAnswer> {
  const chunks: Buffer[] = [];
  let headers: IncomingHttpHeaders = {};
  let trailers: IncomingHttpHeaders = {};
  stream.on('response', (received) => (headers = received));
  stream.on('trailers', (received) => (trailers = received));
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(stream, 'close');
  const status = trailers['grpc-status'] ?? headers['grpc-status'];
  if (status === undefined) {
    throw new Error(
      headers[':status'] === undefined || Number(headers[':status']) === 200
        ? `stream closed with code ${stream.rstCode}`
        : `HTTP status ${Number(headers[':status'])}: ${Buffer.concat(chunks).toString()}`,
    );
  }
  const message = trailers['grpc-message'] ?? headers['grpc-message'] ?? '';
  return {
    status: Number(status),
    message: decodeURIComponent(String(message)),
    headers,
    trailers,
    messages: wholeMessagesOf(Buffer.concat(chunks)),
  };
}

/** The messages that have arrived whole. */
export function wholeMessagesOf(bytes: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  for (let start = 0; start + 5 <= bytes.length;) {
    const end = start + 5 + bytes.readUInt32BE(start + 1);
    if (end > bytes.length) break;
    messages.push(bytes.subarray(start + 5, end));
    start = end;
  }
  return messages;
}
