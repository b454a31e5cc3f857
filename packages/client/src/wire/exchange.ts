import { abortError, type Clock, isQuireError, type QuireError } from '@quire/core/portable';
import { Deadline, unlessAborted } from '@quire/core/wait';
import { concatenate } from '../concatenate.ts';
import type { Transport, WireAnswer, WireRequest } from './transport.ts';

/** What a failed exchange is called: each maker of calls has its own words. */
export interface ExchangeErrors {
  /** Nothing came for that time. */
  readonly silent: (timeoutMs: number) => QuireError;
  /** There was no connection, or the answer broke off. */
  readonly failed: (cause: unknown) => QuireError;
}

/** How a request is sent, its time limits, and the errors that its failures become. */
export interface ExchangeOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly errors: ExchangeErrors;
  /** How long the answer may take to begin, in milliseconds. */
  readonly headersTimeoutMs: number;
  /** How long the next piece of its body may take, in milliseconds. */
  readonly idleTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One request and its answer, neither of which waits for ever. Everything it throws is what the
 * caller's signal was aborted with, a QuireError that came up on the way, or one of `errors`.
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
   * Sends what `request` gives, and resolves once the head of the answer is there. Both may take as
   * long as an answer may take to begin: a function that gives an Authorization may hang as well,
   * and may know of no signal.
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
      // One that is stuck answers only when it moves again: nobody waits for it.
      const closing = iterator.return?.().catch(() => undefined);
      if (isOurs) await closing;
    }
  }

  async #expect<Value>(timeoutMs: number, next: Promise<Value>): Promise<Value> {
    this.#deadline.start(timeoutMs);
    try {
      return await unlessAborted(next, this.#deadline.signal);
    } finally {
      // A caller that takes its time with what came is not a silence of the server's.
      this.#deadline.stop();
    }
  }

  /**
   * Why the exchange failed: the reason of the caller's abort and a time-out come before what the
   * transport makes of them.
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
 * All chunks of an answer, one behind the other. @throws what `tooLong` makes when there is more
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
