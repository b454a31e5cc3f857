import { isObjectKey, type ListOptions, type ObjectEntry, QuireError, throwIfAborted } from '@quire/core';
import type { Bucket } from './bucket.ts';
import { entryFields, parseObjectResource } from './object-resource.ts';

/** The most that the server gives. */
const pageEntries = 1000;

/**
 * Gives the objects of a prefix in key order, one request for a thousand of them; memory: one page.
 *
 * Objects of others, whose names are no keys, are passed over. GCS orders names by their bytes in UTF-8: the same order for keys.
 *
 * @throws STORE_UNAVAILABLE when the server does not list in that order
 */
export async function* listObjects(bucket: Bucket, prefix: string, options: ListOptions = {}): AsyncGenerator<ObjectEntry> {
  const call = bucket.callOf('list', prefix, options);
  throwIfAborted(options.signal);
  if (!/^[A-Za-z0-9_./-]*$/.test(prefix)) return;
  const after = options.after ?? '';
  const startOffset = asciiMark(after);
  let last = '';
  let pageToken: string | undefined;
  do {
    const page = (await bucket.sendForJson(call, {
      method: 'GET',
      path: `/storage/v1/b/${bucket.name}/o`,
      parameters: {
        prefix: bucket.prefix + prefix,
        maxResults: String(pageEntries),
        fields: `nextPageToken,items(${entryFields})`,
        ...(startOffset !== '' && { startOffset: bucket.prefix + startOffset }),
        ...(pageToken !== undefined && { pageToken }),
      },
      expected: [200],
    })) as { readonly items?: readonly unknown[]; readonly nextPageToken?: unknown };
    for (const item of page.items ?? []) {
      const entry = parseObjectResource(item, bucket.prefix, call);
      if (!isObjectKey(entry.key)) continue;
      if (entry.key < last) throw misordered(bucket, prefix, last, entry.key);
      // The offset is where the server starts, not what it starts after; and a page may begin with what the last one ended with.
      if (entry.key === last || entry.key <= after) continue;
      last = entry.key;
      throwIfAborted(options.signal);
      yield entry;
    }
    throwIfAborted(options.signal);
    const next = typeof page.nextPageToken === 'string' && page.nextPageToken !== '' ? page.nextPageToken : undefined;
    if (next !== undefined && next === pageToken) {
      throw new QuireError(
        'STORE_UNAVAILABLE',
        `list of ${prefix} in ${bucket.location} gave a page without a way to the next one.`,
      );
    }
    pageToken = next;
  } while (pageToken !== undefined);
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
