import type { IncomingMessage } from 'node:http';
import { QuireError } from '@quire/core';

/**
 * The body of a request that is forwarded to a broker. It is read from the caller once, as fast as
 * the broker accepts it. Until then, it can be sent to another broker.
 */
export class Upload {
  readonly #request: IncomingMessage;
  readonly #bytesMax: number;
  readonly #onProgress: () => void;
  #isStarted = false;
  #chunks: AsyncIterator<Buffer> | undefined;
  #first: Promise<IteratorResult<Buffer>> | undefined;

  /**
   * Creates an upload.
   *
   * @throws BODY_TOO_LARGE when its declared length exceeds `bytesMax`
   */
  constructor(request: IncomingMessage, bytesMax: number, onProgress: () => void) {
    this.#request = request;
    this.#bytesMax = bytesMax;
    this.#onProgress = onProgress;
    if ((this.contentLength ?? 0) > bytesMax) throw tooLarge();
  }

  /** True if there is no body. */
  get isEmpty(): boolean {
    return (
      this.contentLength === 0 ||
      (this.contentLength === undefined && !('transfer-encoding' in this.#request.headers))
    );
  }

  /**
   * The declared length in bytes; undefined if there is none. Node's parser has rejected other
   * values.
   */
  get contentLength(): number | undefined {
    const announced = this.#request.headers['content-length'];
    return announced === undefined ? undefined : Number(announced);
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  /**
   * Returns the first bytes that are available, which are sent nevertheless. Empty if there are
   * none, or if the caller has disconnected: the reader of the bytes receives the error.
   */
  async peek(): Promise<Buffer> {
    const first = await this.#readFirst().catch(() => undefined);
    return first?.done === false ? first.value : Buffer.alloc(0);
  }

  /** Yields the bytes. @throws BODY_TOO_LARGE when they exceed the maximum */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    if (this.#isStarted) throw new QuireError('INTERNAL', 'A request body can be sent only once.');
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

  /**
   * Drops the bytes that were not sent. Node drops a body that nothing has read by itself; one that
   * was read in part would block the next call of its connection.
   */
  drop(): void {
    if (this.#chunks === undefined) return;
    const resume = (): void => void this.#request.resume();
    // The iterator reads the request until it is closed, which a read in progress delays.
    this.#chunks.return?.().then(resume, resume);
  }

  #readFirst(): Promise<IteratorResult<Buffer>> {
    this.#first ??= this.#iterator().next();
    return this.#first;
  }

  #iterator(): AsyncIterator<Buffer> {
    // The request is not destroyed at an early end, because the answer is sent on the same
    // connection.
    this.#chunks ??= this.#request
      .iterator({ destroyOnReturn: false })
      [Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    return this.#chunks;
  }
}

function tooLarge(): QuireError {
  return new QuireError('BODY_TOO_LARGE', 'The request body is too large.');
}
