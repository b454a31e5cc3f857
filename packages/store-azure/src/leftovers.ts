import {
  type CallOptions,
  isObjectKey,
  type Leftover,
  type LeftoverOptions,
  type StoreLeftovers,
} from '@quire/core';
import type { FailedCall } from '@quire/core/bucket';
import { timeOfBlock } from './block-id.ts';
import { type Bucket, discardedType } from './bucket.ts';
import { isAbsence, isConflict } from './errors.ts';
import { listBlobs } from './lister.ts';

/**
 * The URLs of the objects that stores of this process upload in blocks. A cleaner in this process
 * ignores them.
 */
export const uploadsInProgress: Set<string> = new Set();

/** The suffix of the object's key in the name of a leftover; no key contains it. */
const suffix = '?uncommitted';

/**
 * The uncommitted blocks of a container: of writes in progress in any process, and of dead writers.
 * No listing of objects shows them.
 */
export class UncommittedBlocks implements StoreLeftovers {
  readonly #bucket: Bucket;

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  /**
   * Yields every unfinished upload as `<key of the object>?uncommitted`, with the size of its
   * blocks and the time of the last one. `owner` is `alive` if a store of this process writes it.
   * Requests: one for 5,000 names, and one for each that may be unfinished.
   */
  async *list({ prefix = '', signal }: LeftoverOptions = {}): AsyncGenerator<Leftover> {
    const bucket = this.#bucket;
    const call: FailedCall = { op: 'list', key: prefix, location: bucket.location, signal };
    for await (const blobs of listBlobs(bucket, call, { includeUncommitedBlobs: true })) {
      for (const { name, properties } of blobs) {
        const key = name.slice(bucket.prefix.length);
        if ((properties.contentLength ?? 0) > 0 || !isObjectKey(key)) continue;
        const blocks = await readBlocks(bucket, { ...call, key });
        if (blocks === undefined) continue;
        const owner = uploadsInProgress.has(bucket.blob(key).url) ? 'alive' : 'unknown';
        yield { key: key + suffix, ...blocks, owner, objectKey: key };
      }
    }
  }

  async remove(name: string, options?: CallOptions): Promise<void> {
    if (!name.endsWith(suffix)) return;
    const key = name.slice(0, -suffix.length);
    const { location } = this.#bucket;
    await removeBlocks(this.#bucket, { op: 'delete', key, location, signal: options?.signal });
  }

  /** Removes all blocks below the prefix. */
  async removeOfDeadWriter(
    { prefix }: { readonly prefix: string },
    options?: CallOptions,
  ): Promise<void> {
    for await (const { key } of this.list({ ...options, prefix })) await this.remove(key, options);
  }
}

/**
 * Removes the blocks of an object that does not exist; does nothing if it exists or there are none.
 *
 * The service has no request for it, but discards blocks when the object is created without any. So
 * an empty blob exists for a moment, with a type that marks it as not an object, and is deleted if
 * it is unchanged.
 */
export async function removeBlocks(bucket: Bucket, call: FailedCall): Promise<void> {
  if ((await readBlocks(bucket, call)) === undefined) return;
  const blob = bucket.blob(call.key);
  await bucket.request(call, async (options) => {
    try {
      const { etag } = await blob.commitBlockList([], {
        ...options,
        blobHTTPHeaders: { blobContentType: discardedType },
        conditions: { ifNoneMatch: '*' },
      });
      const isSame = etag === undefined ? {} : { conditions: { ifMatch: etag } };
      await blob.delete({ ...options, ...isSame });
    } catch (error) {
      // The object has appeared, or has been deleted.
      if (!isConflict(error) && !isAbsence(error)) throw error;
    }
  });
}

/** Reads the blocks of an object that does not exist; undefined if it exists or there are none. */
async function readBlocks(
  bucket: Bucket,
  call: FailedCall,
): Promise<{ readonly sizeBytes: number; readonly lastModifiedMs: number } | undefined> {
  const blob = bucket.blob(call.key);
  return bucket.request(call, async (options) => {
    try {
      const { uncommittedBlocks = [] } = await blob.getBlockList('uncommitted', options);
      const times = uncommittedBlocks.map(({ name }) => timeOfBlock(name));
      const ours = times.filter((time) => time !== undefined);
      if (ours.length === 0 || ours.length < times.length) return undefined;
      if (await blob.exists(options)) return undefined;
      const sizeBytes = uncommittedBlocks.reduce((sum, { size }) => sum + size, 0);
      return { sizeBytes, lastModifiedMs: Math.max(...ours) };
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw error;
    }
  });
}
