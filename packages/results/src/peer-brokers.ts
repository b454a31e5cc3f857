import type { CallOptions, Clock, ObjectStore } from '@quire/core';
import { brokerPrefix, isBrokerId } from './layout.ts';

/** A look into the store for brokers that came since is put off for this long: ids that never existed must not cost one each. */
const lookAgainAfterMs = 10_000;

/** The other brokers that have results in a shared store, as their top-level folders show. */
export class PeerBrokers {
  readonly #store: ObjectStore;
  readonly #ownBrokerId: string;
  readonly #clock: Clock;
  #known: readonly string[] = [];
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  constructor(store: ObjectStore, ownBrokerId: string, clock: Clock) {
    this.#store = store;
    this.#ownBrokerId = ownBrokerId;
    this.#clock = clock;
  }

  /** Those known by now; none before the first look. */
  get known(): readonly string[] {
    return this.#known;
  }

  /** Looks who came since, one request for each broker; resolves to those that were not known, without a request soon after a look. */
  async lookForNew(options: CallOptions): Promise<readonly string[]> {
    const before = new Set(this.#known);
    if (this.#clock.monotonicMs() - this.#lookedAtMs >= lookAgainAfterMs) {
      // A caller that comes during a look waits for that one.
      this.#looking ??= this.#look(options).finally(() => (this.#looking = undefined));
      await this.#looking;
    }
    return this.#known.filter((brokerId) => !before.has(brokerId));
  }

  async #look(options: CallOptions): Promise<void> {
    const found: string[] = [];
    for (let after = ''; ;) {
      const brokerId = await this.#firstAfter(after, options);
      if (brokerId === undefined) break;
      if (isBrokerId(brokerId) && brokerId !== this.#ownBrokerId) found.push(brokerId);
      // Sorts after all that begins with the folder's name: keys have no higher character than z.
      after = `${brokerPrefix(brokerId)}~`;
    }
    this.#known = found;
    this.#lookedAtMs = this.#clock.monotonicMs();
  }

  async #firstAfter(after: string, options: CallOptions): Promise<string | undefined> {
    for await (const { key } of this.#store.list('', { ...options, after })) return key.split('/', 1)[0];
    return undefined;
  }
}
