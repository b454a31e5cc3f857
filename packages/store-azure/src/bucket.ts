import type { BlockBlobClient, ContainerClient } from '@azure/storage-blob';
import { type ObjectEntry, objectNotFound, QuireError, throwIfAborted } from '@quire/core';
import type { BucketLocation, FailedCall } from '@quire/core/bucket';
import { requestFailures } from './errors.ts';

/** The content type of the blobs that temporarily replace unfinished uploads to remove them. */
export const discardedType = 'application/x-quire-discarded';

/** The properties that distinguish objects from other blobs. */
export interface BlobTypes {
  readonly blobType?: string | undefined;
  readonly contentType?: string | undefined;
}

/** Reports whether a blob is an object: a block blob that does not discard an upload. */
export function isObject({ blobType, contentType }: BlobTypes): boolean {
  return blobType === 'BlockBlob' && contentType !== discardedType;
}

/** The headers of stored objects. */
export const octets = { blobHTTPHeaders: { blobContentType: 'application/octet-stream' } } as const;

/** The common part of all calls to a container. */
export class Bucket {
  readonly client: ContainerClient;
  readonly name: string;
  readonly prefix: string;
  readonly location: string;

  constructor(client: ContainerClient, { bucket, prefix }: BucketLocation) {
    this.client = client;
    this.name = bucket;
    this.prefix = prefix;
    this.location = `az://${bucket}/${prefix}`.replace(/\/$/, '');
  }

  /** Returns the client of an object. */
  blob(key: string): BlockBlobClient {
    return this.client.getBlockBlobClient(this.prefix + key);
  }

  /** Runs one request of a call. An aborted call sends none. */
  async request<T>(
    call: FailedCall,
    run: (options: { abortSignal?: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    throwIfAborted(call.signal);
    return requestFailures.run(call, () =>
      run(call.signal === undefined ? {} : { abortSignal: call.signal }),
    );
  }

  /** Checks that a blob is an object. @throws OBJECT_NOT_FOUND when it is not */
  assertObject({ key, location }: FailedCall, types: BlobTypes): void {
    if (!isObject(types)) throw objectNotFound(key, location);
  }
}

/** Returns the entry of an object from an answer. */
export function entryOf(
  { op, key, location }: FailedCall,
  sizeBytes: number | undefined,
  lastModified: Date | undefined,
): ObjectEntry {
  if (sizeBytes !== undefined && lastModified !== undefined) {
    return { key, sizeBytes, lastModifiedMs: lastModified.getTime() };
  }
  const message = `${op} of ${key} in ${location}: the answer lacks the size or the date of the object.`;
  throw new QuireError('STORE_UNAVAILABLE', message);
}
