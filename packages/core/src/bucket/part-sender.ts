import { QuireError } from '../errors.ts';
import { retry, type RetryOptions } from '../store/retry.ts';
import type { FailedCall } from './failed-call.ts';

/** How the parts of one object are sent. */
export interface PartSenderOptions {
  readonly call: FailedCall;
  /** How a part is repeated: the source of a put cannot be, but its parts are in memory. */
  readonly retry: RetryOptions;
  readonly partCountMax: number;
  readonly partsInFlightMax: number;
  /** Called at once when a part has failed for good. */
  readonly onFailure: (error: unknown) => void;
}

/** Sends the parts of one object in the background, a few at a time. */
export class PartSender {
  readonly #options: PartSenderOptions;
  readonly #inFlight = new Set<Promise<void>>();
  #partCount = 0;

  constructor(options: PartSenderOptions) {
    this.#options = options;
  }

  /**
   * Starts to send the next part, whose number is from 1; resolves once there is a place for another.
   *
   * @throws STORE_FULL when an object has no more parts; what an earlier part failed with
   */
  async add(send: (partNumber: number) => Promise<void>): Promise<void> {
    const { call, partCountMax, partsInFlightMax, onFailure } = this.#options;
    this.#partCount += 1;
    const partNumber = this.#partCount;
    if (partNumber > partCountMax) {
      throw new QuireError(
        'STORE_FULL',
        `put of ${call.key} in ${call.location}: the object has more than ${partCountMax} parts.`,
      );
    }
    const name = `put part ${partNumber} of ${call.key}`;
    const sending = retry(this.#options.retry, name, () => send(partNumber), call.signal);
    this.#inFlight.add(sending);
    sending.then(() => this.#inFlight.delete(sending), onFailure);
    if (this.#inFlight.size >= partsInFlightMax) await Promise.race(this.#inFlight);
  }

  /** Waits until all parts are sent; throws what one failed with. */
  async finish(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  /** Waits until no part is sent any more. Resolves to whether some were not sent to the end. */
  async stop(): Promise<boolean> {
    return (await Promise.allSettled(this.#inFlight)).length > 0;
  }
}
