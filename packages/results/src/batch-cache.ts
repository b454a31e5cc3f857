import { LRUCache } from 'lru-cache';

/** A batch is in demand when it is asked for again before this many times the cache's bytes were read. */
const memoryFactor = 2;

/**
 * Verified batch messages that are in demand, bounded by their bytes.
 *
 * A batch is kept when it is asked for a second time, soon after the first: a walk through a large result evicts no batches of other readers. After the
 * doorkeeper of G. Einziger, R. Friedman, B. Manes: TinyLFU, a highly efficient cache admission policy (ACM TOS 2017).
 */
export class BatchCache {
  readonly sizeBytesMax: number;
  readonly #messages: LRUCache<string, Uint8Array> | undefined;
  /** The names of batches that were asked for once recently, each as large as its batch. */
  readonly #askedFor: LRUCache<string, true> | undefined;

  /** @param sizeBytesMax 0 switches the cache off */
  constructor(sizeBytesMax: number) {
    this.sizeBytesMax = sizeBytesMax;
    if (sizeBytesMax > 0) {
      this.#messages = new LRUCache({ maxSize: sizeBytesMax, sizeCalculation: (message) => Math.max(1, message.byteLength) });
      this.#askedFor = new LRUCache({ maxSize: sizeBytesMax * memoryFactor });
    }
  }

  /** Whether batches of this size together are kept: a page that is a large part of the cache would push all others out. */
  isFor(sizeBytes: number): boolean {
    return sizeBytes * 4 <= this.sizeBytesMax;
  }

  get(dataKey: string, index: number): Uint8Array | undefined {
    return this.#messages?.get(nameOf(dataKey, index));
  }

  /** Keeps a copy of a batch that is about to be asked for. */
  set(dataKey: string, index: number, message: Uint8Array): void {
    this.#messages?.set(nameOf(dataKey, index), new Uint8Array(message));
  }

  /** Keeps a copy of a batch that was asked for, from the second time on. */
  offer(dataKey: string, index: number, message: Uint8Array): void {
    const name = nameOf(dataKey, index);
    if (this.#askedFor?.delete(name) === true) this.#messages?.set(name, new Uint8Array(message));
    else this.#askedFor?.set(name, true, { size: Math.max(1, message.byteLength) });
  }
}

function nameOf(dataKey: string, index: number): string {
  return `${dataKey}#${index}`;
}
