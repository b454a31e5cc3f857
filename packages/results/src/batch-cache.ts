import { LRUCache } from 'lru-cache';

/** Verified batch messages that were read or written lately, bounded by their bytes. */
export class BatchCache {
  readonly #messages: LRUCache<string, Uint8Array> | undefined;
  readonly sizeBytesMax: number;

  /** @param sizeBytesMax 0 switches the cache off */
  constructor(sizeBytesMax: number) {
    this.sizeBytesMax = sizeBytesMax;
    if (sizeBytesMax > 0) {
      this.#messages = new LRUCache({ maxSize: sizeBytesMax, sizeCalculation: (message) => Math.max(1, message.byteLength) });
    }
  }

  get(dataKey: string, index: number): Uint8Array | undefined {
    return this.#messages?.get(`${dataKey}#${index}`);
  }

  set(dataKey: string, index: number, message: Uint8Array): void {
    this.#messages?.set(`${dataKey}#${index}`, message);
  }
}
