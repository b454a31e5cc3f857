import { QuireError, storeRetryDelays, systemClock, systemRandom } from '@quire/core';
import { BucketStore } from '@quire/core/bucket';
import { deleteObject } from './deleter.ts';
import { signLink } from './link-signer.ts';
import { listPages } from './lister.ts';
import { entryFields, parseObjectResource } from './object-resource.ts';
import { openBucket, type GcsObjectStoreOptions } from './open-bucket.ts';
import { openObject } from './reader.ts';
import { partBytesUnit } from './resumable-upload.ts';
import { ObjectWriter } from './writer.ts';

/**
 * An ObjectStore in a bucket of Google Cloud Storage: the object `a/b.arrow` is
 * `<prefix>/a/b.arrow` in the bucket.
 *
 * Objects that fit in a part are put with one request; others are uploaded in parts and become
 * visible when the last one is stored. Requests: one for each head, get and delete; one for 1,000
 * entries of a list; one for a put, or one and one for each part.
 */
export class GcsObjectStore extends BucketStore {
  /**
   * Opens the store, after verifying that the bucket exists and can be listed and, unless it will
   * only be read, written to.
   *
   * @throws INVALID_PARAMETER when location, bucket, endpoint or credentials are wrong
   * @throws STORE_UNAVAILABLE when the server cannot be reached or fails
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
    const writer = new ObjectWriter({ bucket, partBytes, retry });
    return new GcsObjectStore({
      location: bucket.location,
      async head(call) {
        const resource = await bucket.sendForJson(call, {
          method: 'GET',
          path: bucket.objectPath(call.key),
          parameters: { fields: entryFields },
          expected: [200],
        });
        return parseObjectResource(resource, bucket.prefix, call);
      },
      get: (call, range) => openObject(bucket, call, range),
      put: (call, body, assertOpen) => writer.write(call, body, assertOpen),
      putIfAbsent: (call, bytes) => writer.writeIfAbsent(call, bytes),
      listPages: (call, after) => listPages(bucket, call, after),
      delete: (call) => deleteObject(bucket, call),
      signLink: (call, lifetimeMs) => signLink(bucket, call, lifetimeMs, clock),
      // The connections belong to the process.
      close: () => undefined,
    });
  }
}
