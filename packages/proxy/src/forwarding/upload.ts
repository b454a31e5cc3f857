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
  #isStarted = false;
  #chunks: AsyncIterator<Buffer> | undefined;
  #first: Promise<IteratorResult<Buffer>> | undefined;

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

  get isStarted(): boolean {
    return this.#isStarted;
  }

  /**
   * The first bytes, as far as they come at once; the body stays whole. Empty when there are none,
   * or when the caller has gone: the reader of the bytes gets the error.
   */
  async peek(): Promise<Buffer> {
    const first = await this.#readFirst().catch(() => undefined);
    return first?.done === false ? first.value : Buffer.alloc(0);
  }

  /** The bytes. @throws BODY_TOO_LARGE when more come than may */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    if (this.#isStarted) throw new QuireError('INTERNAL', 'A request body can be sent once.');
    this.#isStarted = true;
    let sizeBytes = 0;
    let next = await this.#readFirst();
    while (next.done !== true) {
      sizeBytes += next.value.length;
      if (sizeBytes > this.#bytesMax) throw tooLarge();
      this.#onProgress();
      yield next.value;
      next = await this.#iterator().next();
    }
  }

  #readFirst(): Promise<IteratorResult<Buffer>> {
    this.#first ??= this.#iterator().next();
    return this.#first;
  }

  #iterator(): AsyncIterator<Buffer> {
    // Not destroyed at an early end: the answer goes out on the same connection.
    this.#chunks ??= this.#request
      .iterator({ destroyOnReturn: false })
      [Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    return this.#chunks;
  }
}

function tooLarge(): QuireError {
  return new QuireError('BODY_TOO_LARGE', 'The request body is too large.');
}
