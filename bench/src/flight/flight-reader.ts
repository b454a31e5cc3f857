import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { statementTicket } from '@quire/flight';
import {
  flightDescriptorCodec,
  flightInfoCodec,
  ticketCodec,
} from '../../../packages/flight/src/wire/flight-messages.ts';
import { packCommand } from '../../../packages/flight/src/wire/sql-messages.ts';
import { authorization } from '../quire/quire-server.ts';

/** A client of Arrow Flight that discards the data it reads, to keep its own work minimal. */
export class FlightReader implements AsyncDisposable {
  readonly #session: ClientHttp2Session;

  constructor(url: string) {
    this.#session = connect(url.replace('grpc:', 'http:'), {
      settings: { initialWindowSize: 2 ** 22 },
    });
    this.#session.once('connect', () => this.#session.setLocalWindowSize(2 ** 24));
  }

  /** Reads all rows of a stored result; resolves to the number of bytes received. */
  async read(requestId: string): Promise<number> {
    const content = JSON.stringify({ version: 1, requestId, offset: 0 });
    const ticket = statementTicket(new TextEncoder().encode(content));
    const stream = this.#open('DoGet', ticketCodec.encode({ ticket }));
    let byteCount = 0;
    stream.on('data', (chunk: Buffer) => (byteCount += chunk.length));
    await finished('DoGet', stream);
    return byteCount;
  }

  /**
   * Runs a query and reads its first batch of rows; resolves to the duration of both, in
   * milliseconds. The stream is then reset, which cancels the query.
   */
  async timeFirstBatch(query: string): Promise<number> {
    const startMs = performance.now();
    const command = packCommand('CommandStatementQuery', { query });
    const asked = this.#open(
      'GetFlightInfo',
      flightDescriptorCodec.encode({ type: 2, command, path: [] }),
    );
    const chunks: Buffer[] = [];
    asked.on('data', (chunk: Buffer) => chunks.push(chunk));
    await finished('GetFlightInfo', asked);
    const { endpoints } = flightInfoCodec.decode(Buffer.concat(chunks).subarray(frameBytes));
    const ticket = endpoints[0]?.ticket?.ticket ?? new Uint8Array(0);
    const stream = this.#open('DoGet', ticketCodec.encode({ ticket }));
    const reader = new MessageCounter();
    await new Promise<void>((resolve, reject) => {
      stream.on('data', (chunk: Buffer) => {
        // The schema, followed by a batch.
        if (reader.countWith(chunk) >= 2) resolve();
      });
      stream.once('close', () => reject(new Error('The query ended before its first batch.')));
    });
    const elapsedMs = performance.now() - startMs;
    stream.close(constants.NGHTTP2_CANCEL);
    return elapsedMs;
  }

  #open(method: string, message: Uint8Array): ClientHttp2Stream {
    const stream = this.#session.request({
      ':method': 'POST',
      ':path': `/arrow.flight.protocol.FlightService/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization,
    });
    const head = Buffer.alloc(frameBytes);
    head.writeUInt32BE(message.length, 1);
    stream.end(Buffer.concat([head, message]));
    return stream;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#session.close(resolve));
  }
}

/** The prefix of each message: a flag, and its length. */
const frameBytes = 5;

/** Counts the messages that are complete. */
class MessageCounter {
  #count = 0;
  #missingBytes = 0;
  #head = Buffer.alloc(0);

  countWith(chunk: Buffer): number {
    for (let rest = chunk; rest.length > 0;) {
      if (this.#missingBytes > 0) {
        const taken = Math.min(rest.length, this.#missingBytes);
        this.#missingBytes -= taken;
        rest = rest.subarray(taken);
        if (this.#missingBytes === 0) this.#count += 1;
        continue;
      }
      const taken = frameBytes - this.#head.length;
      this.#head = Buffer.concat([this.#head, rest.subarray(0, taken)]);
      rest = rest.subarray(taken);
      if (this.#head.length < frameBytes) break;
      this.#missingBytes = this.#head.readUInt32BE(1);
      this.#head = Buffer.alloc(0);
    }
    return this.#count;
  }
}

/** Resolves when a call has succeeded. */
function finished(method: string, stream: ClientHttp2Stream): Promise<void> {
  let status: unknown;
  stream.on('response', (headers) => (status = headers['grpc-status']));
  stream.on('trailers', (trailers) => (status = trailers['grpc-status']));
  return new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.once('close', () => {
      if (status === '0') resolve();
      else reject(new Error(`${method} ended with status ${String(status)}.`));
    });
  });
}
