import {
  type StoreWithLeftovers,
  QuireError,
  storeRetryDelays,
  systemClock,
  systemRandom,
} from '@quire/core';
import { BatchDeleter, BucketStore, type BucketVerbs } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';
import { deleteRequests } from './deleter.ts';
import { UnfinishedUploads } from './leftovers.ts';
import { signLink } from './link-signer.ts';
import { listPages } from './lister.ts';
import { openBucket, type S3ObjectStoreOptions } from './open-bucket.ts';
import { openObject } from './reader.ts';
import { headObject, ObjectWriter } from './writer.ts';

const partBytesMin = 5 * 1024 * 1024;

/**
 * An ObjectStore in a bucket of Amazon S3, or of any server with the same protocol: the object
 * `a/b.arrow` is `<prefix>/a/b.arrow` in the bucket.
 *
 * Objects that fit in a part are put with one request; others are uploaded in parts and become
 * visible when the upload is completed. Requests: one for each head, get and delete, and one for
 * concurrent deletes together; one for 1,000 entries of a list; two for a put, or three and one for
 * each part.
 */
export class S3ObjectStore extends BucketStore implements StoreWithLeftovers {
  /** Unfinished uploads of live and dead writers. For a cleaner. */
  readonly leftovers: UnfinishedUploads;

  private constructor(bucket: Bucket, verbs: BucketVerbs) {
    super(verbs);
    this.leftovers = new UnfinishedUploads(bucket);
  }

  /**
   * Opens the store, after verifying that the bucket exists and can be listed and, unless it will
   * only be read, written to.
   *
   * @throws INVALID_PARAMETER when location, bucket, region, endpoint or credentials are wrong
   * @throws STORE_UNAVAILABLE when the server cannot be reached or fails
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
    const writer = new ObjectWriter({ bucket, partBytes, partsInFlightMax, retry });
    const deleter = new BatchDeleter(deleteRequests(bucket));
    return new S3ObjectStore(bucket, {
      location: bucket.location,
      head: (call) => headObject(bucket, call),
      get: (call, range) => openObject(bucket, call, range),
      put: (call, body, assertOpen) => writer.write(call, body, assertOpen),
      putIfAbsent: (call, bytes) => writer.writeIfAbsent(call, bytes),
      listPages: (call, after) => listPages(bucket, call, after),
      async delete(call) {
        using _connections = bucket.hold();
        await deleter.delete(call.key, call);
      },
      signLink: (call, lifetimeMs) => signLink(bucket, call, lifetimeMs),
      close: () => bucket.close(),
    });
  }
}
