import { isQuireError, type ObjectEntry, type Random, retry, type RetryOptions } from '@quire/core';
import { type FailedCall, type Part, PartSender, type PartUpload } from '@quire/core/bucket';
import { blockId } from './block-id.ts';
import { type Bucket, entryOf, octets } from './bucket.ts';
import { removeBlocks, uploadsInProgress } from './leftovers.ts';

/** The maximum number of blocks of a blob. */
const blockCountMax = 50_000;
/**
 * The number of checks for blocks that were cut off, and the time that a server may need for one.
 */
const checksMax = 3;
const lookDelayMs = 100;

export interface BlockUploadOptions {
  readonly bucket: Bucket;
  readonly call: FailedCall;
  readonly retry: RetryOptions;
  readonly random: Random;
  readonly partsInFlightMax: number;
  /** Called immediately when a block has failed permanently. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * The upload of one object in blocks, a few concurrently. They are invisible until they are
 * committed as a list. Their ids are random for each upload, so that two uploads of one object
 * never mix.
 */
export class BlockUpload implements PartUpload<ObjectEntry> {
  readonly #options: BlockUploadOptions;
  readonly #sender: PartSender;
  readonly #tag: Uint8Array;
  /** The ids of the blocks that were sent, by number. */
  readonly #ids: string[] = [];
  #sizeBytes = 0;

  constructor(options: BlockUploadOptions) {
    this.#options = options;
    this.#sender = new PartSender({ ...options, partCountMax: blockCountMax });
    this.#tag = options.random.bytes(8);
    uploadsInProgress.add(this.#url);
  }

  async add({ bytes }: Part): Promise<void> {
    const { bucket, call } = this.#options;
    const blob = bucket.blob(call.key);
    this.#sizeBytes += bytes.byteLength;
    const { clock } = this.#options.retry;
    await this.#sender.add(async (number) => {
      const id = blockId({ timeMs: clock.nowMs(), tag: this.#tag, number });
      await bucket.request(call, (options) =>
        blob.stageBlock(id, bytes, bytes.byteLength, options),
      );
      this.#ids[number - 1] = id;
    });
  }

  /** Assembles the object from all blocks, in order. */
  async complete(): Promise<ObjectEntry> {
    await this.#sender.finish();
    const { bucket, call, retry: retryOptions } = this.#options;
    // A commit may be repeated: the service finds blocks that it has committed already.
    const { lastModified } = await retry(
      retryOptions,
      `commit ${call.key}`,
      () =>
        bucket.request(call, (options) =>
          bucket.blob(call.key).commitBlockList(this.#ids, { ...options, ...octets }),
        ),
      call.signal,
    );
    uploadsInProgress.delete(this.#url);
    return entryOf(call, this.#sizeBytes, lastModified);
  }

  /**
   * Aborts the upload in any state. Never throws: the server deletes blocks after a week.
   *
   * A block that was cut off may still be processed by the server: so it checks again.
   */
  async abort(): Promise<void> {
    const wasCutOff = await this.#sender.stop();
    const { bucket, call, retry: retryOptions } = this.#options;
    const calm: FailedCall = { ...call, signal: undefined };
    try {
      for (let look = 1; look <= (wasCutOff ? checksMax : 1); look += 1) {
        if (look > 1) await retryOptions.clock.sleep(lookDelayMs * look);
        await retry(retryOptions, `abort ${call.key}`, () => removeBlocks(bucket, calm));
      }
    } catch (error) {
      // The failure that led here is the one to report.
      if (!isQuireError(error)) throw error;
    } finally {
      uploadsInProgress.delete(this.#url);
    }
  }

  get #url(): string {
    return this.#options.bucket.blob(this.#options.call.key).url;
  }
}
