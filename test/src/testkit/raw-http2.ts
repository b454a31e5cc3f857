import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Types of HTTP/2 frames. Source: https://www.rfc-editor.org/rfc/rfc9113#section-6 */
export const frames = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const flags = { ack: 1, endStream: 1, endHeaders: 4 } as const;

/** A frame, whether or not it is allowed. */
export function frame(
  type: number,
  streamId: number,
  payload: Uint8Array = new Uint8Array(0),
  flag = 0,
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flag, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** Headers as literals, without the tables of HPACK. */
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  const text = (value: string): Buffer => {
    if (value.length > 126) throw new Error('A literal of this test is short.');
    return Buffer.concat([Buffer.of(value.length), Buffer.from(value)]);
  };
  return Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => [Buffer.of(0x10), text(name), text(value)]),
  );
}

/** The headers of a gRPC call. */
export function callHeaders(path: string, more: Readonly<Record<string, string>> = {}): Buffer {
  return headerBlock({
    ':method': 'POST',
    ':scheme': 'http',
    ':path': path,
    ':authority': 'x',
    'content-type': 'application/grpc',
    te: 'trailers',
    ...more,
  });
}

/** An HTTP/2 connection that sends the frames that the test specifies. */
export class RawHttp2 implements AsyncDisposable {
  readonly socket: Socket;
  isClosed = false;
  readonly closed: Promise<void>;

  private constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.isClosed = true;
        resolve();
      });
    });
    socket.on('error', () => undefined);
  }

  /** Connects, and sends the preface. `isReading`: true if the server's output is read. */
  static async connect(port: number, { isReading = true } = {}): Promise<RawHttp2> {
    const socket = connect(port, '127.0.0.1');
    const raw = new RawHttp2(socket);
    await once(socket, 'connect');
    socket.setNoDelay(true);
    if (isReading) socket.resume();
    socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0)]));
    return raw;
  }

  /**
   * Sends until the server has closed the connection, or the given number of times; at the speed at
   * which the server reads.
   */
  async flood(bytesOf: (turn: number) => Uint8Array, turnCount: number): Promise<void> {
    for (let turn = 0; turn < turnCount && !this.isClosed; turn += 1) {
      if (!this.socket.write(bytesOf(turn))) await this.#untilTaken();
      if (turn % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
    await this.closed;
  }

  async #untilTaken(): Promise<void> {
    const taken = new Promise<void>((resolve) => this.socket.once('drain', resolve));
    await Promise.race([taken, this.closed]);
  }
}
