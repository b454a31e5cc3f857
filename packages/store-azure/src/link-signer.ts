import { BlobSASPermissions } from '@azure/storage-blob';
import type { Clock } from '@quire/core';
import type { FailedCall } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';

/** Signs a link to one object with the key of the account, without a request. */
export async function signLink(
  bucket: Bucket,
  call: FailedCall,
  lifetimeMs: number,
  clock: Clock,
): Promise<string> {
  return bucket.request(call, () =>
    bucket.blob(call.key).generateSasUrl({
      permissions: BlobSASPermissions.parse('r'),
      expiresOn: new Date(clock.nowMs() + lifetimeMs),
    }),
  );
}
