import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { assertLinkLifetime } from '@quire/core/bucket';
import type { Bucket } from './bucket.ts';
import { toStoreError } from './errors.ts';

/**
 * Signs a link to one object, without a request. Temporary credentials end it earlier, when they
 * expire.
 */
export async function signLink(bucket: Bucket, key: string, lifetimeMs: number): Promise<string> {
  assertLinkLifetime(key, lifetimeMs);
  try {
    const command = new GetObjectCommand(bucket.target(key));
    return await getSignedUrl(bucket.client, command, { expiresIn: Math.floor(lifetimeMs / 1000) });
  } catch (error) {
    throw toStoreError(error, { op: 'link', key, location: bucket.location });
  }
}
