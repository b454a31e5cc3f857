/** Observes a source while a store pulls it. */
export interface SourceObserver {
  /** Called when the store requests the next chunk. */
  onPull?(): void;
  /** Called when the source has answered the pull with a chunk, its end or a failure. */
  onAnswer?(): void;
  onChunk?(chunk: Uint8Array): void;
}

/**
 * Returns the same source, observed. Closing reaches a source even while it is stuck, which a
 * generator around it would not allow. A source that was not started stays untouched and can be
 * observed again.
 */
export function observeSource(
  source: AsyncIterable<Uint8Array>,
  observer: SourceObserver,
): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new ObservedIterator(source, observer) };
}

class ObservedIterator implements AsyncIterator<Uint8Array> {
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #observer: SourceObserver;
  #iterator: AsyncIterator<Uint8Array> | undefined;

  constructor(source: AsyncIterable<Uint8Array>, observer: SourceObserver) {
    this.#source = source;
    this.#observer = observer;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    this.#observer.onPull?.();
    this.#iterator ??= this.#source[Symbol.asyncIterator]();
    try {
      const step = await this.#iterator.next();
      if (step.done !== true) this.#observer.onChunk?.(step.value);
      return step;
    } finally {
      this.#observer.onAnswer?.();
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    await this.#iterator?.return?.();
    return { done: true, value: undefined };
  }
}
