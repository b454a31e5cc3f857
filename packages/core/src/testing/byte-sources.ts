/** A prime, so that no buffer size is a multiple of it. */
const patternPeriod = 65_521;

/**
 * Returns bytes that differ by position and seed, so that a wrong offset or a mix of two objects is
 * detected.
 */
export function patternBytes(length: number, seed = 0): Uint8Array {
  const bytes = new Uint8Array(length);
  const firstBytes = Math.min(length, patternPeriod);
  for (let index = 0; index < firstBytes; index += 1) {
    bytes[index] = (index * 31 + (index >>> 8) * 7 + seed * 101) & 0xff;
  }
  for (let filled = firstBytes; filled < length; filled *= 2) bytes.copyWithin(filled, 0, filled);
  return bytes;
}

/** Yields the bytes as a source of chunks of one size, or of several sizes in turn. */
export async function* chunksOf(
  bytes: Uint8Array,
  ...sizes: readonly number[]
): AsyncGenerator<Uint8Array> {
  let offset = 0;
  for (let index = 0; offset < bytes.byteLength; index += 1) {
    const end = offset + (sizes[index % sizes.length] ?? bytes.byteLength);
    yield bytes.subarray(offset, end);
    offset = end;
  }
}

/** A source that a test feeds manually and that records its use. */
export class ManualSource implements AsyncIterable<Uint8Array> {
  /** True if the reader has closed it. */
  isClosed = false;
  pullCount = 0;
  /** The maximum number of pulls that were waiting at the same time. */
  waitingMax = 0;
  readonly #waiting: ((step: IteratorResult<Uint8Array>) => void)[] = [];
  readonly #onPull: (() => void)[] = [];

  /** Resolves once a pull is waiting. */
  async untilPulled(): Promise<void> {
    while (this.#waiting.length === 0) {
      await new Promise<void>((resolve) => this.#onPull.push(resolve));
    }
  }

  /** Resolves the pending pull with a chunk. */
  async feed(chunk: Uint8Array): Promise<void> {
    await this.untilPulled();
    this.#waiting.shift()?.({ done: false, value: chunk });
  }

  /** Resolves the pending pull with the end of the source. */
  async end(): Promise<void> {
    await this.untilPulled();
    this.#waiting.shift()?.({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: () => {
        this.pullCount += 1;
        return new Promise((resolve) => {
          this.#waiting.push(resolve);
          this.waitingMax = Math.max(this.waitingMax, this.#waiting.length);
          for (const notify of this.#onPull.splice(0)) notify();
        });
      },
      return: () => {
        this.isClosed = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }
}

/** Collects everything that `items` yields in an array. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
