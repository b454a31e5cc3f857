/** What may listen to a source while a store pulls it. */
export interface SourceTaps {
  /** The store has come for the next chunk. */
  onPull?(): void;
  /** The source has answered the pull: with a chunk, its end or a failure. */
  onAnswer?(): void;
  onChunk?(chunk: Uint8Array): void;
}

/**
 * The same source, listened to. Closing reaches a source even while it is stuck, which a generator around it would not allow;
 * a source that was not begun is left as it is, and can be tapped again.
 */
export function tapSource(source: AsyncIterable<Uint8Array>, taps: SourceTaps): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new TappedIterator(source, taps) };
}

class TappedIterator implements AsyncIterator<Uint8Array> {
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #taps: SourceTaps;
  #iterator: AsyncIterator<Uint8Array> | undefined;

  constructor(source: AsyncIterable<Uint8Array>, taps: SourceTaps) {
    this.#source = source;
    this.#taps = taps;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    this.#taps.onPull?.();
    this.#iterator ??= this.#source[Symbol.asyncIterator]();
    try {
      const step = await this.#iterator.next();
      if (step.done !== true) this.#taps.onChunk?.(step.value);
      return step;
    } finally {
      this.#taps.onAnswer?.();
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    await this.#iterator?.return?.();
    return { done: true, value: undefined };
  }
}
