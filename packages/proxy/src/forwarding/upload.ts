import type { IncomingMessage } from 'node:http';
import { QuireError } from '@quire/core';

/**
 * The body of a request on its way to a broker: read from the caller as fast as the broker takes
 * it, once. Until somebody begins to read it, it is whole.
 */
export class Upload {
  readonly #request: IncomingMessage;
  readonly #bytesMax: number;
  readonly #onProgress: () => void;
  #isBegun = false;

  /** @throws BODY_TOO_LARGE when it announces more than `bytesMax` */
  constructor(request: IncomingMessage, bytesMax: number, onProgress: () => void) {
    this.#request = request;
    this.#bytesMax = bytesMax;
    this.#onProgress = onProgress;
    if ((this.contentLength ?? 0) > bytesMax) throw tooLarge();
  }

  /** Whether there is a body at all. */
  get isEmpty(): boolean {
    return (
      this.contentLength === 0 ||
      (this.contentLength === undefined && !('transfer-encoding' in this.#request.headers))
    );
  }

  /**
   * Bytes, as the caller announced them; undefined when it did not. Node's parser has refused what
   * is not a number.
   */
  get contentLength(): number | undefined {
    const announced = this.#request.headers['content-length'];
    return announced === undefined ? undefined : Number(announced);
  }

  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** The bytes. @throws BODY_TOO_LARGE when more come than may */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    if (this.#isBegun) throw new QuireError('INTERNAL', 'A request body can be sent once.');
    this.#isBegun = true;
    let sizeBytes = 0;
    // Not destroyed at an early end: the answer goes out on the same connection.
    for await (const chunk of this.#request.iterator({
      destroyOnReturn: false,
    }) as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > this.#bytesMax) throw tooLarge();
      this.#onProgress();
      yield chunk;
    }
  }
}

function tooLarge(): QuireError {
  return new QuireError('BODY_TOO_LARGE', 'The request body is too large.');
}
