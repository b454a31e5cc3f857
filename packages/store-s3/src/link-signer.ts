import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { FailedCall } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';

/**
 * Signs a link to one object, without a request. It expires earlier if temporary credentials do.
 */
export async function signLink(
  bucket: Bucket,
  call: FailedCall,
  lifetimeMs: number,
): Promise<string> {
  const command = new GetObjectCommand(bucket.target(call.key));
  const expiresIn = Math.floor(lifetimeMs / 1000);
  return bucket.request(call, (client) => getSignedUrl(client, command, { expiresIn }));
}
