import { type Clock, QuireError } from '@quire/core';
import { FairSlots, type SlotClaim } from '@quire/core/wait';

/** Pages that are made at once: enough that one waits for the store while another is encoded. */
const slotCount = 6;
/**
 * A turn is over by then, whether or not the page is: a slow one does not keep the others waiting.
 * Yet it is longer than all turns at once take a processor, else one page after the other would
 * begin, and each hold its memory.
 */
const slotMsMax = 100;
/** Smaller pages need no turn. */
const largePageBytes = 64 * 1024;

/** One for all turns: an error with its stack for each would cost as much as the turn itself. */
const ended = new QuireError('ABORTED', 'The turn has ended.');

/** As many may wait as principals may read pages. */
const shares = {
  slotCount,
  principalPercentMax: 50,
  isShareStrict: false,
  adminSlotCount: 0,
  waitingMax: Infinity,
  principalWaitingMax: Infinity,
};

/**
 * Lets large pages be made a few at a time; principals take turns. Many at once would come no
 * sooner, and each holds memory for as long as all of them together take. A turn ends by its time,
 * whether its page waits for the store or for a client.
 */
export class PageLimiter {
  readonly #slots = new FairSlots(
    shares,
    () => new QuireError('INTERNAL', 'A page was refused its turn, though any number may wait.'),
  );
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves when a page that reads `sizeBytes` may be made for a principal; disposing ends its
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
