import { LRUCache } from 'lru-cache';

/** The total size of the batches whose requests are counted, as a multiple of the cache's size. */
const memoryFactor = 2;
/**
 * The number of requests for each counted batch after which all counts are halved, so that old
 * requests lose weight.
 */
const agingFactor = 10;

/**
 * Verified batch messages that are in demand, limited by their bytes.
 *
 * A batch is cached when it is requested for the second time within a short period. It stays as
 * long as it is requested more often than the batches that would replace it. So a walk through a
 * large result does not evict the batches of other readers. Of batches in equal demand that do not
 * all fit, the cached ones stay: replacing them would gain nothing.
 *
 * After G. Einziger, R. Friedman, B. Manes: TinyLFU, a highly efficient cache admission policy (ACM
 * TOS 2017).
 */
export class BatchCache {
  readonly sizeBytesMax: number;
  readonly #messages: LRUCache<string, Uint8Array> | undefined;
  readonly #demand: Demand;

  /**
   * Creates an empty cache.
   *
   * @param sizeBytesMax 0 disables the cache
   */
  constructor(sizeBytesMax: number) {
    this.sizeBytesMax = sizeBytesMax;
    this.#demand = new Demand(sizeBytesMax * memoryFactor);
    if (sizeBytesMax > 0) {
      this.#messages = new LRUCache({
        maxSize: sizeBytesMax,
        sizeCalculation: (message) => Math.max(1, message.byteLength),
      });
    }
  }

  /**
   * Reports whether batches of this total size are cached: a page that is a large part of the cache
   * would evict all others.
   */
  isFor(sizeBytes: number): boolean {
    return sizeBytes * 4 <= this.sizeBytesMax;
  }

  get(dataKey: string, index: number): Uint8Array | undefined {
    const name = nameOf(dataKey, index);
    const message = this.#messages?.get(name);
    if (message !== undefined) this.#demand.count(name, message.byteLength);
    return message;
  }

  /** Caches a copy of a batch that is about to be requested. */
  set(dataKey: string, index: number, message: Uint8Array): void {
    this.#messages?.set(nameOf(dataKey, index), new Uint8Array(message));
  }

  /**
   * Caches a copy of a batch that was requested and missing, if it is in demand: if it has been
   * requested `demandMin` times.
   */
  offer(dataKey: string, index: number, message: Uint8Array, demandMin = 2): void {
    const messages = this.#messages;
    if (messages === undefined) return;
    const name = nameOf(dataKey, index);
    const demand = this.#demand.count(name, message.byteLength);
    if (demand >= demandMin && this.#evictFor(messages, message.byteLength, demand)) {
      messages.set(name, new Uint8Array(message));
    }
  }

  /**
   * Evicts the least recently requested batches that are in less demand; returns true if there is
   * enough space now.
   */
  #evictFor(messages: LRUCache<string, Uint8Array>, sizeBytes: number, demand: number): boolean {
    if (sizeBytes > this.sizeBytesMax) return false;
    while (messages.calculatedSize + sizeBytes > this.sizeBytesMax) {
      const oldest = messages.rkeys().next();
      // A difference of one is ignored: of batches requested in turn, the latest one is always
      // ahead by one.
      if (oldest.done === true || this.#demand.of(oldest.value) + 1 >= demand) return false;
      messages.delete(oldest.value);
    }
    return true;
  }
}

/**
 * The recent request counts of batches by name; the least recently requested ones are forgotten.
 */
class Demand {
  readonly #counts: LRUCache<string, number> | undefined;
  #countsSinceAging = 0;

  /**
   * Creates an empty counter.
   *
   * @param sizeBytesMax the total size of all counted batches
   */
  constructor(sizeBytesMax: number) {
    if (sizeBytesMax > 0) this.#counts = new LRUCache({ maxSize: sizeBytesMax });
  }

  of(name: string): number {
    return this.#counts?.peek(name) ?? 0;
  }

  /** Counts one request; returns the number of requests so far. */
  count(name: string, sizeBytes: number): number {
    const counts = this.#counts;
    if (counts === undefined) return 0;
    const count = (counts.peek(name) ?? 0) + 1;
    counts.set(name, count, { size: Math.max(1, sizeBytes) });
    this.#countsSinceAging += 1;
    if (this.#countsSinceAging >= agingFactor * counts.size) this.#age(counts);
    return count;
  }

  #age(counts: LRUCache<string, number>): void {
    this.#countsSinceAging = 0;
    // Least recently used first, so that setting them again preserves their order. All names are
    // read first, because setting moves them.
    const names = Array.from(counts.rkeys());
    for (const name of names) {
      counts.set(name, Math.floor(this.of(name) / 2), { size: counts.info(name)?.size ?? 1 });
    }
  }
}

function nameOf(dataKey: string, index: number): string {
  return `${dataKey}#${index}`;
}
