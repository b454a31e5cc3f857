import type { ContainerListBlobsOptions, BlobItem } from '@azure/storage-blob';
import type { ObjectEntry } from '@quire/core';
import { type FailedCall, nextToken } from '@quire/core/bucket';
import { type Bucket, isObject } from './bucket.ts';

/** The maximum number of entries in the server's answer. */
const maxPageSize = 5000;

/**
 * Lists the objects of a prefix page by page. Servers without support for a start position list
 * from the beginning.
 */
export async function* listPages(
  bucket: Bucket,
  call: FailedCall,
  after: string,
): AsyncGenerator<readonly ObjectEntry[]> {
  const start = after === '' ? {} : { startFrom: bucket.prefix + after };
  for await (const blobs of listBlobs(bucket, call, start)) {
    yield blobs
      .filter(({ properties }) => isObject(properties))
      .map(({ name, properties }) => ({
        key: name.slice(bucket.prefix.length),
        sizeBytes: properties.contentLength ?? 0,
        lastModifiedMs: properties.lastModified.getTime(),
      }));
  }
}

/** Lists all blobs of a prefix page by page, with one request each. */
export async function* listBlobs(
  bucket: Bucket,
  call: FailedCall,
  which: ContainerListBlobsOptions,
): AsyncGenerator<readonly BlobItem[]> {
  let continuationToken: string | undefined;
  do {
    const token = continuationToken === undefined ? {} : { continuationToken };
    const step: { readonly value?: unknown } = await bucket.request(call, (options) =>
      bucket.client
        .listBlobsFlat({ ...which, ...options, prefix: bucket.prefix + call.key })
        .byPage({ maxPageSize, ...token })
        .next(),
    );
    const page = step.value as BlobPage | undefined;
    yield page?.segment.blobItems ?? [];
    continuationToken = nextToken(call, page?.continuationToken, continuationToken);
  } while (continuationToken !== undefined);
}

/** A page of the SDK's iterator, whose type allows any value at its end. */
interface BlobPage {
  readonly segment: { readonly blobItems: readonly BlobItem[] };
  readonly continuationToken?: string;
}
