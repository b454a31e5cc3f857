import {
  assertByteRange,
  assertObjectKey,
  type CallOptions,
  type Clock,
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
import { deleteObject } from './deleter.ts';
import { signLink } from './link-signer.ts';
import { listObjects } from './lister.ts';
import { entryFields, parseObjectResource } from './object-resource.ts';
import { openBucket, type GcsObjectStoreOptions } from './open-bucket.ts';
import { openObject } from './reader.ts';
import { partBytesUnit } from './resumable-upload.ts';
import { ObjectWriter } from './writer.ts';

/**
 * An ObjectStore in a bucket of Google Cloud Storage: the object `a/b.arrow` is
 * `<prefix>/a/b.arrow` in the bucket.
 *
 * Objects that fit in a part are put by one request; others are uploaded in parts and appear when
 * the last one has come. Requests: a head, get, delete one each; a list one for 1000 entries; a put
 * one, or one and one for each part.
 */
export class GcsObjectStore implements ObjectStore, LinkSigner {
  readonly location: string;
  readonly #bucket: Bucket;
  readonly #writer: ObjectWriter;
  readonly #clock: Clock;

  private constructor(bucket: Bucket, writer: ObjectWriter, clock: Clock) {
    this.location = bucket.location;
    this.#bucket = bucket;
    this.#writer = writer;
    this.#clock = clock;
  }

  /**
   * Opens the store, having proved that the bucket exists and can be listed and written to.
   *
   * @throws INVALID_PARAMETER when location, bucket, endpoint or credentials are not right
   * @throws STORE_UNAVAILABLE when the server cannot be reached or is not well
   */
  static async open(options: GcsObjectStoreOptions): Promise<GcsObjectStore> {
    const {
      partBytes = 8 * 1024 * 1024,
      partAttemptsMax = 4,
      clock = systemClock,
      random = systemRandom,
    } = options;
    if (!Number.isSafeInteger(partBytes) || partBytes <= 0 || partBytes % partBytesUnit !== 0) {
      throw new QuireError(
        'INVALID_PARAMETER',
        `partBytes is ${partBytes}; expected a multiple of ${partBytesUnit}.`,
      );
    }
    const bucket = await openBucket(options);
    const retry = { clock, random, attemptsMax: partAttemptsMax, ...storeRetryDelays };
    return new GcsObjectStore(bucket, new ObjectWriter({ bucket, partBytes, retry }), clock);
  }

  async head(key: string, options?: CallOptions): Promise<ObjectEntry> {
    this.#check(key, options);
    const call = this.#bucket.callOf('head', key, options);
    const resource = await this.#bucket.sendForJson(call, {
      method: 'GET',
      path: this.#bucket.objectPath(key),
      parameters: { fields: entryFields },
      expected: [200],
    });
    return parseObjectResource(resource, this.#bucket.prefix, call);
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
    await deleteObject(this.#bucket, key, options);
  }

  async signLink(key: string, lifetimeMs: number): Promise<string> {
    this.#check(key, undefined);
    return signLink(this.#bucket, key, lifetimeMs, this.#clock);
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
