import { type ListOptions, type ObjectEntry, QuireError, throwIfAborted } from '@quire/core';
import { asciiMark, canBeginKey, entriesInOrder, type FailedCall } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';
import { entryFields, parseObjectResource } from './object-resource.ts';

/** The most that the server gives. */
const pageEntries = 1000;

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

/** The pages from `startOffset` on, itself included. */
async function* readPages(
  bucket: Bucket,
  call: FailedCall,
  startOffset: string,
): AsyncGenerator<readonly ObjectEntry[]> {
  let pageToken: string | undefined;
  do {
    const page = (await bucket.sendForJson(call, {
      method: 'GET',
      path: `/storage/v1/b/${bucket.name}/o`,
      parameters: {
        prefix: bucket.prefix + call.key,
        maxResults: String(pageEntries),
        fields: `nextPageToken,items(${entryFields})`,
        ...(startOffset !== '' && { startOffset: bucket.prefix + startOffset }),
        ...(pageToken !== undefined && { pageToken }),
      },
      expected: [200],
    })) as { readonly items?: readonly unknown[]; readonly nextPageToken?: unknown };
    yield (page.items ?? []).map((item) => parseObjectResource(item, bucket.prefix, call));
    const next =
      typeof page.nextPageToken === 'string' && page.nextPageToken !== ''
        ? page.nextPageToken
        : undefined;
    if (next !== undefined && next === pageToken) {
      throw new QuireError(
        'STORE_UNAVAILABLE',
        `list of ${call.key} in ${call.location} gave a page without a token for the next one.`,
      );
    }
    pageToken = next;
  } while (pageToken !== undefined);
}
