import type { ObjectEntry } from '@quire/core';
import { type FailedCall, nextToken } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';
import { entryFields, parseObjectResource } from './object-resource.ts';

/** The maximum number of entries in the server's answer. */
const pageEntries = 1000;

/** Lists the objects of a prefix from `startOffset`, inclusive, page by page. */
export async function* listPages(
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
    const next = typeof page.nextPageToken === 'string' ? page.nextPageToken : undefined;
    pageToken = nextToken(call, next, pageToken);
  } while (pageToken !== undefined);
}
