import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListPartsCommand,
  type MultipartUpload,
} from '@aws-sdk/client-s3';
import {
  type CallOptions,
  isObjectKey,
  isQuireError,
  type Leftover,
  type LeftoverOptions,
  QuireError,
  type StoreLeftovers,
  throwIfAborted,
} from '@quire/core';
import type { FailedCall } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';
import { isAbsence } from './errors.ts';
import { uploadsInProgress } from './uploads-in-progress.ts';

/** The separator of the object's key and the upload id; no key contains it. */
const separator = '?uploadId=';

/**
 * The unfinished uploads of a bucket: of writes in progress in any process, and of dead writers. No
 * listing of objects shows them, but their parts are billed.
 */
export class UnfinishedUploads implements StoreLeftovers {
  readonly #bucket: Bucket;

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  /**
   * Yields every unfinished upload as `<key of the object>?uploadId=<id>`, with the size of its
   * parts and the time of the last one. `owner` is `alive` if a store of this process writes it; it
   * is unknown for other processes. Requests: one for a thousand uploads, and one for each upload.
   */
  async *list({ prefix = '', signal }: LeftoverOptions = {}): AsyncGenerator<Leftover> {
    const bucket = this.#bucket;
    const call = bucket.callOf('list', prefix, { signal });
    let page: ListMultipartUploadsCommandOutput | undefined;
    do {
      const input = {
        Bucket: bucket.name,
        Prefix: bucket.prefix + prefix,
        ...(page !== undefined && {
          KeyMarker: page.NextKeyMarker,
          UploadIdMarker: page.NextUploadIdMarker,
        }),
      };
      const last = page;
      page = await bucket.request(call, (client, options) =>
        client.send(new ListMultipartUploadsCommand(input), options),
      );
      for (const upload of page.Uploads ?? []) {
        const entry = await this.#entryOf(upload, call);
        throwIfAborted(signal);
        if (entry !== undefined) yield entry;
      }
      const isStuck =
        page.NextKeyMarker === last?.NextKeyMarker &&
        page.NextUploadIdMarker === last?.NextUploadIdMarker;
      if (page.IsTruncated === true && isStuck) {
        throw new QuireError(
          'STORE_UNAVAILABLE',
          `list of uploads in ${bucket.location} returned a page without a token for the next one.`,
        );
      }
    } while (page.IsTruncated === true);
  }

  /**
   * Aborts an upload; if its writer is alive, it fails. Resolves even if the upload does not exist.
   * Other names are ignored.
   */
  async remove(name: string, options?: CallOptions): Promise<void> {
    const [key = '', UploadId = ''] = name.split(separator);
    if (!isObjectKey(key) || UploadId === '') return;
    const bucket = this.#bucket;
    await bucket.request(bucket.callOf('delete', name, options), async (client, sendOptions) => {
      try {
        await client.send(
          new AbortMultipartUploadCommand({ ...bucket.target(key), UploadId }),
          sendOptions,
        );
      } catch (error) {
        if (!isAbsence(error)) throw error;
      }
    });
  }

  /** Aborts every upload below the prefix. */
  async removeOfDeadWriter(
    { prefix }: { readonly prefix: string },
    options?: CallOptions,
  ): Promise<void> {
    for await (const { key } of this.list({ ...options, prefix })) await this.remove(key, options);
  }

  /** Returns the entry of an upload; undefined if it is foreign, or has ended. */
  async #entryOf(
    { Key = '', UploadId, Initiated }: MultipartUpload,
    call: FailedCall,
  ): Promise<Leftover | undefined> {
    const key = Key.slice(this.#bucket.prefix.length);
    if (!isObjectKey(key) || UploadId === undefined || Initiated === undefined) return undefined;
    let sizeBytes = 0;
    let lastModifiedMs = Initiated.getTime();
    let marker: string | undefined;
    do {
      const input = {
        ...this.#bucket.target(key),
        UploadId,
        ...(marker !== undefined && { PartNumberMarker: marker }),
      };
      const page = await this.#unlessAbsent(
        this.#bucket.request(call, (client, options) =>
          client.send(new ListPartsCommand(input), options),
        ),
      );
      if (page === undefined) return undefined;
      for (const { Size = 0, LastModified } of page.Parts ?? []) {
        sizeBytes += Size;
        lastModifiedMs = Math.max(lastModifiedMs, LastModified?.getTime() ?? 0);
      }
      marker =
        page.IsTruncated === true && page.NextPartNumberMarker !== marker
          ? page.NextPartNumberMarker
          : undefined;
    } while (marker !== undefined);
    const owner = uploadsInProgress.has(UploadId) ? 'alive' : 'unknown';
    return {
      key: `${key}${separator}${UploadId}`,
      sizeBytes,
      lastModifiedMs,
      owner,
      objectKey: key,
    };
  }

  async #unlessAbsent<T>(asking: Promise<T>): Promise<T | undefined> {
    try {
      return await asking;
    } catch (error) {
      if (isQuireError(error) && isAbsence(error.cause)) return undefined;
      throw error;
    }
  }
}
