import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { isObjectKey, type ListOptions, type ObjectEntry, QuireError, throwIfAborted } from '@quire/core';
import type { Bucket } from './bucket.ts';
import { wholeSeconds } from './last-modified.ts';

/**
 * Gives the objects of a prefix in key order, one request for a thousand of them; memory: one page.
 *
 * Objects of others, whose names are no keys, are passed over. S3 orders names by their bytes in UTF-8: the same order for keys.
 *
 * @throws STORE_UNAVAILABLE when the server does not list in that order
 */
export async function* listObjects(bucket: Bucket, prefix: string, options: ListOptions = {}): AsyncGenerator<ObjectEntry> {
  const call = bucket.callOf('list', prefix, options);
  throwIfAborted(options.signal);
  if (!/^[A-Za-z0-9_./-]*$/.test(prefix)) return;
  const after = options.after === undefined ? '' : asciiMark(options.after);
  let last = '';
  let token: string | undefined;
  do {
    const input = {
      Bucket: bucket.name,
      Prefix: bucket.prefix + prefix,
      ...(token !== undefined && { ContinuationToken: token }),
      ...(token === undefined && after !== '' && { StartAfter: bucket.prefix + after }),
    };
    const page = await bucket.request(call, (client, sendOptions) => client.send(new ListObjectsV2Command(input), sendOptions));
    for (const { Key = '', Size, LastModified } of page.Contents ?? []) {
      const key = Key.slice(bucket.prefix.length);
      if (!isObjectKey(key)) continue;
      if (key < last) throw misordered(bucket, prefix, last, key);
      // A page may begin with what the last one ended with, when objects come and go meanwhile.
      if (key === last || key <= (options.after ?? '') || Size === undefined || LastModified === undefined) continue;
      last = key;
      throwIfAborted(options.signal);
      yield { key, sizeBytes: Size, lastModifiedMs: wholeSeconds(LastModified) };
    }
    throwIfAborted(options.signal);
    const isLastPage = page.IsTruncated !== true;
    if (!isLastPage && (page.NextContinuationToken === undefined || page.NextContinuationToken === token)) {
      throw new QuireError(
        'STORE_UNAVAILABLE',
        `list of ${prefix} in ${bucket.location} gave a page without a way to the next one.`,
      );
    }
    token = isLastPage ? undefined : page.NextContinuationToken;
  } while (token !== undefined);
}

/** Text of printable ASCII that the same keys sort after: keys have no other characters, so what follows one decides nothing. */
function asciiMark(after: string): string {
  const index = after.search(/[^ -~]/);
  if (index < 0) return after;
  const isAboveKeys = after.charCodeAt(index) > 0x7e;
  return after.slice(0, index) + (isAboveKeys ? '~' : '');
}

function misordered({ location }: Bucket, prefix: string, last: string, key: string): QuireError {
  return new QuireError(
    'STORE_UNAVAILABLE',
    `list of ${prefix} in ${location} is not in the order of keys: ${key} came after ${last}.`,
  );
}
