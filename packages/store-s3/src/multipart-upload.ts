import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  NoSuchUpload,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { isQuireError, QuireError, retry, type RetryOptions } from '@quire/core';
import {
  type FailedCall,
  type Part,
  PartSender,
  type PartUpload,
  waitForRetry,
} from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';
import { isAbsence, isAnswered } from './errors.ts';
import { unobstructed } from './obstacle.ts';
import { uploadsInProgress } from './uploads-in-progress.ts';

/** The maximum number of parts that S3 accepts for one object. */
const partCountMax = 10_000;
/**
 * The number of checks for an aborted upload, and the time that a server may need for a part that
 * was cut off.
 */
const checksMax = 5;
const lookDelayMs = 200;

export interface MultipartUploadOptions {
  readonly bucket: Bucket;
  readonly call: FailedCall;
  /**
   * The retry policy for parts. Parts are in memory and can be resent; the source of a put cannot
   * be reread.
   */
  readonly retry: RetryOptions;
  readonly partsInFlightMax: number;
  /** Called immediately when a part has failed permanently. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * The upload of one object in parts, a few concurrently; nothing is visible until it is completed,
 * and nothing stays when it is aborted.
 */
export class MultipartUpload implements PartUpload<void> {
  readonly #options: MultipartUploadOptions;
  readonly #uploadId: string;
  readonly #completed: CompletedPart[] = [];
  readonly #sender: PartSender;

  private constructor(options: MultipartUploadOptions, uploadId: string) {
    this.#options = options;
    this.#uploadId = uploadId;
    this.#sender = new PartSender({ ...options, partCountMax });
  }

  static async begin(options: MultipartUploadOptions): Promise<MultipartUpload> {
    const { call } = options;
    const UploadId = await createUpload(options);
    if (UploadId === undefined) {
      throw new QuireError(
        'STORE_UNAVAILABLE',
        `put of ${call.key} in ${call.location}: the answer has no upload id.`,
      );
    }
    uploadsInProgress.add(UploadId);
    return new MultipartUpload(options, UploadId);
  }

  async add({ bytes }: Part): Promise<void> {
    await this.#sender.add((partNumber) => this.#send(partNumber, bytes));
  }

  /** Assembles the object from all parts, in order. */
  async complete(): Promise<void> {
    await this.#sender.finish();
    const { bucket, call, retry: retryOptions } = this.#options;
    const Parts = this.#completed.toSorted(
      (left, right) => (left.PartNumber ?? 0) - (right.PartNumber ?? 0),
    );
    const command = new CompleteMultipartUploadCommand({
      ...this.#target,
      MultipartUpload: { Parts },
    });
    let failure: unknown;
    const attempt = async (): Promise<void> => {
      try {
        await unobstructed(bucket, call, async () => {
          await bucket.request(call, (client, options) => client.send(command, options));
        });
      } catch (error) {
        failure ??= error;
        // An earlier attempt may have completed the upload, which then no longer exists.
        throw isQuireError(error, 'STORE_MISCONFIGURED') ? failure : error;
      }
    };
    await retry(retryOptions, `complete ${call.key}`, attempt, call.signal);
    uploadsInProgress.delete(this.#uploadId);
  }

  /**
   * Aborts the upload in any state. Never throws: the bucket's rule for unfinished uploads removes
   * what cannot be removed now.
   *
   * A part that was cut off may still be processed by the server, and restore the upload: so it
   * checks again.
   */
  async abort(): Promise<void> {
    const wasCutOff = await this.#sender.stop();
    const { call, retry: retryOptions } = this.#options;
    const calm: FailedCall = { ...call, signal: undefined };
    try {
      for (let look = 1; look <= checksMax; look += 1) {
        await retry(retryOptions, `abort ${call.key}`, () =>
          this.#ask(calm, new AbortMultipartUploadCommand(this.#target)),
        );
        if (!wasCutOff) return;
        await retryOptions.clock.sleep(lookDelayMs * look);
        const isGone = !(await this.#ask(
          calm,
          new ListPartsCommand({ ...this.#target, MaxParts: 1 }),
        ));
        if (isGone && look > 2) return;
      }
    } catch (error) {
      // Report the failure that led here instead.
      if (!isQuireError(error)) throw error;
    } finally {
      uploadsInProgress.delete(this.#uploadId);
    }
  }

  /** Sends a request about the upload; returns false if the upload does not exist. */
  async #ask(
    call: FailedCall,
    command: AbortMultipartUploadCommand | ListPartsCommand,
  ): Promise<boolean> {
    return this.#options.bucket.request(call, async (client) => {
      try {
        // The overloads of the client have no common type for the two commands.
        await (command instanceof ListPartsCommand ? client.send(command) : client.send(command));
        return true;
      } catch (error) {
        if (isAbsence(error)) return false;
        throw error;
      }
    });
  }

  async #send(PartNumber: number, Body: Uint8Array): Promise<void> {
    const { bucket, call } = this.#options;
    const command = new UploadPartCommand({
      ...this.#target,
      PartNumber,
      Body,
      ContentLength: Body.byteLength,
    });
    try {
      const { ETag } = await bucket.request(call, (client, options) =>
        client.send(command, options),
      );
      this.#completed.push({ PartNumber, ...(ETag !== undefined && { ETag }) });
    } catch (error) {
      if (isQuireError(error, 'STORE_UNAVAILABLE')) await this.#assertNotGivenUp();
      throw error;
    }
  }

  /**
   * Checks that the upload still exists. A server that refuses a part may close the connection
   * before the part is written; then the reason is unknown. A part that was in flight may have
   * restored an aborted upload, without the parts before it.
   *
   * @throws STORE_MISCONFIGURED when the upload does not exist, or lacks a part
   */
  async #assertNotGivenUp(): Promise<void> {
    const { bucket, call } = this.#options;
    const stored = Math.min(...this.#completed.map(({ PartNumber = Infinity }) => PartNumber));
    const command = new ListPartsCommand({
      ...this.#target,
      MaxParts: 1,
      ...(stored < Infinity && { PartNumberMarker: String(stored - 1) }),
    });
    try {
      await bucket.request(call, async (client, options) => {
        const { Parts = [] } = await client.send(command, options);
        if (stored === Infinity || Parts[0]?.PartNumber === stored) return;
        const message = `part ${stored} is no longer stored`;
        throw new NoSuchUpload({ message, $metadata: {} });
      });
    } catch (error) {
      // Any other failure gives no information about the upload.
      if (!isQuireError(error) || error.code === 'STORE_MISCONFIGURED') throw error;
    }
  }

  get #target(): { readonly Bucket: string; readonly Key: string; readonly UploadId: string } {
    return { ...this.#options.bucket.target(this.#options.call.key), UploadId: this.#uploadId };
  }
}

/**
 * Creates an upload and returns its id. Repeated only if the server refuses it, and not aborted
 * half-way: if the answer is lost, the upload's id would be unknown.
 */
async function createUpload({
  bucket,
  call,
  retry: retryOptions,
}: MultipartUploadOptions): Promise<string | undefined> {
  const command = new CreateMultipartUploadCommand({
    ...bucket.target(call.key),
    ...bucket.encryption,
  });
  for (let attempt = 1; ; attempt += 1) {
    try {
      const calm = { ...call, signal: undefined };
      return (await bucket.request(calm, (client) => client.send(command))).UploadId;
    } catch (error) {
      if (!(isQuireError(error) && isAnswered(error.cause))) throw error;
      await waitForRetry(retryOptions, `begin put of ${call.key}`, attempt, error, call.signal);
    }
  }
}
