import {
  type CallOptions,
  type Clock,
  type ObjectStore,
  type RequestId,
  timeOfRequestId,
} from '@quire/core';
import { LRUCache } from 'lru-cache';
import { brokerPrefix, isBrokerId } from './layout.ts';

/**
 * A look into the store for new brokers is put off for this long: ids that never existed must not
 * cost one each.
 */
const lookAgainAfterMs = 10_000;
/**
 * An id of a younger query may be that of a new broker's first result: each of them is worth a look
 * of its own.
 */
const youngMs = 24 * 3_600_000;
const missedMax = 1_000;

/** The other brokers that have results in a shared store, as their top-level folders show. */
export class PeerBrokers {
  readonly #store: ObjectStore;
  readonly #ownBrokerId: string;
  readonly #clock: Clock;
  #known: readonly string[] = [];
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  /** Young ids that were looked for, and when. */
  readonly #missed = new LRUCache<RequestId, number>({ max: missedMax });

  constructor(store: ObjectStore, ownBrokerId: string, clock: Clock) {
    this.#store = store;
    this.#ownBrokerId = ownBrokerId;
    this.#clock = clock;
  }

  /** Those known by now; none before the first look. */
  get known(): readonly string[] {
    return this.#known;
  }

  /**
   * Looks for brokers that came since, for the sake of a result that the known ones do not have;
   * resolves to those that were not known. One request for each broker; none soon after a look,
   * unless the id is young and nobody has looked for it.
   */
  async lookForNew(requestId: RequestId, options: CallOptions): Promise<readonly string[]> {
    const before = new Set(this.#known);
    const nowMs = this.#clock.monotonicMs();
    if (this.#isWorthALook(requestId)) {
      // A look that began before this call may have been too early.
      await this.#looking?.catch(() => undefined);
      await this.#lookOnce(options);
      this.#missed.set(requestId, nowMs);
    } else if (isLongAgo(this.#lookedAtMs, nowMs)) {
      await this.#lookOnce(options);
    }
    return this.#known.filter((brokerId) => !before.has(brokerId));
  }

  #isWorthALook(requestId: RequestId): boolean {
    const isYoung = Math.abs(this.#clock.nowMs() - timeOfRequestId(requestId)) < youngMs;
    return (
      isYoung &&
      isLongAgo(this.#missed.get(requestId) ?? Number.NEGATIVE_INFINITY, this.#clock.monotonicMs())
    );
  }

  /** A caller that comes during a look waits for that one. */
  async #lookOnce(options: CallOptions): Promise<void> {
    this.#looking ??= this.#look(options).finally(() => (this.#looking = undefined));
    await this.#looking;
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
    for await (const { key } of this.#store.list('', { ...options, after })) {
      return key.split('/', 1)[0];
    }
    return undefined;
  }
}

function isLongAgo(thenMs: number, nowMs: number): boolean {
  return nowMs - thenMs >= lookAgainAfterMs;
}
