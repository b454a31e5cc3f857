import {
  type StoreWithLeftovers,
  QuireError,
  storeRetryDelays,
  systemClock,
  systemRandom,
} from '@quire/core';
import { BatchDeleter, BucketStore } from '@quire/core/bucket';
import { type Bucket, entryOf } from './bucket.ts';
import { deleteRequests } from './deleter.ts';
import { UncommittedBlocks } from './leftovers.ts';
import { signLink } from './link-signer.ts';
import { listPages } from './lister.ts';
import { type AzureObjectStoreOptions, openBucket } from './open-bucket.ts';
import { openObject } from './reader.ts';
import { ObjectWriter } from './writer.ts';

/** The largest block that every version of the service accepts. */
const partBytesMax = 4000 * 1024 * 1024;

/**
 * An ObjectStore in a container of Azure Blob Storage: the object `a/b.arrow` is the block blob
 * `<prefix>/a/b.arrow` in the container.
 *
 * Objects that fit in a part are put with one request; others are uploaded in blocks and become
 * visible when these are committed. Requests: one for each head, get and delete, and one for up to
 * 256 concurrent deletes together; one for 5,000 entries of a list; one for a put, or one and one
 * for each part.
 */
export class AzureObjectStore extends BucketStore implements StoreWithLeftovers {
  /** Blocks of unfinished writes and dead writers. For a cleaner. */
  readonly leftovers: UncommittedBlocks;

  private constructor(bucket: Bucket, verbs: ConstructorParameters<typeof BucketStore>[0]) {
    super(verbs);
    this.leftovers = new UncommittedBlocks(bucket);
  }

  /**
   * Opens the store, after verifying that the container exists and can be listed and, unless it
   * will only be read, written to.
   *
   * @throws INVALID_PARAMETER when location, container, endpoint or credentials are wrong
   * @throws STORE_UNAVAILABLE when the server cannot be reached or fails
   */
  static async open(options: AzureObjectStoreOptions): Promise<AzureObjectStore> {
    const { partBytes = 8 * 1024 * 1024, partsInFlightMax = 2, partAttemptsMax = 4 } = options;
    const { clock = systemClock, random = systemRandom } = options;
    if (!Number.isSafeInteger(partBytes) || partBytes <= 0 || partBytes > partBytesMax) {
      throw new QuireError(
        'INVALID_PARAMETER',
        `partBytes is ${partBytes}; expected an integer from 1 to ${partBytesMax}.`,
      );
    }
    const bucket = await openBucket(options, { clock, random });
    const retry = { clock, random, attemptsMax: partAttemptsMax, ...storeRetryDelays };
    const writer = new ObjectWriter({ bucket, partBytes, partsInFlightMax, retry, random });
    const deleter = new BatchDeleter(deleteRequests(bucket));
    return new AzureObjectStore(bucket, {
      location: bucket.location,
      async head(call) {
        const properties = await bucket.request(call, (sending) =>
          bucket.blob(call.key).getProperties(sending),
        );
        bucket.assertObject(call, properties);
        return entryOf(call, properties.contentLength, properties.lastModified);
      },
      get: (call, range) => openObject(bucket, call, range),
      put: (call, body, assertOpen) => writer.write(call, body, assertOpen),
      putIfAbsent: (call, bytes) => writer.writeIfAbsent(call, bytes),
      listPages: (call, after) => listPages(bucket, call, after),
      delete: (call) => deleter.delete(call.key, call),
      signLink: (call, lifetimeMs) => signLink(bucket, call, lifetimeMs, clock),
      // The connections are shared by all clients of the SDK in the process.
      close: () => undefined,
    });
  }
}
