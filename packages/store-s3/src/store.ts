import {
  assertByteRange,
  assertObjectKey,
  type CallOptions,
  type GetOptions,
  type LinkSigner,
  type ListOptions,
  type ObjectBody,
  type ObjectEntry,
  type ObjectStore,
  QuireError,
  storeClosed,
  storeRetryDelays,
  systemClock,
  systemRandom,
  throwIfAborted,
} from '@quire/core';
import type { Bucket } from './bucket.ts';
import { ObjectDeleter } from './deleter.ts';
import { UnfinishedUploads } from './leftovers.ts';
import { signLink } from './link-signer.ts';
import { listObjects } from './lister.ts';
import { openBucket, type S3ObjectStoreOptions } from './open-bucket.ts';
import { openObject } from './reader.ts';
import { headObject, ObjectWriter } from './writer.ts';

const partBytesMin = 5 * 1024 * 1024;

/**
 * An ObjectStore in a bucket of Amazon S3, or of any server that speaks its protocol: the object
 * `a/b.arrow` is `<prefix>/a/b.arrow` in the bucket.
 *
 * Objects that fit in a part are put by one request; others are uploaded in parts and appear when
 * the upload is completed. Requests: a head, get, delete one each, deletes at the same time one
 * together; a list one for 1000 entries; a put two, or three and one for each part.
 */
export class S3ObjectStore implements ObjectStore, LinkSigner {
  readonly location: string;
  /**
   * Uploads under way, and of writers that died; not objects, and so not part of the port. For a
   * cleaner.
   */
  readonly leftovers: UnfinishedUploads;
  readonly #bucket: Bucket;
  readonly #writer: ObjectWriter;
  readonly #deleter: ObjectDeleter;

  private constructor(bucket: Bucket, writer: ObjectWriter) {
    this.location = bucket.location;
    this.leftovers = new UnfinishedUploads(bucket);
    this.#bucket = bucket;
    this.#writer = writer;
    this.#deleter = new ObjectDeleter(bucket);
  }

  /**
   * Opens the store, having proved that the bucket exists and can be listed and written to.
   *
   * @throws INVALID_PARAMETER when location, bucket, region, endpoint or credentials are not right
   * @throws STORE_UNAVAILABLE when the server cannot be reached or is not well
   */
  static async open(options: S3ObjectStoreOptions): Promise<S3ObjectStore> {
    const { partBytes = 8 * 1024 * 1024, partsInFlightMax = 2, partAttemptsMax = 4 } = options;
    const { clock = systemClock, random = systemRandom } = options;
    if (!Number.isSafeInteger(partBytes) || partBytes < partBytesMin) {
      throw new QuireError(
        'INVALID_PARAMETER',
        `partBytes is ${partBytes}; expected at least ${partBytesMin}.`,
      );
    }
    const bucket = await openBucket(options);
    const retry = { clock, random, attemptsMax: partAttemptsMax, ...storeRetryDelays };
    return new S3ObjectStore(
      bucket,
      new ObjectWriter({ bucket, partBytes, partsInFlightMax, retry }),
    );
  }

  async head(key: string, options?: CallOptions): Promise<ObjectEntry> {
    this.#check(key, options);
    return headObject(this.#bucket, this.#bucket.callOf('head', key, options));
  }

  async get(key: string, options?: GetOptions): Promise<ObjectBody> {
    this.#check(key, options);
    if (options?.range !== undefined) assertByteRange(options.range, key);
    return openObject(this.#bucket, key, options);
  }

  async put(
    key: string,
    body: Uint8Array | AsyncIterable<Uint8Array>,
    options?: CallOptions,
  ): Promise<ObjectEntry> {
    this.#check(key, options);
    return this.#writer.write(key, body, options, () => this.#assertOpen());
  }

  async *list(prefix: string, options?: ListOptions): AsyncGenerator<ObjectEntry> {
    this.#assertOpen();
    for await (const entry of listObjects(this.#bucket, prefix, options)) {
      yield entry;
      this.#assertOpen();
    }
  }

  async delete(key: string, options?: CallOptions): Promise<void> {
    this.#check(key, options);
    await this.#deleter.delete(key, options);
  }

  async signLink(key: string, lifetimeMs: number): Promise<string> {
    this.#check(key, undefined);
    return signLink(this.#bucket, key, lifetimeMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#bucket.close();
  }

  #check(key: string, options: CallOptions | undefined): void {
    assertObjectKey(key);
    throwIfAborted(options?.signal);
    this.#assertOpen();
  }

  #assertOpen(): void {
    if (this.#bucket.isClosed) throw storeClosed(this.location);
  }
}
