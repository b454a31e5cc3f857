import type { Clock } from '@quire/core';
import { assertLinkLifetime } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';
import { toStoreError } from './errors.ts';

/**
 * Signs a link to one object: by the key of a service account, or by a request to Google when the
 * credentials hold none.
 */
export async function signLink(
  bucket: Bucket,
  key: string,
  lifetimeMs: number,
  clock: Clock,
): Promise<string> {
  assertLinkLifetime(key, lifetimeMs);
  try {
    const expires = clock.nowMs() + lifetimeMs;
    const [url] = await bucket.file(key).getSignedUrl({ version: 'v4', action: 'read', expires });
    return url;
  } catch (error) {
    throw toStoreError(error, { op: 'link', key, location: bucket.location });
  }
}
