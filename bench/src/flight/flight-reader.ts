import { type ClientHttp2Session, connect } from 'node:http2';
import { flightEndpointCodec, statementTicket } from '@quire/flight';
import { authorization } from '../quire/quire-server.ts';

/** A client of Arrow Flight that drops what it reads: its own work is as small as can be. */
export class FlightReader implements AsyncDisposable {
  readonly #session: ClientHttp2Session;

  constructor(url: string) {
    this.#session = connect(url.replace('grpc:', 'http:'), {
      settings: { initialWindowSize: 2 ** 22 },
    });
    this.#session.once('connect', () => this.#session.setLocalWindowSize(2 ** 24));
  }

  /** Reads all rows of a stored result; resolves with the bytes that have come. */
  read(requestId: string): Promise<number> {
    const content = JSON.stringify({ version: 1, requestId, offset: 0 });
    return this.#call('DoGet', ticketMessage(statementTicket(new TextEncoder().encode(content))));
  }

  #call(method: string, message: Uint8Array): Promise<number> {
    const stream = this.#session.request({
      ':method': 'POST',
      ':path': `/arrow.flight.protocol.FlightService/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization,
    });
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    stream.end(Buffer.concat([head, message]));
    let byteCount = 0;
    let status: unknown;
    stream.on('data', (chunk: Buffer) => (byteCount += chunk.length));
    stream.on('response', (headers) => (status = headers['grpc-status']));
    stream.on('trailers', (trailers) => (status = trailers['grpc-status']));
    return new Promise((resolve, reject) => {
      stream.once('error', reject);
      stream.once('close', () => {
        if (status === '0') resolve(byteCount);
        else reject(new Error(`${method} ended with status ${String(status)}.`));
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#session.close(resolve));
  }
}

/** A ticket is the first field of its message, as of an endpoint. */
function ticketMessage(ticket: Uint8Array): Uint8Array {
  const endpoint = flightEndpointCodec.encode({ ticket: { ticket } });
  return endpoint.subarray(endpoint.indexOf(0x0a, 1));
}
