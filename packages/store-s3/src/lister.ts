import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { ObjectEntry } from '@quire/core';
import { endlessListing, type FailedCall } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';
import { wholeSeconds } from './last-modified.ts';

/** Lists the objects of a prefix page by page, with one request for a thousand objects. */
export async function* listPages(
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
    if (page.IsTruncated !== true) return;
    const next = page.NextContinuationToken;
    if (next === undefined || next === token) throw endlessListing(call);
    token = next;
  } while (token !== undefined);
}
