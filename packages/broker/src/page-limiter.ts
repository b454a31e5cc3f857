import { type Clock, QuireError } from '@quire/core';
import { FairSlots, type SlotClaim } from '@quire/core/wait';

/**
 * The number of pages that are encoded concurrently beside those in threads: enough that one waits
 * for the store while another is encoded.
 */
const slotCount = 6;
/**
 * The maximum length of a turn, after which the next page starts even if this one is slow. It
 * exceeds the processor time of all concurrent turns; otherwise more and more pages would start,
 * each of which holds memory.
 */
const slotMsMax = 100;
/** The size up to which pages need no turn. */
const largePageBytes = 64 * 1024;

/**
 * One error for all turns: creating one with its stack for each would cost as much as the turn
 * itself.
 */
const ended = new QuireError('ABORTED', 'The turn has ended.');

/** Waiting is unlimited, because the number of pages of each principal is limited elsewhere. */
const shares = {
  principalPercentMax: 50,
  isShareStrict: false,
  adminSlotCount: 0,
  waitingMax: Infinity,
  principalWaitingMax: Infinity,
};

/**
 * Encodes only a few large pages concurrently; principals take turns. More at once would not finish
 * sooner, and each holds memory for as long as all of them together take. A turn ends when its time
 * is over, even if its page still waits for the store or for a client.
 */
export class PageLimiter {
  readonly #slots: FairSlots;
  readonly #clock: Clock;

  /**
   * Creates a limiter.
   *
   * @param threadCount the number of threads that encode pages beside this one
   */
  constructor(clock: Clock, threadCount = 0) {
    this.#clock = clock;
    this.#slots = new FairSlots(
      { ...shares, slotCount: slotCount + threadCount },
      () =>
        new QuireError(
          'INTERNAL',
          'A page was refused, although the number of waiting pages is not limited.',
        ),
    );
  }

  /**
   * Resolves when a page that reads `sizeBytes` may be encoded for a principal; disposing ends its
   * turn.
   *
   * @throws ABORTED when the signal is or becomes aborted
   */
  async acquire(claim: SlotClaim, sizeBytes: number, signal: AbortSignal): Promise<Disposable> {
    if (sizeBytes < largePageBytes) return { [Symbol.dispose]: () => undefined };
    const release = await this.#slots.acquire(claim, signal);
    const end = new AbortController();
    this.#clock.sleep(slotMsMax, end.signal).then(release, release);
    return {
      [Symbol.dispose]: () => {
        end.abort(ended);
        release();
      },
    };
  }
}
