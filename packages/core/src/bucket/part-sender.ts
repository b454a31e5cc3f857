import { QuireError } from '../errors.ts';
import { retry, type RetryOptions } from '../store/retry.ts';
import type { FailedCall } from './failed-call.ts';

/** The options for sending the parts of one object. */
export interface PartSenderOptions {
  readonly call: FailedCall;
  /**
   * The retry policy for parts. Parts are in memory and can be resent; the source of a put cannot
   * be reread.
   */
  readonly retry: RetryOptions;
  readonly partCountMax: number;
  readonly partsInFlightMax: number;
  /** Called immediately when a part has failed permanently. */
  readonly onFailure: (error: unknown) => void;
}

/** Sends the parts of one object in the background, a few concurrently. */
export class PartSender {
  readonly #options: PartSenderOptions;
  readonly #inFlight = new Set<Promise<void>>();
  #partCount = 0;

  constructor(options: PartSenderOptions) {
    this.#options = options;
  }

  /**
   * Starts to send the next part, whose number starts at 1; resolves once another part may be
   * added.
   *
   * @throws STORE_FULL when the object exceeds the maximum number of parts; the error of an earlier
   *   part that failed
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

  /** Waits until all parts are sent; throws the error of a failed part. */
  async finish(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  /** Waits until no part is being sent. Resolves to true if some parts were not sent completely. */
  async stop(): Promise<boolean> {
    return (await Promise.allSettled(this.#inFlight)).length > 0;
  }
}
