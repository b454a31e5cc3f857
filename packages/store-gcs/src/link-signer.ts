import { type Clock, QuireError } from '@quire/core';
import type { Bucket } from './bucket.ts';
import { toStoreError } from './errors.ts';

/** Google takes no longer-lived signature. */
const lifetimeMaxMs = 7 * 24 * 60 * 60 * 1000;

/** Signs a link to one object: by the key of a service account, or by a request to Google when the credentials hold none. */
export async function signLink(bucket: Bucket, key: string, lifetimeMs: number, clock: Clock): Promise<string> {
  if (!(lifetimeMs >= 1000 && lifetimeMs <= lifetimeMaxMs)) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `A link to ${key} cannot live for ${lifetimeMs} ms: expected a second to seven days.`,
    );
  }
  try {
    const expires = clock.nowMs() + lifetimeMs;
    const [url] = await bucket.file(key).getSignedUrl({ version: 'v4', action: 'read', expires });
    return url;
  } catch (error) {
    throw toStoreError(error, { op: 'link', key, location: bucket.location });
  }
}
