import { QuireError } from '../errors.ts';
import type { ObjectBody } from '../object-store.ts';

/** The functions of a store that a body uses. */
export interface BodySource {
  readonly key: string;
  readonly sizeBytes: number;
  /** Starts reading; called at most once. */
  chunks(): AsyncGenerator<Uint8Array>;
  /**
   * Releases the resources of the open object; called exactly once: after the end, a failure, an
   * early exit, or disposal.
   */
  release(): void | Promise<void>;
}

/**
 * An ObjectBody that can be iterated once and releases its resources exactly once in every case.
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
    // Ends an iteration that was left without `return`; if a read is in progress, this waits for
    // it.
    await this.#iteration?.return(undefined);
    await this.#release();
  }

  #iterate(): AsyncGenerator<Uint8Array> {
    if (this.#isReleased || this.#iteration !== undefined) {
      throw new QuireError(
        'INTERNAL',
        `The body of ${this.#source.key} was already read or disposed: open the object again.`,
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
