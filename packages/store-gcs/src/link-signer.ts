import type { Clock } from '@quire/core';
import type { FailedCall } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';
import { requestFailures } from './errors.ts';

/**
 * Signs a link to one object: with the key of a service account, or with a request to Google if the
 * credentials have none.
 */
export async function signLink(
  bucket: Bucket,
  call: FailedCall,
  lifetimeMs: number,
  clock: Clock,
): Promise<string> {
  return requestFailures.run(call, async () => {
    const expires = clock.nowMs() + lifetimeMs;
    const file = bucket.file(call.key);
    const [url] = await file.getSignedUrl({ version: 'v4', action: 'read', expires });
    return url;
  });
}
