import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { type ListOptions, type ObjectEntry, QuireError, throwIfAborted } from '@quire/core';
import { asciiMark, canBeginKey, entriesInOrder, type FailedCall } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';
import { wholeSeconds } from './last-modified.ts';

/**
 * Gives the objects of a prefix in key order, one request for a thousand of them; memory: one page.
 *
 * @throws STORE_UNAVAILABLE when the server does not list in that order
 */
export async function* listObjects(
  bucket: Bucket,
  prefix: string,
  options: ListOptions = {},
): AsyncGenerator<ObjectEntry> {
  throwIfAborted(options.signal);
  if (!canBeginKey(prefix)) return;
  const call = bucket.callOf('list', prefix, options);
  yield* entriesInOrder(readPages(bucket, call, asciiMark(options.after ?? '')), call, options);
}

async function* readPages(
  bucket: Bucket,
  call: FailedCall,
  after: string,
): AsyncGenerator<readonly ObjectEntry[]> {
  let token: string | undefined;
  do {
    const input = {
      Bucket: bucket.name,
      Prefix: bucket.prefix + call.key,
      ...(token !== undefined && { ContinuationToken: token }),
      ...(token === undefined && after !== '' && { StartAfter: bucket.prefix + after }),
    };
    const page = await bucket.request(call, (client, sendOptions) =>
      client.send(new ListObjectsV2Command(input), sendOptions),
    );
    yield (page.Contents ?? []).flatMap(({ Key = '', Size, LastModified }) => {
      if (Size === undefined || LastModified === undefined) return [];
      return [
        {
          key: Key.slice(bucket.prefix.length),
          sizeBytes: Size,
          lastModifiedMs: wholeSeconds(LastModified),
        },
      ];
    });
    const isLastPage = page.IsTruncated !== true;
    if (
      !isLastPage &&
      (page.NextContinuationToken === undefined || page.NextContinuationToken === token)
    ) {
      throw new QuireError(
        'STORE_UNAVAILABLE',
        `list of ${call.key} in ${call.location} gave a page without a token for the next one.`,
      );
    }
    token = isLastPage ? undefined : page.NextContinuationToken;
  } while (token !== undefined);
}
