import { LRUCache } from 'lru-cache';

/** Demand is remembered for batches of this many times the cache's bytes. */
const memoryFactor = 2;
/**
 * After so many questions for each remembered batch, all demand counts half: what was wanted long
 * ago gives way.
 */
const agingFactor = 10;

/**
 * Verified batch messages that are in demand, bounded by their bytes.
 *
 * A batch is kept when it is asked for a second time, soon after the first, and for as long as it
 * is asked for more often than those that would take its place. So a walk through a large result
 * evicts no batches of other readers, and of batches that all are in equal demand, but do not fit,
 * those that are here stay: to replace them would be work for nothing. After G. Einziger, R.
 * Friedman, B. Manes: TinyLFU, a highly efficient cache admission policy (ACM TOS 2017).
 */
export class BatchCache {
  readonly sizeBytesMax: number;
  readonly #messages: LRUCache<string, Uint8Array> | undefined;
  readonly #demand: Demand;

  /** @param sizeBytesMax 0 switches the cache off */
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
   * Whether batches of this size together are kept: a page that is a large part of the cache would
   * push all others out.
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

  /** Keeps a copy of a batch that is about to be asked for. */
  set(dataKey: string, index: number, message: Uint8Array): void {
    this.#messages?.set(nameOf(dataKey, index), new Uint8Array(message));
  }

  /**
   * Keeps a copy of a batch that was asked for and not here, when it is in demand: when that was so
   * often that it was asked for.
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
   * Evicts those that were not asked for the longest, while they are in less demand; tells whether
   * there is room now.
   */
  #evictFor(messages: LRUCache<string, Uint8Array>, sizeBytes: number, demand: number): boolean {
    if (sizeBytes > this.sizeBytesMax) return false;
    while (messages.calculatedSize + sizeBytes > this.sizeBytesMax) {
      const oldest = messages.rkeys().next();
      // One more does not count: of batches that are asked for in turn, the one just asked for is
      // always ahead by that.
      if (oldest.done === true || this.#demand.of(oldest.value) + 1 >= demand) return false;
      messages.delete(oldest.value);
    }
    return true;
  }
}

/**
 * How often batches were asked for recently, by their names; those that were not for the longest
 * are forgotten.
 */
class Demand {
  readonly #counts: LRUCache<string, number> | undefined;
  #countsSinceAging = 0;

  /** @param sizeBytesMax of all batches that are remembered */
  constructor(sizeBytesMax: number) {
    if (sizeBytesMax > 0) this.#counts = new LRUCache({ maxSize: sizeBytesMax });
  }

  of(name: string): number {
    return this.#counts?.peek(name) ?? 0;
  }

  /** Counts one question; gives how many there were. */
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
    // The least recently used first, so that setting them again keeps their order; all names first,
    // since setting moves them.
    const names = Array.from(counts.rkeys());
    for (const name of names) {
      counts.set(name, Math.floor(this.of(name) / 2), { size: counts.info(name)?.size ?? 1 });
    }
  }
}

function nameOf(dataKey: string, index: number): string {
  return `${dataKey}#${index}`;
}
