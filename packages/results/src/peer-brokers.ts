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
 * The minimum interval between searches for new brokers: ids that never existed must not cost one
 * search each.
 */
const lookAgainAfterMs = 10_000;
/**
 * The maximum age of ids that may belong to a new broker's first result: each of them may start one
 * search.
 */
const youngMs = 24 * 3_600_000;
const missedMax = 1_000;

/** The other brokers with results in a shared store, according to its top-level folders. */
export class PeerBrokers {
  readonly #store: ObjectStore;
  readonly #ownBrokerId: string;
  readonly #clock: Clock;
  #known: readonly string[] = [];
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  /** Recent ids that were searched for, and the time of the search. */
  readonly #missed = new LRUCache<RequestId, number>({ max: missedMax });

  constructor(store: ObjectStore, ownBrokerId: string, clock: Clock) {
    this.#store = store;
    this.#ownBrokerId = ownBrokerId;
    this.#clock = clock;
  }

  /** The brokers known so far; none before the first search. */
  get known(): readonly string[] {
    return this.#known;
  }

  /**
   * Searches for new brokers that may have a result that the known ones do not have; resolves to
   * the new ones. Makes one request for each broker, but none shortly after a search, unless the id
   * is recent and was not searched for.
   */
  async lookForNew(requestId: RequestId, options: CallOptions): Promise<readonly string[]> {
    const before = new Set(this.#known);
    const nowMs = this.#clock.monotonicMs();
    if (this.#isWorthALook(requestId)) {
      // A search that started before this call may have been too early.
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

  /** Searches for brokers, or joins a search in progress. */
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
      // Sorts after every key in the broker's folder: keys have no character above z.
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
