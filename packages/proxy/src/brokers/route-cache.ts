import type { RequestId } from '@quire/core';
import type { Broker } from './broker.ts';

/**
 * The cached brokers of results; bounded, and the least recently used entries are evicted first.
 */
export class RouteCache {
  readonly #countMax: () => number;
  readonly #brokers = new Map<RequestId, Broker>();
  /**
   * An iterator after the last evicted entry. A new iterator would step over the slots of all
   * deleted or reordered entries, which a map keeps for a while: with 100,000 routes, a tenth of a
   * millisecond for each call.
   */
  #oldest: Iterator<RequestId> = this.#brokers.keys();

  constructor(countMax: () => number) {
    this.#countMax = countMax;
  }

  get count(): number {
    return this.#brokers.size;
  }

  get(requestId: RequestId): Broker | undefined {
    const broker = this.#brokers.get(requestId);
    if (broker !== undefined) this.set(requestId, broker);
    return broker;
  }

  set(requestId: RequestId, broker: Broker): void {
    this.#brokers.delete(requestId);
    this.#brokers.set(requestId, broker);
    while (this.#brokers.size > this.#countMax()) {
      const oldest = this.#oldest.next();
      if (oldest.done === true) this.#oldest = this.#brokers.keys();
      else this.#brokers.delete(oldest.value);
    }
  }

  delete(requestId: RequestId): void {
    this.#brokers.delete(requestId);
  }

  /** Deletes the routes to brokers that were removed. */
  deleteBrokers(gone: readonly Broker[]): void {
    if (gone.length === 0) return;
    for (const [requestId, broker] of this.#brokers) {
      if (gone.includes(broker)) this.#brokers.delete(requestId);
    }
  }
}
