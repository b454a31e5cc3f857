import { abortError, type Clock, isQuireError, type QuireError } from '@quire/core/portable';
import { Deadline, unlessAborted } from '@quire/core/wait';
import { concatenate } from '../concatenate.ts';
import type { Transport, WireAnswer, WireRequest } from './transport.ts';

/** The errors for failed exchanges, which each caller chooses. */
export interface ExchangeErrors {
  /** Returns the error for a timeout. */
  readonly silent: (timeoutMs: number) => QuireError;
  /** Returns the error for a failed connection or an incomplete answer. */
  readonly failed: (cause: unknown) => QuireError;
}

/** The options of a request: its timeouts, and the errors for its failures. */
export interface ExchangeOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly errors: ExchangeErrors;
  /** The timeout for the start of the answer, in milliseconds. */
  readonly headersTimeoutMs: number;
  /** The timeout between two pieces of its body, in milliseconds. */
  readonly idleTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One request and its answer, neither of which waits forever. It only throws the reason of the
 * caller's abort, a QuireError of the transport, or one of `errors`.
 */
export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #deadline: Deadline;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#deadline = new Deadline({
      clock: options.clock,
      signal: options.signal,
      error: options.errors.silent,
    });
  }

  /**
   * Sends the result of `request`, and resolves once the headers of the answer are received. The
   * timeout covers both: a function that returns an Authorization may hang as well, and may have no
   * signal.
   */
  async open(request: () => WireRequest | Promise<WireRequest>): Promise<WireAnswer> {
    const { transport, headersTimeoutMs } = this.#options;
    try {
      const sent = await this.#expect(headersTimeoutMs, Promise.resolve(request()));
      const answer = await this.#expect(headersTimeoutMs, transport(sent, this.#deadline.signal));
      return { ...answer, chunks: this.#inTime(answer.chunks) };
    } catch (error) {
      throw this.#end(error);
    }
  }

  async *#inTime(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    const iterator = chunks[Symbol.asyncIterator]();
    let isOurs = true;
    try {
      for (;;) {
        isOurs = false;
        const next = await this.#expect(this.#options.idleTimeoutMs, iterator.next());
        if (next.done === true) return;
        isOurs = true;
        yield next.value;
      }
    } catch (error) {
      throw this.#end(error);
    } finally {
      this.#deadline[Symbol.dispose]();
      // A stuck iterator does not return before it continues, so its return is not awaited.
      const closing = iterator.return?.().catch(() => undefined);
      if (isOurs) await closing;
    }
  }

  async #expect<Value>(timeoutMs: number, next: Promise<Value>): Promise<Value> {
    this.#deadline.start(timeoutMs);
    try {
      return await unlessAborted(next, this.#deadline.signal);
    } finally {
      // The time that the caller takes for a chunk does not count as the server's.
      this.#deadline.stop();
    }
  }

  /**
   * Returns the reason why the exchange failed: the caller's abort and a timeout take precedence
   * over the transport's error.
   */
  #end(error: unknown): unknown {
    const { signal, errors } = this.#options;
    this.#deadline[Symbol.dispose]();
    if (signal?.aborted === true) return signal.reason;
    if (this.#deadline.isOver) return abortError(this.#deadline.signal);
    return isQuireError(error) ? error : errors.failed(error);
  }
}

/**
 * Returns all chunks of an answer, concatenated. @throws the error of `tooLong` when there are more
 * than `bytesMax`
 */
export async function readWhole(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax = Infinity,
  tooLong?: (bytesMax: number) => QuireError,
): Promise<Uint8Array<ArrayBuffer>> {
  const kept: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    sizeBytes += chunk.byteLength;
    if (tooLong !== undefined && sizeBytes > bytesMax) throw tooLong(bytesMax);
    kept.push(chunk);
  }
  return concatenate(kept);
}
