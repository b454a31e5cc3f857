import {
  type CallOptions,
  type Clock,
  type ObjectStore,
  type RequestId,
  timeOfRequestId,
} from '@quire/core';
import { unlessAborted } from '@quire/core/wait';
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
   * Searches for new brokers that may have a result that those in `searched` do not have; resolves
   * to the new ones. Makes one request for each broker, but none shortly after a search, unless the
   * id is recent and was not searched for.
   */
  async lookForNew(
    requestId: RequestId,
    searched: readonly string[],
    { signal }: CallOptions,
  ): Promise<readonly string[]> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#isWorthALook(requestId)) {
      // A search that started before this call may have been too early.
      const earlier = this.#looking?.catch(() => undefined);
      if (earlier !== undefined) await unlessAborted(earlier, signal);
      await this.#lookOnce(signal);
      this.#missed.set(requestId, nowMs);
    } else if (isLongAgo(this.#lookedAtMs, nowMs)) {
      await this.#lookOnce(signal);
    }
    return this.#known.filter((brokerId) => !searched.includes(brokerId));
  }

  #isWorthALook(requestId: RequestId): boolean {
    const isYoung = Math.abs(this.#clock.nowMs() - timeOfRequestId(requestId)) < youngMs;
    return (
      isYoung &&
      isLongAgo(this.#missed.get(requestId) ?? Number.NEGATIVE_INFINITY, this.#clock.monotonicMs())
    );
  }

  /** Searches for brokers, or joins a search in progress, which no caller can abort. */
  async #lookOnce(signal: AbortSignal | undefined): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    await unlessAborted(this.#looking, signal);
  }

  async #look(): Promise<void> {
    const found: string[] = [];
    for (let after = ''; ;) {
      const brokerId = await this.#firstAfter(after);
      if (brokerId === undefined) break;
      if (isBrokerId(brokerId) && brokerId !== this.#ownBrokerId) found.push(brokerId);
      // Sorts after every key in the broker's folder: keys have no character above z.
      after = `${brokerPrefix(brokerId)}~`;
    }
    this.#known = found;
    this.#lookedAtMs = this.#clock.monotonicMs();
  }

  async #firstAfter(after: string): Promise<string | undefined> {
    for await (const { key } of this.#store.list('', { after })) {
      return key.split('/', 1)[0];
    }
    return undefined;
  }
}

function isLongAgo(thenMs: number, nowMs: number): boolean {
  return nowMs - thenMs >= lookAgainAfterMs;
}
