import { QuireError } from '../errors.ts';
import type { ObjectBody } from '../object-store.ts';

/** What a body needs of the store that opened it. */
export interface BodySource {
  readonly key: string;
  readonly sizeBytes: number;
  /** Starts reading; called at most once. */
  chunks(): AsyncGenerator<Uint8Array>;
  /**
   * Gives back what the open object holds; called exactly once: after the end, a failure, an early
   * exit, or disposal.
   */
  release(): void | Promise<void>;
}

/**
 * An ObjectBody that can be iterated once and releases its resources exactly once, however it is
 * left.
 */
export class SingleUseBody implements ObjectBody {
  readonly sizeBytes: number;
  readonly body: AsyncIterable<Uint8Array>;
  readonly #source: BodySource;
  #iteration: AsyncGenerator<Uint8Array> | undefined;
  #isReleased = false;

  constructor(source: BodySource) {
    this.#source = source;
    this.sizeBytes = source.sizeBytes;
    this.body = { [Symbol.asyncIterator]: () => this.#iterate() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Ends a loop that was left without `return`; when a read is under way, this waits for it.
    await this.#iteration?.return(undefined);
    await this.#release();
  }

  #iterate(): AsyncGenerator<Uint8Array> {
    if (this.#isReleased || this.#iteration !== undefined) {
      throw new QuireError(
        'INTERNAL',
        `The body of ${this.#source.key} was read or disposed before: open the object again.`,
      );
    }
    this.#iteration = this.#drain();
    return this.#iteration;
  }

  async *#drain(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#source.chunks();
    } finally {
      await this.#release();
    }
  }

  async #release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    await this.#source.release();
  }
}
