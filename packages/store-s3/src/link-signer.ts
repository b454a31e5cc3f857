import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { QuireError } from '@quire/core';
import type { Bucket } from './bucket.ts';
import { toStoreError } from './errors.ts';

/** Amazon takes no longer-lived signature. */
const lifetimeMaxMs = 7 * 24 * 60 * 60 * 1000;

/** Signs a link to one object, without a request. Temporary credentials end it earlier, when they expire. */
export async function signLink(bucket: Bucket, key: string, lifetimeMs: number): Promise<string> {
  if (!(lifetimeMs >= 1000 && lifetimeMs <= lifetimeMaxMs)) {
    throw new QuireError(
      'INVALID_PARAMETER',
      `A link to ${key} cannot live for ${lifetimeMs} ms: expected a second to seven days.`,
    );
  }
  try {
    const command = new GetObjectCommand(bucket.target(key));
    return await getSignedUrl(bucket.client, command, { expiresIn: Math.floor(lifetimeMs / 1000) });
  } catch (error) {
    throw toStoreError(error, { op: 'link', key, location: bucket.location });
  }
}
